import type { IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { settingsOf, type Hook } from '../../model/schemas';

const COPIED = ['type', 'campaignId', 'isFirst', 'toolLinkId'] as const;

const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/**
 * Refuses a webhook with a setting that is not what the API documents (§2.1): it counts as absent elsewhere, but a copy
 * without it would be another webhook, such as one for all events.
 * @throws NodeOperationError that names the field
 */
export function checkCopiable(ctx: IExecuteFunctions, hook: Hook, itemIndex: number): void {
	const settings = settingsOf(hook);
	const lost = COPIED.find((name) => isSet(hook[name]) && settings[name] === undefined);
	if (lost === undefined) return;
	throw new NodeOperationError(
		ctx.getNode(),
		`The webhook ${hook._id} has a setting that cannot be copied`,
		{
			itemIndex,
			description: `Its field '${lost}' does not hold what the API documents, so its successor would not be the same. Create a webhook with the settings that you want, then delete this one.`,
		},
	);
}

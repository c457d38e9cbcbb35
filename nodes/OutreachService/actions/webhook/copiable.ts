import { NodeOperationError } from 'n8n-workflow';

import { settingsOf, type Webhook } from '../../model/schemas';
import type { Item } from '../operation';

const COPIED = ['type', 'campaignId', 'isFirst', 'toolLinkId'] as const;

const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/**
 * Refuses a webhook with a setting that is not what the API documents (§2.1): it counts as absent elsewhere, but a copy
 * without it would be another webhook, such as one for all events.
 * @throws NodeOperationError that names the field
 */
export function checkCopiable({ ctx, index }: Item, webhook: Webhook): void {
	const settings = settingsOf(webhook);
	const lost = COPIED.find((name) => isSet(webhook[name]) && settings[name] === undefined);
	if (lost === undefined) return;
	throw new NodeOperationError(
		ctx.getNode(),
		`The webhook ${webhook._id} has a setting that cannot be copied`,
		{
			itemIndex: index,
			description: `Its field '${lost}' does not hold what the API documents, so its successor would not be the same. Create a webhook with the settings that you want, then delete this one.`,
		},
	);
}

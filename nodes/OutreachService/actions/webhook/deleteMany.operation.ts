import { NodeOperationError } from 'n8n-workflow';

import type { Client } from '../../api/client';
import { onlyRequestError, sideEffectsOf, type RequestError } from '../../api/errors';
import type { Webhook } from '../../model/schemas';
import { mapConcurrently } from '../../utils/mapConcurrently';
import { readParameter, truth, type Operation } from '../operation';
import { filtersField, readFilters, selectWebhooks } from './filters';
import { webhookItem } from './webhookItem';

/** The maximum number of IDs that are named. */
const MAX_NAMED = 50;

/** @throws RequestError that says which webhooks are deleted already */
async function deleteAll(client: Client, webhooks: readonly Webhook[]): Promise<void> {
	const done: string[] = [];
	const failures: RequestError[] = [];
	await mapConcurrently(webhooks, async ({ _id }) => {
		await client.deleteWebhook(_id).catch((error: unknown) => {
			failures.push(onlyRequestError(error));
			throw error;
		});
		done.push(_id);
	}).catch((error: unknown) => {
		const first = onlyRequestError(error);
		const more = done.length > MAX_NAMED ? ` and ${done.length - MAX_NAMED} more` : '';
		const ids = done.length > 0 ? `: ${done.slice(0, MAX_NAMED).join(', ')}${more}` : '';
		const deleted = `${done.length} of ${webhooks.length} webhooks were deleted${ids}.`;
		if (done.length === 0 && !failures.some(sideEffectsOf)) throw first.with({ hint: deleted });
		// Several are deleted at a time; the first failure says its own.
		const others = failures.filter((failure) => failure !== first);
		const sideEffects = [deleted, ...others.flatMap((failure) => sideEffectsOf(failure) ?? [])];
		throw first.with({ sideEffects: sideEffects.join(' ') });
	});
}

/** Deletes all webhooks that pass the filters (§4.3), or shows which these are. */
export const deleteMany: Operation = {
	value: 'deleteMany',
	name: 'Delete Many',
	action: 'Delete many webhooks',
	description:
		'Delete all webhooks that match the filters; the dry run, on by default, only lists them',
	builderHint: {
		propertyHint:
			"Deletes nothing unless 'dryRun' is set to false, and refuses to run without a filter. To delete: run it with the dry run first, have a person check the items, then run it with dryRun: false.",
	},
	changes: true,
	properties: [
		{
			displayName:
				'Deleted webhooks cannot be restored, and whatever received their events no longer does, other workflows included. Check the dry run first.',
			name: 'deleteManyNotice',
			type: 'notice',
			default: '',
		},
		{
			...filtersField,
			description: 'Which webhooks to delete; at least one filter must be set',
		},
		{
			displayName: 'Dry Run',
			name: 'dryRun',
			type: 'boolean',
			default: true,
			description: 'Whether to only show which webhooks would be deleted, and delete none',
			builderHint: {
				propertyHint:
					'True by default: the items have deleted: false and dryRun: true, and nothing is deleted. Set it to false only when the user asks for the deletion itself.',
			},
		},
	],
	async run(item) {
		const filters = readFilters(item);
		const dryRun = readParameter(item, 'dryRun', truth.default(true));
		if (!Object.values(filters).some(Boolean)) {
			throw new NodeOperationError(item.ctx.getNode(), 'No filter is set', {
				itemIndex: item.index,
				description:
					"Set at least one in 'Filters', for example 'Target URL Contains': without any, all webhooks of the team would be deleted.",
			});
		}
		const webhooks = await selectWebhooks(item, filters);
		if (!dryRun) await deleteAll(item.client, webhooks);
		const result = { deleted: !dryRun, ...(dryRun ? { dryRun } : {}) };
		return webhooks.map((webhook) => webhookItem(result, webhook));
	},
};

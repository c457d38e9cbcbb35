import { NodeOperationError } from 'n8n-workflow';

import type { Webhook } from '../../model/schemas';
import { mapConcurrently } from '../../utils/mapConcurrently';
import { settle } from '../../utils/settle';
import type { Client } from '../../api/createClient';
import { filterFields, isEmpty, select } from './filters';
import { resultFirst } from '../resultFirst';
import type { Operation } from '../operation';
import { readParameter } from '../parameters';
import { filtersSchema, truth } from '../values';
import { sideEffectsOf } from '../../api/errors';
import { withoutSideEffects, withSideEffects } from './sideEffects';

/** The maximum number of IDs that are named. */
const MAX_NAMED = 50;

/** @throws RequestError that says which webhooks are deleted already */
async function deleteAll(client: Client, webhooks: readonly Webhook[]): Promise<void> {
	const done: string[] = [];
	const failures: Error[] = [];
	const result = await settle(
		mapConcurrently(webhooks, async ({ _id }) => {
			const deleted = await settle(client.deleteWebhook(_id));
			if (deleted.ok) {
				done.push(_id);
				return;
			}
			failures.push(deleted.error);
			throw deleted.error;
		}),
	);
	if (result.ok) return;
	const more = done.length > MAX_NAMED ? ` and ${done.length - MAX_NAMED} more` : '';
	const ids = done.length > 0 ? `: ${done.slice(0, MAX_NAMED).join(', ')}${more}` : '';
	const sideEffects = [
		`${done.length} of ${webhooks.length} webhooks were deleted${ids}.`,
		// Several are deleted at a time; the first failure says its own.
		...failures.flatMap((error) => (error === result.error ? [] : (sideEffectsOf(error) ?? []))),
	].join(' ');
	throw done.length > 0 || failures.some(sideEffectsOf)
		? withSideEffects(result.error, sideEffects)
		: withoutSideEffects(result.error, sideEffects);
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
			displayName: 'Filters',
			name: 'filters',
			type: 'collection',
			placeholder: 'Add filter',
			default: {},
			options: filterFields,
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
		const filters = readParameter(item, 'filters', filtersSchema.optional()) ?? {};
		const dryRun = readParameter(item, 'dryRun', truth) ?? true;
		if (isEmpty(filters)) {
			throw new NodeOperationError(item.ctx.getNode(), 'No filter is set', {
				itemIndex: item.index,
				description:
					"Set at least one in 'Filters', for example 'Target URL Contains': without any, all webhooks of the team would be deleted.",
			});
		}
		const listed = await item.client.listWebhooks();
		const webhooks = select(item, listed, filters);
		if (!dryRun) await deleteAll(item.client, webhooks);
		const result = { deleted: !dryRun, ...(dryRun ? { dryRun } : {}) };
		return webhooks.map((webhook) => resultFirst(result, webhook));
	},
};

import type { IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import type { Hook } from '../../model/schemas';
import { mapConcurrently } from '../../utils/mapConcurrently';
import { settle } from '../../utils/settle';
import { deleteWebhook, listWebhooks } from '../../api/webhooks';
import { FILTER_LABELS, filterFields, isEmpty, passes } from '../filters';
import type { Operation } from '../operation';
import { readParameter } from '../parameters';
import { filtersSchema, truth } from '../values';
import { withStanding } from './standing';

/** How many deletions are under way at a time; the limiter decides when each may start. */
const CONCURRENCY = 5;

const LABELS = { ...FILTER_LABELS, dryRun: 'Dry Run' };

/** The maximum number of IDs that are named. */
const MAX_NAMED = 50;

/** @throws NodeApiError or CancelledError that says which webhooks are deleted already */
async function deleteAll(ctx: IExecuteFunctions, hooks: Hook[], itemIndex: number): Promise<void> {
	const done: string[] = [];
	const result = await settle(
		mapConcurrently(hooks, CONCURRENCY, async ({ _id }) => {
			// 'Not found' is fine: somebody else was faster.
			await deleteWebhook(ctx, _id, { itemIndex });
			done.push(_id);
		}),
	);
	if (result.ok) return;
	const more = done.length > MAX_NAMED ? ` and ${done.length - MAX_NAMED} more` : '';
	const ids = done.length > 0 ? `: ${done.slice(0, MAX_NAMED).join(', ')}${more}` : '';
	throw withStanding(
		result.error,
		`${done.length} of ${hooks.length} webhooks were deleted${ids}.`,
	);
}

/** Deletes all webhooks that pass the filters (§4.3), or shows which those are. */
export const deleteMany: Operation = {
	value: 'deleteMany',
	name: 'Delete Many',
	action: 'Delete many webhooks',
	description:
		'Delete all webhooks that match a filter, after a dry run that shows which those are',
	changes: true,
	properties: [
		{
			displayName:
				'Deleted webhooks cannot be brought back, and whatever they fed no longer gets events, other workflows included. Look at the dry run first.',
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
			description: 'Which webhooks to delete; at least one filter has to be set',
		},
		{
			displayName: 'Dry Run',
			name: 'dryRun',
			type: 'boolean',
			default: true,
			description: 'Whether to only show which webhooks would be deleted, and delete none',
		},
	],
	async run(ctx, itemIndex) {
		const filters =
			readParameter(ctx, itemIndex, 'filters', filtersSchema.optional(), LABELS) ?? {};
		const dryRun = readParameter(ctx, itemIndex, 'dryRun', truth, LABELS) ?? true;
		if (isEmpty(filters)) {
			throw new NodeOperationError(ctx.getNode(), 'No filter is set', {
				itemIndex,
				description:
					"Set at least one in 'Filters', for example 'Target URL Contains': without any, all webhooks of the team would be deleted.",
			});
		}
		const hooks = (await listWebhooks(ctx, { itemIndex })).filter((hook) => passes(hook, filters));
		if (!dryRun) await deleteAll(ctx, hooks, itemIndex);
		return hooks.map((hook) => ({
			...hook,
			deleted: !dryRun,
			...(dryRun ? { dryRun } : {}),
		}));
	},
};

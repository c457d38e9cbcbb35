import { listWebhooks } from '../../api/webhooks';
import { FILTER_LABELS, filterFields, passes } from '../filters';
import type { Operation } from '../operation';
import { readParameter } from '../parameters';
import { filtersSchema, truth, wholeNumber } from '../values';
import { sorted, sortField, sortSchema } from './sort';

const LABELS = { ...FILTER_LABELS, returnAll: 'Return All', limit: 'Limit', sort: 'Sort' };

/** Lists the webhooks of the team (§4.1). The service has no filters, order or pages: they are made here. */
export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many webhooks',
	description: 'List the webhooks of your team',
	properties: [
		{
			displayName: 'Return All',
			name: 'returnAll',
			type: 'boolean',
			default: false,
			description: 'Whether to return all results or only up to a given limit',
		},
		{
			displayName: 'Limit',
			name: 'limit',
			type: 'number',
			default: 50,
			typeOptions: { minValue: 1 },
			description: 'Max number of results to return',
			displayOptions: { show: { returnAll: [false] } },
		},
		{
			displayName: 'Filters',
			name: 'filters',
			type: 'collection',
			placeholder: 'Add filter',
			default: {},
			options: filterFields,
		},
		sortField,
	],
	async run(ctx, itemIndex) {
		const returnAll = readParameter(ctx, itemIndex, 'returnAll', truth, LABELS);
		const limit = returnAll
			? Infinity
			: (readParameter(ctx, itemIndex, 'limit', wholeNumber(1), LABELS) ?? 50);
		const filters =
			readParameter(ctx, itemIndex, 'filters', filtersSchema.optional(), LABELS) ?? {};
		const rules =
			readParameter(ctx, itemIndex, 'sort', sortSchema.optional(), LABELS)?.property ?? [];
		const hooks = (await listWebhooks(ctx, { itemIndex })).filter((hook) => passes(hook, filters));
		return (rules.length === 0 ? hooks : sorted(hooks, rules)).slice(0, limit);
	},
};

/** The operation *Get Many* of webhooks. */
import { booleanParameter, wholeNumber } from '../../parameters/values';
import type { Operation } from '../operation';
import { filtersField, selectWebhooks } from './filters';

/** Lists the webhooks of the team (§4.1). The node applies filters and limit, because the service can do neither. */
export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many webhooks',
	description: 'Retrieve a list of the webhooks of your team',
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
		filtersField,
	],
	async run(item) {
		const returnAll = item.parameters.read('returnAll', booleanParameter.default(false));
		const limit = returnAll ? Infinity : item.parameters.read('limit', wholeNumber(1).default(50));
		return (await selectWebhooks(item)).slice(0, limit);
	},
};

/** Whichever request of whichever operation the service refuses: the error names the item that it was for. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { failAction } from '../support/action';
import { byId, withService } from '../support/webhooks';

const { service, addHook } = withService();

const webhook = (operation: string, more: INodeParameters = {}) => ({
	resource: 'webhook',
	operation,
	...more,
});
const webhookId = byId('={{ $json.id }}');

const OPERATIONS: Array<[name: string, parameters: INodeParameters, methods: string[]]> = [
	['Create', webhook('create', { targetUrl: 'https://new.test/in', event: '*' }), ['POST']],
	['Get', webhook('get', { webhookId }), ['GET']],
	['Get Many', webhook('getAll'), ['GET']],
	['Delete', webhook('delete', { webhookId }), ['DELETE']],
	[
		'Delete Many',
		webhook('deleteMany', { filters: { targetUrl: '={{ $json.url }}' }, dryRun: false }),
		['GET', 'DELETE'],
	],
	['Rotate Secret', webhook('rotateSecret', { webhookId }), ['GET', 'POST', 'DELETE']],
	['Get of the people schema', { resource: 'peopleSchema', operation: 'get' }, ['GET']],
	['Compare', { resource: 'peopleSchema', operation: 'compare' }, ['GET']],
];

it.each(
	OPERATIONS.flatMap(([name, parameters, methods]) =>
		methods.map((method) => [name, method, parameters] as const),
	),
)('%s, when %s is refused', async (_name, method, parameters) => {
	const items = [1, 2].map((n): IDataObject => {
		const { _id, targetUrl } = addHook({ targetUrl: `https://crm.test/${n}` });
		return { id: _id, url: targetUrl };
	});
	service().addFault({ kind: 'status', status: 400, body: 'No', skip: 1, match: { method } });
	const error = await failAction(service(), parameters, { items });
	expect(error.context?.itemIndex).toBe(1);
});

/**
 * The errors of items: whichever request of an operation the service refuses, the error names the item. The world is a
 * local service and the action node in one process of n8n.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { byId } from '../support/action';
import { EVERY_OPERATION, operationsIn } from '../support/operations';
import { useWorld } from '../support/world';

const world = useWorld();

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
	['Check Many', webhook('check'), ['GET']],
	['Send Test Event', webhook('sendTest', { webhookId }), ['GET']],
	['Delete', webhook('delete', { webhookId }), ['DELETE']],
	[
		'Delete Many',
		webhook('deleteMany', { filters: { targetUrl: '={{ $json.url }}' }, dryRun: false }),
		['GET', 'DELETE'],
	],
	['Rotate Secret', webhook('rotateSecret', { webhookId }), ['GET', 'POST']],
	['Get People Schema', { resource: 'peopleSchema', operation: 'get' }, ['GET']],
	['Compare', { resource: 'peopleSchema', operation: 'compare' }, ['GET']],
	['Make an API Request', { resource: 'api', operation: 'request', path: '/leads' }, ['GET']],
];

it('Each operation is one of these', () => {
	expect(operationsIn(OPERATIONS.map(([, parameters]) => parameters))).toEqual(EVERY_OPERATION);
});

it.each(
	OPERATIONS.flatMap(([name, parameters, methods]) =>
		methods.map((method) => [name, method, parameters] as const),
	),
)(
	'%s names the item when the service refuses its %s request',
	async (_name, method, parameters) => {
		const items = [1, 2].map((number): IDataObject => {
			const { _id, targetUrl } = world.addWebhook({ targetUrl: `https://crm.test/${number}` });
			return { id: _id, url: targetUrl };
		});
		// What is read is read once for all items.
		const failing = method === 'GET' ? 0 : 1;
		const fault = { kind: 'status', status: 400, body: 'No', skip: failing } as const;
		world.service.addFault({ ...fault, match: { method } });
		const error = await world.failNode(parameters, { items });
		expect(error.context?.itemIndex).toBe(failing);
	},
);

describe('When one of several items fails', () => {
	const create = webhook('create', { targetUrl: '={{ $json.url }}', event: '*' });
	const urls = (count: number) =>
		Array.from({ length: count }, (_, n) => ({ url: `https://new.test/${n}` }));
	const refuse = (method: string, skip: number) =>
		world.service.addFault({ kind: 'status', status: 400, body: 'No', skip, match: { method } });

	it('the error and the log name the items that were carried out, with the IDs of their webhooks', async () => {
		refuse('POST', 1);
		const warn = world.spyOnWarnings();
		const error = await world.failNode(create, { items: urls(3) });
		const [first, third] = world.webhookIds;
		expect(error.context?.itemIndex).toBe(1);
		const done = `Already carried out: item 0 (${first}), item 2 (${third}).`;
		expect(error.description).toContain(done);
		// Nobody sees the error of a try that n8n repeats.
		expect(warn.mock.calls).toEqual([[`The output of "Outreach Service" may be lost. ${done}`]]);
	});

	it('no further item starts', async () => {
		refuse('POST', 0);
		const error = await world.failNode(create, { items: urls(40) });
		expect(world.webhooks.length).toBeLessThan(10);
		for (const id of world.webhookIds) expect(error.description).toContain(id);
	});

	it('the other items are processed with On Error: Continue, and it has its error and pairing', async () => {
		const [first, third] = [world.addWebhook(), world.addWebhook()];
		const items = [{ id: first._id }, { id: 'hoo_gone' }, { id: third._id }];
		const output = await world.runNode(webhook('delete', { webhookId }), {
			items,
			continueOnFail: true,
		});
		expect(output).toMatchObject([
			{ json: { deleted: true }, pairedItem: { item: 0 } },
			{
				json: {
					error: expect.stringMatching(/^The webhook hoo_gone was not found\. It may/) as string,
				},
				pairedItem: { item: 1 },
			},
			{ json: { deleted: true }, pairedItem: { item: 2 } },
		]);
	});

	it('no error mentions items that changed nothing, such as dry runs', async () => {
		world.addWebhook();
		const filters = { targetUrl: '={{ $json.url }}' };
		const items = [{ url: 'crm.test' }, { url: 'https://' }];
		const error = await world.failNode(webhook('deleteMany', { filters }), { items });
		expect(error.context?.itemIndex).toBe(1);
		expect(error.description).not.toContain('Already carried out');
	});
});

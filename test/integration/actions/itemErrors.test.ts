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

describe('The error of one of several items', () => {
	const addFive = () =>
		[1, 2, 3, 4, 5].map((number): IDataObject => {
			const { _id, targetUrl } = world.addWebhook({ targetUrl: `https://crm.test/${number}` });
			return { id: _id, url: targetUrl };
		});
	const refuse = (method: string, skip: number) =>
		world.service.addFault({ kind: 'status', status: 400, body: 'No', skip, match: { method } });

	it('names the items that were carried out, with the IDs of their webhooks', async () => {
		refuse('POST', 1);
		const items = [1, 2, 3].map((n) => ({ url: `https://new.test/${n}` }));
		const parameters = webhook('create', { targetUrl: '={{ $json.url }}', event: '*' });
		const error = await world.failNode(parameters, { items });
		const [first, third] = world.webhooks;
		expect(world.webhooks).toHaveLength(2);
		expect(error.context?.itemIndex).toBe(1);
		expect(error.description).toMatch(
			`Already carried out: item 0 (${first?._id ?? ''}), item 2 (${third?._id ?? ''}).`,
		);
	});

	it('starts no further item', async () => {
		const items = Array.from({ length: 40 }, (_, n) => ({ url: `https://new.test/${n}` }));
		refuse('POST', 0);
		const parameters = webhook('create', { targetUrl: '={{ $json.url }}', event: '*' });
		const error = await world.failNode(parameters, { items });
		const created = world.webhooks;
		expect(created.length).toBeLessThan(10);
		for (const { _id } of created) expect(error.description).toContain(_id);
	});

	it('says what the other items that failed may have left at the service', async () => {
		world.service.addFault({ kind: 'status', status: 500, times: 100, match: { method: 'POST' } });
		const items = [1, 2, 3].map((n) => ({ url: `https://new.test/${n}` }));
		const parameters = webhook('create', { targetUrl: '={{ $json.url }}', event: '*' });
		const error = await world.failNode(parameters, { items });
		expect(error.context?.itemIndex).toBe(0);
		expect(error.description).toMatch(
			/^Whether the new webhook .* Item 1: Whether .* Item 2: Whether/,
		);
		// Not that of the item of which the error itself tells.
		expect(error.description?.match(/Whether/g)).toHaveLength(3);
	});

	it('is also in the log, with what was carried out: nobody sees the error of a try that n8n repeats', async () => {
		refuse('POST', 1);
		const items = [1, 2].map((n) => ({ url: `https://new.test/${n}` }));
		const parameters = webhook('create', { targetUrl: '={{ $json.url }}', event: '*' });
		const warn = world.spyOnWarnings();
		await world.failNode(parameters, { items });
		expect(warn.mock.calls.map(([text]) => text)).toEqual([
			expect.stringMatching(/^The output of ".*" may be lost\. Already carried out: item 0 \(hoo_/),
		]);
	});

	it('is in the log when n8n runs all items again because the first of several failed with On Error: Continue', async () => {
		const items = addFive().slice(0, 2);
		const parameters = webhook('rotateSecret', { webhookId });
		const warn = world.spyOnWarnings();
		const options = { continueOnFail: true, retryOnFail: true };
		// n8n looks at the first item alone.
		await world.runNode(parameters, { ...options, items: [items[0]!, { id: 'hoo_gone' }] });
		expect(warn).not.toHaveBeenCalled();
		await world.runNode(parameters, { ...options, items: [{ id: 'hoo_gone' }, items[1]!] });
		expect(warn.mock.calls.map(([text]) => text)).toEqual([
			expect.stringMatching(
				/^The output of ".*" may be lost\. Already carried out: item 1 \(hoo_.*Nobody has seen the new secrets of these webhooks/,
			),
		]);
	});

	it('names the webhooks that other items deleted', async () => {
		const items = addFive();
		for (let count = 0; count < 4; count++) world.addWebhook({ targetUrl: 'https://crm.test/1' });
		const lastPath = `/hooks/${world.webhooks[4]?._id ?? ''}`;
		const match = { path: lastPath };
		world.service.addFault({ kind: 'delay', delayMs: 300, match });
		world.service.addFault({ kind: 'status', status: 400, match });
		const parameters = webhook('deleteMany', {
			filters: { targetUrl: '={{ $json.url }}' },
			dryRun: false,
		});
		const error = await world.failNode(parameters, { items });
		expect(error.context?.itemIndex).toBe(4);
		expect(error.description).toMatch(
			/Already carried out: item 0 \((hoo_\w+(, )?){5}\), item 1 \(hoo_/,
		);
	});

	it.each([
		['Get', webhook('get', { webhookId })],
		[
			'Delete Many as a dry run',
			webhook('deleteMany', { filters: { targetUrl: '={{ $json.url }}' } }),
		],
	])('does not mention items that changed nothing (%s)', async (_, parameters) => {
		const items = addFive();
		refuse('GET', 0);
		const error = await world.failNode(parameters, { items });
		expect(error.description).not.toContain('Already carried out');
	});
});

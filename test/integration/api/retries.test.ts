/**
 * D72 and §7: requests are retried after real failures of a connection, and give up. Which failures are worth a retry, and
 * which methods: `test/unit/api/retry.test.ts`. The world is a local service and the action node in one process of n8n.
 */
import type { Fault } from '../../../tools/service';
import { createWebhook } from '../../../nodes/OutreachService/actions/webhook/createWebhook';
import { createClient } from '../../../nodes/OutreachService/api/client';
import { Runtime } from '../../../nodes/OutreachService/runtime/runtime';
import { jsonOf } from '../support/action';
import { useWorld } from '../support/world';

const world = useWorld();

describe('A failed request', () => {
	it.each<[string, Fault]>([
		[
			'a web page with a 502',
			{ kind: 'status', status: 502, body: '<html></html>', contentType: 'text/html' },
		],
		['a 408 of a gateway', { kind: 'status', status: 408 }],
		['a cut connection', { kind: 'cut' }],
		['half a response', { kind: 'half' }],
	])('is retried for a list and for a deletion (%s)', async (_, fault) => {
		const { _id } = world.addWebhook();
		world.service.addFault({ ...fault, times: 2 });
		expect(await world.run('getAll')).toHaveLength(1);
		world.service.addFault(fault);
		const deleted = jsonOf(await world.run('delete', { webhookId: _id }));
		expect(deleted).toEqual([expect.objectContaining({ _id, deleted: true })]);
		expect(world.webhooks).toEqual([]);
		expect(world.requests()).toEqual([
			...Array<string>(3).fill('GET /hooks'),
			...Array<string>(2).fill('DELETE /hooks/:id'),
		]);
	});

	it.each<[string, Fault]>([
		['its connection was cut', { kind: 'cut', when: 'after' }],
		['the response was a 500', { kind: 'status', status: 500, when: 'after' }],
	])(
		'to delete a webhook succeeds when the retry says "not found", because %s after the deletion',
		async (_, fault) => {
			const { _id } = world.addWebhook();
			world.service.addFault(fault);
			const deleted = await world.run('delete', { webhookId: _id });
			expect(jsonOf(deleted)).toEqual([{ _id, deleted: true }]);
		},
	);

	it('to delete a webhook fails when the retry says "not found" after a mere 429', async () => {
		world.service.addFault({ kind: 'status', status: 429, headers: { 'retry-after': '0' } });
		const error = await world.fail('delete', { webhookId: 'hoo_gone' });
		expect(error.message).toBe('The webhook hoo_gone was not found');
	});

	it('gives up after four attempts, with an error that describes the last one', async () => {
		world.service.addFault({ kind: 'status', status: 502, body: 'Bad gateway', times: 3 });
		world.service.addFault({ kind: 'status', status: 500, body: 'Out of order', times: 10 });
		const error = await world.fail('getAll');
		expect(error.message).toBe('The service could not carry out the request (status 500)');
		expect(error.description).toMatch('status 500: "Out of order"');
		expect(world.requests()).toHaveLength(4);
	});
});

describe('If n8n sends nothing', () => {
	/** Requests in a context whose HTTP helper fails the first time, and then sends as usual. */
	function requestsAfter(failure: Error) {
		const { context } = world.execution();
		const { helpers } = context;
		const send = helpers.httpRequestWithAuthentication.bind(context);
		let sent = 0;
		helpers.httpRequestWithAuthentication = async (...args) => {
			sent += 1;
			if (sent === 1) throw failure;
			return (await send(...args)) as unknown;
		};
		return { client: createClient(context, new Runtime()), sent: () => sent };
	}
	const withCode = (code: string) => Object.assign(new Error('It broke'), { code });

	it.each(['EAI_FAIL', 'ECONNREFUSED'])(
		'a create that fails with %s is sent again, without a look at the list',
		async (code) => {
			const { client } = requestsAfter(withCode(code));
			const { _id } = await createWebhook(client, { targetUrl: 'https://a.test', event: '*' });
			expect(world.webhookIds).toEqual([_id]);
			expect(world.requests()).toEqual(['POST /hooks']);
		},
	);

	it("a request fails with n8n's own error, and is not retried", async () => {
		const { client, sent } = requestsAfter(new Error('It broke'));
		await expect(client.listWebhooks()).rejects.toThrow('It broke');
		expect(sent()).toBe(1);
	});

	it('a request is retried that a proxy cuts off before it is connected, an error without a code', async () => {
		const cause = Object.assign(new Error('Proxy connection ended'), { isAxiosError: true });
		const { client, sent } = requestsAfter(new Error('It broke', { cause }));
		expect(await client.listWebhooks()).toEqual([]);
		expect(sent()).toBe(2);
	});
});

/**
 * D6, D72 and §7: after real failures of a connection, requests are retried and give up; a redirect is never followed. Which
 * failures are worth a retry, and of which methods: `test/unit/api/retry.test.ts`. The world is a local service, another at a
 * wrong URL, and the action node in one process of n8n.
 */
import { startService, type Fault } from '../../../tools/service';
import { createWebhook } from '../../../nodes/OutreachService/actions/webhook/createWebhook';
import { createClient } from '../../../nodes/OutreachService/api/client';
import { Runtime } from '../../../nodes/OutreachService/runtime/runtime';
import { jsonOf } from '../support/action';
import { textLike } from '../support/matchers';
import { useWorld } from '../support/world';

const world = useWorld();

describe('A failed request', () => {
	it.each<[string, Fault]>([
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
		expect(world.requests()).toEqual([
			...Array<string>(3).fill('GET /hooks'),
			...Array<string>(2).fill('DELETE /hooks/:id'),
		]);
	});

	it.each<[string, Fault, object]>([
		['deleted it before its connection was cut', { kind: 'cut' }, { deleted: true }],
		['deleted it before a 500', { kind: 'status', status: 500 }, { deleted: true }],
		[
			'not, after a 429',
			{ kind: 'status', status: 429 },
			{ error: textLike(/^The webhook hoo_gone was not found/) },
		],
	])('to delete a webhook that the retry does not find may have %s', async (_, fault, shown) => {
		world.service.addFault({ ...fault, match: { method: 'DELETE' } });
		const [item] = await world.run('delete', { webhookId: 'hoo_gone' }, { continueOnFail: true });
		expect(item?.json).toMatchObject(shown);
	});

	it('gives up after four attempts, with an error that describes the last one', async () => {
		world.service.addFault({ kind: 'status', status: 502, body: 'Bad gateway', times: 3 });
		world.service.addFault({ kind: 'status', status: 500, body: 'Out of order', times: 10 });
		const error = await world.fail('getAll');
		expect(error.message).toBe('The service could not carry out the request (status 500)');
		expect(error.description).toMatch('status 500: "Out of order"');
		const times = world.service.requests.map(({ at }) => at);
		expect(times).toHaveLength(4);
		expect(times[3]! - times[0]!).toBeGreaterThanOrEqual(3_500);
	});
});

it.each([
	['getAll', 302, {}],
	['delete', 307, { webhookId: 'hoo_1' }],
	['create', 307, { targetUrl: 'https://x.test', event: '*' }],
])('A redirect of %s is not followed, so that no other host gets the key', async (...given) => {
	const [operation, status, parameters] = given;
	const other = await startService({ apiKeys: [world.service.apiKey] });
	const headers = { location: `${other.baseUrl}/hooks` };
	world.service.addFault({ kind: 'status', status, headers, times: 3 });
	const error = await world.fail(operation, parameters);
	expect(error.description).toMatch(`It redirects to another URL (status ${status}).`);
	expect(other.requests).toEqual([]);
	await other.close();
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

	it('a create that fails is sent again, without a look at the list', async () => {
		const failure = Object.assign(new Error('It broke'), { code: 'ECONNREFUSED' });
		const { client } = requestsAfter(failure);
		const { _id } = await createWebhook(client, { targetUrl: 'https://a.test', event: '*' });
		expect(world.webhookIds).toEqual([_id]);
		expect(world.requests()).toEqual(['POST /hooks']);
	});

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

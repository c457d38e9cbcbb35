/**
 * D4: how the node handles every form in which the service can report that the rate limit is used up. The world is a
 * local service and the action node in one process of n8n.
 */
import type { Fault } from '../../../tools/service';
import { createClient } from '../../../nodes/OutreachService/api/client';
import { USER } from '../../../nodes/OutreachService/api/policy';
import { Runtime } from '../../../nodes/OutreachService/runtime/runtime';
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld();

/** What a client that gives up after two seconds fails with. */
const failureSoon = async () => {
	const policy = { ...USER, attempts: 4, budgetMs: 2000, timeoutMs: 5000 };
	const client = createClient(world.execution().context, new Runtime(), { policy });
	return await client.listWebhooks().catch((error: unknown) => error);
};
const GAVE_UP = {
	failure: 'rateLimit',
	message: 'The service refused because of its rate limit',
};
const refuse = (headers: Record<string, string>, more: Partial<Fault> = {}) =>
	world.service.addFault({
		kind: 'status',
		status: 429,
		body: 'Slow down',
		headers,
		...more,
	} as Fault);
/** The time between the first request and the last one, in milliseconds. */
const waitedMs = () => world.service.requests.at(-1)!.at - world.service.requests[0]!.at;
const CREATE = { targetUrl: 'https://crm.test/in', event: '*' };

describe('After a 429, the node', () => {
	it('waits until X-RateLimit-Reset, although the clock of the service is an hour behind', async () => {
		// Longer than the wait without a header.
		world.service.setSwitches({
			retryAfter: 'never',
			rateLimit: 'fixed',
			rateLimitRequests: 1,
			rateLimitWindowMs: 5_000,
		});
		world.service.addFault({ kind: 'clock', skewMs: -3_600_000, times: 10 });
		await world.run('getAll');
		await world.run('getAll');
		expect(world.requests().length).toBeLessThanOrEqual(4);
		expect(waitedMs()).toBeGreaterThanOrEqual(5000);
		expect(waitedMs()).toBeLessThan(12_000);
	});

	it('delays every request with the key, so that no other one is refused', async () => {
		refuse({ 'retry-after': '3' });
		const refused = world.run('getAll');
		await until(() => world.service.requests[0]?.status === 429);
		// Sends the others after the response has certainly arrived, and long before its Retry-After has passed.
		await new Promise((resolve) => setTimeout(resolve, 500));
		await Promise.all([refused, world.run('getAll'), world.run('getAll')]);
		expect(world.service.requests.map(({ status }) => status)).toEqual([429, 200, 200, 200]);
		expect(world.service.requests[1]!.at - world.service.requests[0]!.at).toBeGreaterThanOrEqual(
			3000,
		);
	});

	it('delays the others also if it gives up itself, because nobody waits that long for the result', async () => {
		refuse({ 'retry-after': '30' });
		const list = world.searchWebhooks();
		await expect(list).rejects.toMatchObject({ message: GAVE_UP.message });
		await Promise.all([world.run('getAll'), world.run('getAll')]);
		expect(world.service.requests.map(({ status }) => status)).toEqual([429, 200, 200]);
		expect(waitedMs()).toBeGreaterThanOrEqual(30_000);
	});

	it.each([
		['text', 'Slow down'],
		['JSON', '{"message":"Too many requests"}'],
		[
			'a web page of what is in front of the service',
			'<html><h1>429 Too Many Requests</h1></html>',
		],
	])(
		'sends a create again, because it was not carried out, when the body is %s',
		async (_, body) => {
			refuse({ 'retry-after': '1' }, { body, match: { method: 'POST' } });
			const [created] = await world.run('create', CREATE);
			expect(world.webhookIds).toEqual([created?.json._id]);
			expect(world.requests()).toEqual(['POST /hooks', 'POST /hooks']);
		},
	);

	it.each(['Slow down', '<html>Slow down'])(
		'gives up when the service keeps refusing with %s, with an error that says so',
		async (body) => {
			refuse({ 'retry-after': '0.2' }, { body, times: 1000 });
			expect(await failureSoon()).toMatchObject(GAVE_UP);
			expect(world.requests().length).toBeGreaterThan(2);
			expect(world.requests().length).toBeLessThan(8);
		},
	);
});

describe('Retry-After with another status', () => {
	it.each([503, 403])(
		'such as %d makes the node wait and retry a GET or a DELETE',
		async (status) => {
			const { _id } = world.addWebhook();
			const headers = { 'retry-after': '1' };
			refuse(headers, { status });
			await world.run('getAll');
			refuse(headers, { status });
			await world.run('delete', { webhookId: _id });
			expect(world.requests()).toEqual([
				'GET /hooks',
				'GET /hooks',
				'DELETE /hooks/:id',
				'DELETE /hooks/:id',
			]);
		},
	);

	it('does not make the node retry a create; it checks the list instead', async () => {
		refuse({ 'retry-after': '1' }, { status: 503 });
		const error = await world.fail('create', CREATE);
		expect(error.description).toMatch(
			/^Whether the new webhook was created is not known\..*status 503/,
		);
		expect(world.requests()).toEqual(['POST /hooks', 'GET /hooks']);
	});

	it.each([404, 503])('such as %d delays no other request', async (status) => {
		refuse({ 'retry-after': '20' }, { status, match: { method: 'POST' } });
		const failed = world.fail('create', CREATE);
		await until(() => world.service.requests[0]?.status === status);
		// Sends the other after the response has certainly arrived, and long before its Retry-After has passed.
		await new Promise((resolve) => setTimeout(resolve, 500));
		const other = { ...CREATE, targetUrl: 'https://crm.test/other' };
		await Promise.all([failed, world.run('create', other)]);
		expect(waitedMs()).toBeLessThan(10_000);
	});

	it.each([
		['Bad team', 400, 'Bad team'],
		['a refused key', 401, ''],
		['a redirect', 302, ''],
		['a webhook that is gone', 404, 'Webhook not found'],
	])('does not make the node retry after %s', async (_, status, body) => {
		refuse({ 'retry-after': '30' }, { status, body });
		expect(await world.fail('delete', { webhookId: 'hoo_1' })).toMatchObject({
			httpCode: String(status),
		});
		expect(world.requests()).toHaveLength(1);
	});
});

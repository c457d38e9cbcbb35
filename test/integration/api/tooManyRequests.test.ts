/** D4: how the node behaves when the service says that the limit is used up, however it says so. */
import type { Fault } from '../../../tools/service';
import { RequestError } from '../../../nodes/OutreachService/api/errors';
import { sendRequest } from '../support/request';
import { useWorld } from '../support/world';

const world = useWorld();

const SHORT = { requestMs: 5000, totalMs: 1000 };
const refuse = (headers: Record<string, string>, more: Partial<Fault> = {}) =>
	world.service.addFault({
		kind: 'status',
		status: 429,
		body: 'Slow down',
		headers,
		...more,
	} as Fault);
/** How long after the first request the last one came, in milliseconds. */
const waited = () => world.service.requests.at(-1)!.at - world.service.requests[0]!.at;
const CREATE = { targetUrl: 'https://crm.test/in', event: '*' };

describe('A refusal with 429', () => {
	it('is waited for as Retry-After says, in seconds', async () => {
		refuse({ 'retry-after': '1' });
		await world.run('getAll');
		expect(world.requests()).toHaveLength(2);
		expect(waited()).toBeGreaterThanOrEqual(1000);
	});

	it.each([
		['right', 0],
		['an hour behind', -3_600_000],
		['an hour ahead', 3_600_000],
	])('is waited for until X-RateLimit-Reset, with a clock that is %s', async (_, skewMs) => {
		world.service.setSwitches({ retryAfter: 'never', rateLimitRequests: 1 });
		world.service.addFault({ kind: 'clock', skewMs, times: 10 });
		await world.run('getAll');
		await world.run('getAll');
		expect(world.requests().length).toBeLessThanOrEqual(4);
		expect(waited()).toBeGreaterThanOrEqual(2000);
		expect(waited()).toBeLessThan(8000);
	});

	it.each([
		['no header', {}],
		['headers that make no sense', { 'retry-after': 'soon 5', 'x-ratelimit-reset': '-1' }],
		['a date that is over', { 'x-ratelimit-reset': 'Mon, 01 Jan 2001 00:00:00 GMT' }],
	])('is waited for as long as one window with %s', async (_, headers) => {
		world.service.setSwitches({ rateLimitHeaders: 'never' });
		refuse(headers);
		await world.run('getAll');
		expect(world.requests()).toHaveLength(2);
		expect(waited()).toBeGreaterThanOrEqual(2000);
		expect(waited()).toBeLessThan(8000);
	});

	it('is repeated for a create too, because it has done nothing', async () => {
		refuse({ 'retry-after': '0' }, { times: 3 });
		await world.run('create', CREATE);
		expect(world.requests()).toEqual(Array(4).fill('POST /hooks'));
		expect(world.webhooks).toHaveLength(1);
	});

	it('holds back everybody who uses the key, so that nobody else is refused', async () => {
		refuse({ 'retry-after': '3' });
		const refused = world.run('getAll');
		while (world.service.requests[0]?.status !== 429) await new Promise(setImmediate);
		// The answer is on its way now; the others come when it has surely arrived, and long before its time is up.
		await new Promise((resolve) => setTimeout(resolve, 500));
		await Promise.all([refused, world.run('getAll'), world.run('getAll')]);
		expect(world.service.requests.map(({ status }) => status)).toEqual([429, 200, 200, 200]);
		expect(world.service.requests[1]!.at - world.service.requests[0]!.at).toBeGreaterThanOrEqual(
			3000,
		);
	});

	it('ends in an error that says what to do when it goes on for too long', async () => {
		refuse({ 'retry-after': '0.2' }, { times: 1000 });
		const outcome = await sendRequest(world.execution(), { method: 'GET', path: '/hooks' }, SHORT);
		expect(outcome).toMatchObject({ kind: 'response', status: 429 });
		expect(RequestError.of(outcome, 'api.test').message).toBe(
			'The service kept refusing because of its rate limit',
		);
		expect(world.requests().length).toBeGreaterThan(2);
		expect(world.requests().length).toBeLessThan(8);
	});

	it('ends at once when the service asks for more time than there is', async () => {
		refuse({ 'retry-after': '3600' }, { times: 1000 });
		const outcome = await sendRequest(world.execution(), { method: 'GET', path: '/hooks' }, SHORT);
		expect(outcome).toMatchObject({ kind: 'response', status: 429 });
		expect(world.requests()).toHaveLength(1);
	});

	it('comes back less and less often to a service that always says "at once"', async () => {
		refuse({ 'retry-after': '0' }, { times: 1000 });
		const outcome = await sendRequest(world.execution(), { method: 'GET', path: '/hooks' }, SHORT);
		expect(outcome).toMatchObject({ kind: 'response', status: 429 });
		expect(world.requests().length).toBeLessThan(8);
	});
});

describe('Retry-After with another status', () => {
	it.each([503, 403, 420])('%d is a refusal for GET and DELETE', async (status) => {
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
	});

	it('is no reason to send a create again: the node looks instead', async () => {
		refuse({ 'retry-after': '1' }, { status: 503 });
		const error = await world.fail('create', CREATE);
		expect(error.description).toMatch(/status 503.*No webhook was created\.$/);
		expect(world.requests()).toEqual(['POST /hooks', 'GET /hooks']);
	});

	it('on a success means nothing', async () => {
		world.service.setSwitches({ retryAfter: 'always' });
		world.service.addFault({ kind: 'headers', headers: { 'retry-after': '30' }, times: 2 });
		await world.run('getAll');
		await world.run('create', CREATE);
		expect(world.requests()).toEqual(['GET /hooks', 'POST /hooks']);
	});

	it.each([
		['Bad team', 400, 'Bad team'],
		['a refused key', 401, ''],
	])('does not make the node repeat %s', async (_, status, body) => {
		refuse({ 'retry-after': '30' }, { status, body });
		expect(await world.fail('getAll')).toMatchObject({ httpCode: String(status) });
		expect(world.requests()).toHaveLength(1);
	});
});

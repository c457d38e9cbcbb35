/**
 * D4: what the node does when the service says that the rate limit is used up. Which wait a response asks for:
 * `test/unit/api/retry.test.ts`. The world is a local service and the action node in one process of n8n.
 */
import type { Fault } from '../../../tools/service';
import { createClient } from '../../../nodes/OutreachService/api/client';
import { USER } from '../../../nodes/OutreachService/api/policy';
import { Runtime } from '../../../nodes/OutreachService/runtime/runtime';
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld();

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

/** Waits until a first request has got a response with this status, and the node has certainly read it. */
async function afterResponse(status: number): Promise<void> {
	await until(() => world.service.requests[0]?.status === status);
	await new Promise((resolve) => setTimeout(resolve, 500));
}

it('A 429 delays every request with the key, so that no other one is refused', async () => {
	refuse({ 'retry-after': '3' });
	const refused = world.run('getAll');
	await afterResponse(429);
	await Promise.all([refused, world.run('getAll'), world.run('getAll')]);
	expect(world.service.requests.map(({ status }) => status)).toEqual([429, 200, 200, 200]);
	const [first, second] = world.service.requests;
	expect(second!.at - first!.at).toBeGreaterThanOrEqual(3000);
});

it('A 429 delays the others also if the request gives up itself, because nobody waits that long for it', async () => {
	refuse({ 'retry-after': '30' });
	const message = 'The service accepts no further request with this API key at the moment';
	await expect(world.searchWebhooks()).rejects.toMatchObject({ message });
	await Promise.all([world.run('getAll'), world.run('getAll')]);
	expect(world.service.requests.map(({ status }) => status)).toEqual([429, 200, 200]);
	expect(waitedMs()).toBeGreaterThanOrEqual(30_000);
});

it('A request gives up when the service keeps refusing, with an error that says so', async () => {
	refuse({ 'retry-after': '0.2' }, { times: 1000 });
	const policy = { ...USER, attempts: 4, budgetMs: 2000, timeoutMs: 5000 };
	const client = createClient(world.execution().context, new Runtime(), { policy });
	const error = await client.listWebhooks().catch((thrown: unknown) => thrown);
	expect(error).toMatchObject({ failure: 'rateLimit' });
	expect(world.requests().length).toBeGreaterThan(2);
	expect(world.requests().length).toBeLessThan(8);
});

it('A 503 with Retry-After delays a GET by so much, and no other request', async () => {
	refuse({ 'retry-after': '20' }, { status: 503, match: { method: 'GET' } });
	const list = world.run('getAll');
	await afterResponse(503);
	await world.run('create', CREATE);
	expect(waitedMs()).toBeLessThan(10_000);
	await list;
	expect(world.requests()).toEqual(['GET /hooks', 'POST /hooks', 'GET /hooks']);
	expect(waitedMs()).toBeGreaterThanOrEqual(20_000);
});

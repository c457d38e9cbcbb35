/**
 * §8.1, D4, D91 and D107, as the service sees them: how many requests it gets, and who waits for whom. Which slots the limiter
 * gives: `test/unit/api/rateLimiter.test.ts`; which wait a response asks for: `test/unit/api/retry.test.ts`. The world is a
 * local service and both nodes in one process of n8n.
 */
import { jsonOf } from '../support/action';
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld();

/** How many requests the service accepts while a person waits for twelve seconds: 20 in each two. */
const PATIENCE = 120;

const getMany = async () => jsonOf(await world.run('getAll'));
/** The time between the first request and the last one, in milliseconds. */
const waitedMs = () => world.service.requests.at(-1)!.at - world.service.requests[0]!.at;
const refuse = (status: number, seconds: number, more = {}) =>
	world.service.addFault({
		kind: 'status',
		status,
		headers: { 'retry-after': String(seconds) },
		...more,
	});

it('A 429 delays every request with the key, also if the request gives up itself, because nobody waits that long for it', async () => {
	refuse(429, 30);
	const message = 'The service accepts no further request with this API key at the moment';
	await expect(world.searchWebhooks()).rejects.toMatchObject({ message });
	await Promise.all([getMany(), getMany()]);
	expect(world.service.requests.map(({ status }) => status)).toEqual([429, 200, 200]);
	expect(waitedMs()).toBeGreaterThanOrEqual(30_000);
});

it('A request has its slot until its response has come, and for the two seconds of the limit after that', async () => {
	world.delay('GET', 1_500, { times: 20 });
	await Promise.all(Array.from({ length: 25 }, getMany));
	const [first, later] = [world.service.requests[0]!, world.service.requests[20]!];
	expect(later.at - first.at).toBeGreaterThanOrEqual(3_500);
});

it('Refusals do not count as failed attempts, of which a request still has four', async () => {
	refuse(429, 1, { times: 4 });
	world.service.addFault({ kind: 'status', status: 500, times: 3 });
	await getMany();
	expect(world.requests()).toHaveLength(8);
});

it('A request gives up two minutes after its first attempt, however often it is asked to wait', async () => {
	refuse(503, 30, { times: 10 });
	await world.fail('getAll');
	expect(world.requests()).toHaveLength(4);
});

it('A 503 with Retry-After delays a GET by so much, and no other request', async () => {
	refuse(503, 20, { match: { method: 'GET' } });
	const list = getMany();
	await until(() => world.service.requests[0]?.status === 503);
	// The response has certainly arrived.
	await new Promise((resolve) => setTimeout(resolve, 500));
	await world.run('create', { targetUrl: 'https://crm.test/in', event: '*' });
	expect(waitedMs()).toBeLessThan(10_000);
	await list;
	expect(world.requests()).toEqual(['GET /hooks', 'POST /hooks', 'GET /hooks']);
	expect(waitedMs()).toBeGreaterThanOrEqual(20_000);
});

describe('While more than a hundred executions wait in one process', () => {
	it('each of them succeeds in the end, and none says that the service is busy', async () => {
		const { _id } = world.addWebhook();
		// Each refusal stops the queue for half a minute: the last one waits for longer than the 120 s of an item.
		for (let refusals = 0; refusals < 5; refusals++) refuse(429, 30, { skip: 20 * refusals });
		const results = await Promise.all(Array.from({ length: 120 }, getMany));
		expect(results.map((webhooks) => webhooks.map((one) => one._id))).toEqual(
			Array(120).fill([_id]),
		);
		expect(world.requests()).toHaveLength(125);
		expect(world.service.refused).toEqual([]);
	}, 300_000);

	it('a trigger is activated, a list opens and a credential is tested within seconds', async () => {
		const waiting = Array.from({ length: 140 }, getMany);
		await until(() => world.requests().length >= 19);
		const before = world.requests().length;
		await world.activeTrigger(['emailsReplied', 'emailsBounced', 'paused']);
		await world.searchWebhooks();
		expect(await world.testCredential()).toMatchObject({ status: 'OK' });
		expect(world.requests().length - before).toBeLessThan(PATIENCE);
		expect(world.webhookTypes).toEqual(['emailsReplied', 'emailsBounced', 'paused']);
		await Promise.all(waiting);
	}, 120_000);
});

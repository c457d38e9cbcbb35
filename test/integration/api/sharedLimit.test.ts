/** §8.1, with the service as the judge: it counts what arrives with each key, and refuses what is too much. */
import { byId, jsonOf, runAction } from '../support/action';
import { useWorld } from '../support/world';

const world = useWorld();

const asMany = (count: number) => ({ items: Array.from({ length: count }, () => ({})) });
const WITHIN_LIMIT = { refused: 0, maxStartsInWindow: 20 };

describe('The limit of 20 requests in 2 seconds', () => {
	it('is used up and never passed by one execution', async () => {
		await world.run('getAll', {}, asMany(45));
		expect(world.service.stats()).toEqual({ ...WITHIN_LIMIT, requests: 45 });
		const times = world.service.requests.map(({ at }) => at);
		// Two windows have to pass for 45 requests; a node that idles would need another.
		expect(times.at(-1)! - times[0]!).toBeGreaterThanOrEqual(4000);
		expect(times.at(-1)! - times[0]!).toBeLessThan(6000);
	});

	it('is shared by executions that run at the same time', async () => {
		await Promise.all([1, 2, 3].map(async () => await world.run('getAll', {}, asMany(15))));
		expect(world.service.stats()).toEqual({ ...WITHIN_LIMIT, requests: 45 });
	});

	it('is counted for each key: one does not slow down the other', async () => {
		world.service.addApiKey('second');
		const { baseUrl } = world.service;
		const list = { resource: 'webhook', operation: 'getAll' };
		const busy = world.run('getAll', {}, asMany(60));
		while (world.service.stats(world.service.apiKey).requests < 20) await new Promise(setImmediate);
		await runAction({ baseUrl, apiKey: 'second' }, list, asMany(20));
		expect(world.service.stats(world.service.apiKey).requests).toBeLessThan(60);
		await busy;
		expect(world.service.stats()).toEqual({ ...WITHIN_LIMIT, requests: 80 });
	});

	it('is shared by credentials that write the same base URL in another way', async () => {
		const { baseUrl, apiKey } = world.service;
		const list = { resource: 'webhook', operation: 'getAll' };
		const spellings = [baseUrl, baseUrl.replace('http', 'HTTP'), `${baseUrl}/`, ` ${baseUrl}//`];
		await Promise.all(
			spellings.map(
				async (spelling) => await runAction({ baseUrl: spelling, apiKey }, list, asMany(8)),
			),
		);
		expect(world.service.stats()).toEqual({ ...WITHIN_LIMIT, requests: 32 });
	});

	it('is kept by an operation that sends many requests for one item', async () => {
		for (let i = 0; i < 30; i++) world.addWebhook();
		await world.run('deleteMany', { filters: { event: '*' }, dryRun: false });
		expect(world.webhooks).toEqual([]);
		expect(world.service.stats()).toEqual({ ...WITHIN_LIMIT, requests: 31 });
	});

	it('is kept although some answers are slow', async () => {
		world.service.addFault({ kind: 'delay', delayMs: 400, share: 0.3 });
		await world.run('getAll', {}, asMany(45));
		expect(world.service.stats()).toEqual({
			requests: 45,
			refused: 0,
			maxStartsInWindow: expect.any(Number) as number,
		});
		expect(world.service.stats().maxStartsInWindow).toBeLessThanOrEqual(20);
	});
});

it('gives the items in the order of the input, whatever the order of the answers', async () => {
	const hooks = Array.from({ length: 12 }, () => world.addWebhook());
	world.service.addFault({ kind: 'delay', delayMs: 200, share: 0.4 });
	const items = await world.run(
		'delete',
		{ webhookId: byId('={{ $json.id }}') },
		{ items: hooks.map(({ _id }) => ({ id: _id })) },
	);
	expect(jsonOf(items).map(({ _id }) => _id)).toEqual(hooks.map(({ _id }) => _id));
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual(hooks.map((_, item) => ({ item })));
});

/**
 * §8.1, as the service sees it: it counts the requests of each key, and refuses those over the limit. The world is a
 * local service and the action node in one process of n8n.
 */
import { useFineClock } from '../../clock';
import { byId, jsonOf } from '../support/action';
import { until } from '../support/until';
import { useWorld } from '../support/world';

useFineClock();
const world = useWorld();

let created = 0;
const nextItem = () => {
	created += 1;
	return { number: created };
};
/** A create for each item sends a request of its own, while all items share a list. */
const CREATE = { targetUrl: '=https://crm.test/{{ $json.number }}', event: '*' };
const asMany = (count: number) => ({
	items: Array.from({ length: count }, nextItem),
});
const WITHIN_LIMIT = { refused: 0, maxStartsInWindow: 20 };

describe('The limit of 20 requests in 2 seconds', () => {
	it('is used fully and never exceeded by one execution', async () => {
		await world.run('create', CREATE, asMany(45));
		expect(world.service.stats()).toEqual({ ...WITHIN_LIMIT, requests: 45 });
		const times = world.service.requests.map(({ at }) => at);
		// 45 requests need two windows to pass; a node that waits longer than necessary would need another one.
		expect(times.at(-1)! - times[0]!).toBeGreaterThanOrEqual(4000);
		expect(times.at(-1)! - times[0]!).toBeLessThan(6000);
	});

	it('applies to each key separately: one does not slow down another', async () => {
		world.service.addApiKey('second');
		const { baseUrl } = world.service;
		const busy = world.run('create', CREATE, asMany(60));
		await until(() => world.service.stats(world.service.apiKey).requests >= 20);
		const credential = { baseUrl, apiKey: 'second' };
		await world.run('create', CREATE, { ...asMany(20), credential });
		expect(world.service.stats(world.service.apiKey).requests).toBeLessThan(60);
		await busy;
		expect(world.service.stats()).toEqual({ ...WITHIN_LIMIT, requests: 80 });
	});

	it('is shared by credentials with different spellings of the same base URL', async () => {
		const { baseUrl, apiKey } = world.service;
		const spellings = [baseUrl, baseUrl.replace('http', 'HTTP'), `${baseUrl}/`, ` ${baseUrl}//`];
		await Promise.all(
			spellings.map(
				async (spelling) =>
					await world.run('create', CREATE, {
						...asMany(8),
						credential: { baseUrl: spelling, apiKey },
					}),
			),
		);
		expect(world.service.stats()).toEqual({ ...WITHIN_LIMIT, requests: 32 });
	});
});

it('Items are returned in the order of the input, whatever the order of the responses', async () => {
	const webhooks = Array.from({ length: 12 }, () => world.addWebhook());
	world.service.addFault({ kind: 'delay', delayMs: 200, share: 0.4 });
	const items = await world.run(
		'delete',
		{ webhookId: byId('={{ $json.id }}') },
		{ items: webhooks.map(({ _id }) => ({ id: _id })) },
	);
	expect(jsonOf(items).map(({ _id }) => _id)).toEqual(webhooks.map(({ _id }) => _id));
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual(webhooks.map((_, item) => ({ item })));
});

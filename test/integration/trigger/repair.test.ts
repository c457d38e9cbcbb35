/**
 * The check of an active workflow restores what is missing, makes room for it, and disturbs nothing that happens at the same time.
 * The world is a local service and triggers in one process of n8n.
 */
import type { TriggerHost } from '../support/trigger';
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld();

const TWO = ['emailsReplied', 'smsReplied'];

/** An active workflow whose webhooks are checked at every tick of its cron job. */
const activeTrigger = async (events = TWO): Promise<TriggerHost> =>
	await world.activeTrigger(events, { repairMinutes: 1 });

/** The event of the first webhook starts the workflow. */
async function expectDelivery(host: TriggerHost): Promise<void> {
	await world.service.emit({ type: 'emailsReplied' });
	expect(host.started).toHaveLength(1);
}

it.each<[string, (id: string) => unknown]>([
	['missing', (id) => world.service.removeHook(id)],
	['disabled', (id) => world.service.disableHook(id)],
])('A webhook that is %s is created again once, and delivers immediately', async (_, harm) => {
	const host = await activeTrigger();
	const [harmed, other] = world.webhookIds;
	harm(harmed!);
	await host.check();
	const [kept, restored] = world.webhooks;
	expect([kept?._id, restored?.type, world.webhooks.length]).toEqual([other, 'emailsReplied', 2]);
	await expectDelivery(host);
	expect(await world.requestsOf(async () => await host.check())).toEqual(['GET /hooks']);
	const warnings = world.warnings();
	await host.deactivate();
	expect([world.webhooks, warnings()]).toEqual([[], []]);
});

describe('The check', () => {
	it.each(['oncePerTeam', 'update'] as const)(
		'keeps a webhook that the list did not show once, where there is no second one at a URL (%s), and reports no loss',
		async (hookUrls) => {
			const host = await activeTrigger(['emailsReplied']);
			world.service.setSwitches({ hookUrls });
			const before = world.webhookIds;
			world.respondOnce('GET', []);
			await host.check(2);
			expect(await world.requestsOf(async () => await host.check())).toEqual(['GET /hooks']);
			expect([world.webhookIds, host.failedExecutions]).toEqual([before, []]);
		},
	);

	it('does nothing while the one before still waits for the service', async () => {
		const host = await activeTrigger();
		world.delay('GET', 300);
		const requests = await world.requestsOf(async () => {
			host.tick();
			await host.check();
		});
		expect(requests).toEqual(['GET /hooks']);
	});

	it.each<[string, (host: TriggerHost) => Promise<unknown>]>([
		['a deactivation', async (host) => await host.deactivate()],
		['n8n has closed the trigger: another process takes over', async (host) => await host.close()],
	])('does nothing after %s, even if n8n lets the cron job tick once more', async (_, end) => {
		const host = await activeTrigger();
		await end(host);
		for (const id of world.webhookIds) world.service.removeHook(id);
		expect(await world.requestsOf(async () => await host.check())).toEqual([]);
	});

	it('is asked for every minute at a second of its own, but is off with Repair Interval 0 and in a test run', async () => {
		const off = await world.activeTrigger(['emailsReplied'], { repairMinutes: 0 });
		expect(off.schedules).toEqual([expect.stringMatching(/^[1-5]?\d \* \* \* \* \*$/)]);
		await off.check();
		world.service.removeHook(world.webhooks[0]!._id);
		expect(await world.requestsOf(async () => await off.check())).toEqual([]);
		const test = await world.activeTrigger(['emailsReplied'], {}, { mode: 'manual' });
		expect(test.schedules).toEqual([]);
	});

	it.each(['GET', 'DELETE'])(
		'whose %s gets no response does not delay a deactivation',
		async (method) => {
			const host = await activeTrigger();
			world.service.disableHook(world.webhooks[0]!._id);
			world.delay(method, 600_000);
			host.tick();
			await until(() => world.service.requests.at(-1)!.faults.length > 0);
			const from = performance.now();
			await host.deactivate();
			expect(performance.now() - from).toBeLessThan(12_000);
			expect([world.webhooks, host.isKnownToProcess]).toEqual([[], false]);
		},
	);
});

it.each([
	['for all events', ['*']],
	['of a lead state', ['emailsReplied', 'warmed']],
])(
	'A webhook %s that is no longer selected, and that the service refuses to remove, starts no second run of an event',
	async (_, events) => {
		const host = await world.activeTrigger(events);
		host.reload({ events: ['emailsReplied'] });
		world.refuse('DELETE', 403, 99);
		await host.restart();
		expect(world.webhooks).toHaveLength(2);
		await expectDelivery(host);
		expect(host.statuses).toEqual([200, 200]);
	},
);

describe('A repair', () => {
	it('creates each of many webhooks that it may, although the first is refused, and that one later', async () => {
		const events = ['emailsReplied', 'smsReplied', 'networkReplied', 'warmed', 'paused', 'hooked'];
		const host = await activeTrigger(events);
		for (const id of world.webhookIds) world.service.removeHook(id);
		world.refuse('POST', 400);
		for (const count of [events.length - 1, events.length]) {
			await host.check();
			expect(world.webhooks).toHaveLength(count);
		}
	});

	it('is continued each minute while a webhook cannot be removed, even with Repair Interval 0', async () => {
		const host = await world.activeTrigger(['emailsReplied'], { repairMinutes: 0 });
		world.service.disableHook(world.webhookIds[0]!);
		world.refuse('DELETE', 403, 3);
		await host.activate('init');
		for (const count of [2, 2, 1]) {
			await host.check();
			expect(world.webhooks).toHaveLength(count);
		}
		expect(await world.requestsOf(async () => await host.check())).toEqual([]);
	});

	it('uses the room of a disabled webhook in a team that has no room for another one', async () => {
		const host = await activeTrigger();
		world.service.setSwitches({ maxHooks: 2 });
		const [disabled] = world.webhookIds;
		world.service.disableHook(disabled!);
		await host.check();
		expect(world.webhooks.map((webhook) => webhook.disabled)).toEqual([false, false]);
		expect(world.webhookIds).not.toContain(disabled);
		await expectDelivery(host);
	});

	it('keeps a webhook that delivers, while somebody else has taken the room', async () => {
		const host = await activeTrigger();
		world.service.removeHook(world.webhookIds[0]!);
		world.addWebhook({ targetUrl: 'https://somebody.test', type: 'warmed' });
		const before = world.webhookIds;
		world.service.setSwitches({ maxHooks: 2 });
		await host.check();
		expect(world.webhookIds).toEqual(before);
	});

	it('replaces a webhook that somebody restored by hand, where the service allows a target URL only once', async () => {
		const host = await activeTrigger(['emailsReplied']);
		const { _id, targetUrl } = world.webhooks[0]!;
		world.service.removeHook(_id);
		const restored = world.addWebhook({ targetUrl, type: 'emailsReplied' });
		world.service.setSwitches({ hookUrls: 'oncePerTeam' });
		await host.check();
		expect(world.webhookTypes).toEqual(['emailsReplied']);
		expect(world.webhookIds).not.toContain(restored._id);
		await expectDelivery(host);
		// It did not have the secret, so its deliveries were refused.
		expect(host.reports).toEqual([expect.stringContaining('were missing at the service')]);
	});
});

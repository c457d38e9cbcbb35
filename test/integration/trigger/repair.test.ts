/**
 * The check of an active workflow restores what is missing, makes room for it, and disturbs nothing that happens at the same time.
 * The world is a local service and triggers in one process of n8n.
 */
import type { HookView } from '../../../tools/service';
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld();

/** An active workflow whose webhooks are checked at every tick of its cron job. */
async function activeTrigger(events = ['emailsReplied', 'smsReplied']) {
	const host = await world.activeTrigger(events, { repairMinutes: 1 });
	return { host, ...(await host.startTrigger()) };
}

describe('A webhook that is missing or disabled while the workflow is active', () => {
	it.each<[string, (id: string) => unknown]>([
		['missing', (id) => world.service.removeHook(id)],
		['disabled', (id) => world.service.disableHook(id)],
	])('(%s) is created again once, and delivers immediately', async (_, harm) => {
		const { host, check } = await activeTrigger();
		const [harmed, other] = world.webhookIds;
		harm(harmed!);
		await check();
		const [kept, restored] = world.webhooks;
		expect([kept?._id, restored?.type, world.webhooks.length]).toEqual([other, 'emailsReplied', 2]);
		await world.service.emit({ type: 'emailsReplied' });
		expect(host.started).toHaveLength(1);
		const since = world.service.requests.length;
		const warn = world.spyOnWarnings();
		await check();
		expect(world.requests(since)).toEqual(['GET /hooks']);
		await host.deactivate();
		expect(world.webhooks).toEqual([]);
		expect(warn).not.toHaveBeenCalled();
	});
});

describe('The check', () => {
	it.each(['oncePerTeam', 'update'] as const)(
		'keeps a webhook that the list did not show once, where there is no second one at a URL (%s), and reports no loss',
		async (hookUrls) => {
			const { host, check } = await activeTrigger(['emailsReplied']);
			world.service.setSwitches({ hookUrls });
			const before = world.webhookIds;
			world.respondOnce('GET', []);
			await check(2);
			const since = world.service.requests.length;
			await check();
			expect(world.requests(since)).toEqual(['GET /hooks']);
			expect(world.webhookIds).toEqual(before);
			expect(host.failedExecutions).toEqual([]);
		},
	);

	it('does nothing while the one before still waits for the service', async () => {
		const { host, tick } = await activeTrigger();
		world.service.addFault({ kind: 'delay', delayMs: 300 });
		const since = world.service.requests.length;
		tick();
		tick();
		await host.settled();
		expect(world.requests(since)).toEqual(['GET /hooks']);
	});

	it.each<[string, (given: Awaited<ReturnType<typeof activeTrigger>>) => Promise<unknown>, number]>(
		[
			[
				'a deactivation, even if n8n lets the cron job tick once more',
				async ({ host }) => await host.deactivate(),
				0,
			],
			[
				'n8n has closed the trigger: another process takes over',
				async ({ close }) => {
					await close();
					world.service.removeHook(world.webhookIds[0]!);
				},
				1,
			],
		],
	)('does nothing after %s', async (_, end, left) => {
		const given = await activeTrigger();
		await end(given);
		const since = world.service.requests.length;
		await given.check();
		expect(world.requests(since)).toEqual([]);
		expect(world.webhooks).toHaveLength(left);
	});

	it('is asked for every minute at a second of its own, but is off with Repair Interval 0 and in a test run', async () => {
		const off = await world.activeTrigger(['emailsReplied'], { repairMinutes: 0 });
		world.service.removeHook(world.webhooks[0]!._id);
		const since = world.service.requests.length;
		const { check, schedules } = await off.startTrigger();
		expect(schedules).toEqual([expect.stringMatching(/^[1-5]?\d \* \* \* \* \*$/)]);
		await check();
		expect(world.requests(since)).toEqual([]);
		const test = await world.trigger(['emailsReplied'], {}, { mode: 'manual' });
		expect((await test.startTrigger('manual')).schedules).toEqual([]);
	});
});

it.each(['GET', 'DELETE'])(
	'A check whose request gets no response does not delay a deactivation: %s',
	async (method) => {
		const { host, tick, close } = await activeTrigger();
		world.service.disableHook(world.webhooks[0]!._id);
		world.service.addFault({ kind: 'delay', delayMs: 600_000, match: { method } });
		tick();
		await until(() => world.service.requests.at(-1)!.faults.length > 0);
		const from = performance.now();
		await Promise.all([close(), host.deactivate()]);
		expect(performance.now() - from).toBeLessThan(12_000);
		expect(world.webhooks).toEqual([]);
		expect(host.isKnownToProcess).toBe(false);
	},
);

describe('A webhook that is no longer selected, and that the service refuses to remove', () => {
	it.each([
		['for all events', ['*']],
		['of a lead state', ['emailsReplied', 'warmed']],
	])('starts no second run of an event: one %s', async (_, events) => {
		const host = await world.activeTrigger(events);
		host.moveToNewProcess();
		host.reload({ events: ['emailsReplied'] });
		world.service.addFault({ kind: 'status', status: 403, times: 99, match: { method: 'DELETE' } });
		await host.activate('init');
		expect(world.webhooks).toHaveLength(2);
		const deliveries = await world.service.emit({ type: 'emailsReplied' });
		expect(deliveries.map(({ status }) => status)).toEqual([200, 200]);
		expect(host.started).toHaveLength(1);
	});
});

describe('A repair', () => {
	it('creates each of many webhooks that it may, although the first is refused, and that one later', async () => {
		const events = ['emailsReplied', 'smsReplied', 'networkReplied', 'warmed', 'paused', 'hooked'];
		const { check } = await activeTrigger(events);
		for (const id of world.webhookIds) world.service.removeHook(id);
		world.service.addFault({ kind: 'status', status: 400, match: { method: 'POST' } });
		await check();
		expect(world.webhooks).toHaveLength(events.length - 1);
		await check();
		expect(world.webhooks).toHaveLength(events.length);
	});

	it('is continued each minute while a webhook cannot be removed, even with Repair Interval 0', async () => {
		const host = await world.activeTrigger(['emailsReplied'], { repairMinutes: 0 });
		world.service.disableHook(world.webhookIds[0]!);
		const match = { method: 'DELETE' };
		world.service.addFault({ kind: 'status', status: 403, times: 3, match });
		await host.activate('init');
		const { check } = await host.startTrigger('init');
		for (const count of [2, 2, 1]) {
			await check();
			expect(world.webhooks).toHaveLength(count);
		}
		const since = world.service.requests.length;
		await check();
		expect(world.requests(since)).toEqual([]);
	});
});

describe('A repair in a team that has no room for another webhook', () => {
	const EVENTS = ['emailsReplied', 'smsReplied'];

	it('uses the room of a disabled webhook', async () => {
		const { host, check } = await activeTrigger(EVENTS);
		world.service.setSwitches({ maxHooks: 2 });
		const [disabled] = world.webhookIds;
		world.service.disableHook(disabled!);
		await check();
		expect(world.webhooks.map((webhook) => webhook.disabled)).toEqual([false, false]);
		expect(world.webhookIds).not.toContain(disabled);
		await world.service.emit({ type: 'emailsReplied' });
		expect(host.started).toHaveLength(1);
	});

	it('keeps a webhook that delivers, while somebody else has taken the room', async () => {
		const { check } = await activeTrigger(EVENTS);
		world.service.removeHook(world.webhookIds[0]!);
		world.addWebhook({ targetUrl: 'https://somebody.test', type: 'warmed' });
		const before = world.webhookIds;
		world.service.setSwitches({ maxHooks: 2 });
		await check();
		expect(world.webhookIds).toEqual(before);
	});
});

describe('A repair where the service allows a target URL only once', () => {
	it('replaces a webhook at its URL that somebody restored by hand', async () => {
		const { host, check } = await activeTrigger(['emailsReplied']);
		const [{ _id, targetUrl }] = world.webhooks as [HookView];
		world.service.removeHook(_id);
		const restored = world.addWebhook({ targetUrl, type: 'emailsReplied' });
		world.service.setSwitches({ hookUrls: 'oncePerTeam' });
		await check();
		expect(world.webhookTypes).toEqual(['emailsReplied']);
		expect(world.webhookIds).not.toContain(restored._id);
		await world.service.emit({ type: 'emailsReplied' });
		expect(host.started).toHaveLength(1);
		// It did not have the secret, so its deliveries were refused.
		expect(host.reports).toEqual([expect.stringContaining('were missing at the service')]);
	});
});

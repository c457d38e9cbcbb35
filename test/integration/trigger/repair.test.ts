/**
 * The check of an active workflow restores what is missing, and disturbs nothing that happens at the same time. The
 * world is a local service and triggers in one process of n8n.
 */
import type { Fault } from '../../../tools/service';
import { post } from '../support/post';
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
	it.each([{ maxHooks: 1 }, { hookUrls: 'oncePerTeam' as const }])(
		'keeps a webhook that the list did not show once, where a second one is refused: %j',
		async (switches) => {
			const { host, check } = await activeTrigger(['emailsReplied']);
			world.service.setSwitches(switches);
			const before = world.webhooks;
			world.respondOnce('GET', []);
			await check();
			await check();
			const since = world.service.requests.length;
			await check();
			expect(world.requests(since)).toEqual(['GET /hooks']);
			expect(world.webhooks).toEqual(before);
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
				'a deactivation that failed',
				async ({ host }) => {
					world.service.addFault({ kind: 'status', status: 401 });
					await host.deactivate();
					world.service.removeHook(world.webhookIds[0]!);
				},
				1,
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

	it('restores no webhook that is being removed at the same time', async () => {
		const { host, tick } = await activeTrigger();
		const removal = host.deactivate();
		tick();
		await removal;
		await host.settled();
		expect(world.webhooks).toEqual([]);
	});

	it('does nothing for a workflow whose activation failed', async () => {
		const host = await world.trigger(['emailsReplied'], { repairMinutes: 1 });
		world.service.addFault({ kind: 'status', status: 400, match: { method: 'POST' } });
		await expect(host.activate()).rejects.toThrow('status 400');
		const { check } = await host.startTrigger();
		await check();
		expect(world.webhooks).toEqual([]);
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

it.each<[string, boolean, Fault]>([
	['the list', true, { kind: 'delay', delayMs: 600_000, match: { method: 'GET' } }],
	[
		'the list, before n8n has closed the trigger',
		false,
		{ kind: 'delay', delayMs: 600_000, match: { method: 'GET' } },
	],
	['a removal', true, { kind: 'delay', delayMs: 600_000, match: { method: 'DELETE' } }],
])(
	'A check whose request gets no response does not delay a deactivation: %s',
	async (_, isClosed, fault) => {
		const { host, tick, close } = await activeTrigger();
		world.service.disableHook(world.webhooks[0]!._id);
		world.service.addFault(fault);
		tick();
		await until(() => world.service.requests.at(-1)!.faults.length > 0);
		const from = performance.now();
		await Promise.all([isClosed ? close() : undefined, host.deactivate()]);
		expect(performance.now() - from).toBeLessThan(12_000);
		expect(world.webhooks).toEqual([]);
		expect(host.isKnownToProcess).toBe(false);
	},
);

it.each(['a check', 'an activation'])(
	'A deactivation does not wait for a create of %s, and what that still creates is removed',
	async (change) => {
		const { host, tick, close } = await activeTrigger(['emailsReplied']);
		if (change === 'an activation') await host.deactivate();
		else world.service.removeHook(world.webhooks[0]!._id);
		world.service.addFault({ kind: 'delay', delayMs: 8_000, match: { method: 'POST' } });
		let created = 0;
		world.service.onHooksChange(() => {
			created += world.webhooks.length;
		});
		const since = world.service.requests.length;
		const errors: unknown[] = [];
		let activation: Promise<unknown> = Promise.resolve();
		if (change === 'a check') tick();
		else activation = host.call('create').catch((error: unknown) => errors.push(error));
		await until(() => world.requests(since).includes('POST /hooks'));
		await Promise.all([close(), host.deactivate()]);
		expect([created, host.isKnownToProcess]).toEqual([0, false]);
		await until(() => created === 1 && world.webhooks.length === 0);
		expect(world.requests(since).filter((request) => request === 'POST /hooks')).toHaveLength(1);
		await activation;
		const cancelled = { message: 'The request was cancelled' };
		expect(errors).toMatchObject(change === 'an activation' ? [cancelled] : []);
	},
);

it('The webhooks of several checks are all replaced after a change of the API key', async () => {
	const { host, check } = await activeTrigger(['emailsReplied', 'smsReplied']);
	for (let checks = 0; checks < 2; checks++) {
		world.service.removeHook(world.webhooks[0]!._id);
		await check();
	}
	const before = new Set(world.webhookIds);
	world.useKey(host, 'new-key');
	await check();
	expect(world.webhookIds.filter((id) => before.has(id))).toEqual([]);
});

it('A webhook that the service refuses to remove is logged once, also when it was never registered or after another one', async () => {
	const { check } = await activeTrigger(['emailsReplied']);
	const { targetUrl, type } = world.webhooks[0]!;
	world.service.addFault({ kind: 'status', status: 403, times: 9, match: { method: 'DELETE' } });
	const warn = world.spyOnWarnings();
	for (const isNew of [true, false, true, false]) {
		if (isNew) world.addWebhook({ targetUrl, type });
		await check();
	}
	expect(warn.mock.calls.map(([message]) => message)).toEqual(
		Array(2).fill(expect.stringMatching(/^The webhook \S+ of "Trigger" could not be removed: /)),
	);
});

it('A webhook that the service refuses to remove adds nothing to the static data at each start', async () => {
	const { host } = await activeTrigger(['emailsReplied']);
	const { targetUrl, type } = world.webhooks[0]!;
	world.addWebhook({ targetUrl, type });
	world.service.addFault({ kind: 'status', status: 403, times: 99, match: { method: 'DELETE' } });
	const before = host.savedStaticData;
	for (let starts = 0; starts < 3; starts++) {
		host.moveToNewProcess();
		await host.activate('init');
	}
	expect(host.savedStaticData).toEqual(before);
});

it('A webhook of a repair goes on working after a change of the API key, even if it was disabled meanwhile', async () => {
	const { host, check } = await activeTrigger(['emailsReplied']);
	// The static data does not have its secret.
	world.useKey(host, 'second-key');
	world.service.removeHook(world.webhookIds[0]!);
	await check();
	await world.service.emit({ type: 'emailsReplied' });
	const { _id, targetUrl } = world.webhooks[0]!;
	world.useKey(host, 'third-key');
	world.service.addFault({ kind: 'status', status: 503, times: 99, match: { method: 'POST' } });
	world.service.disableHook(_id);
	await check();
	// Somebody enables it again.
	const { status } = await post(targetUrl, host.bodies[0]!);
	expect(status).toBe(200);
});

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

describe('A check that gets no response', () => {
	async function waitingCheck() {
		const { host, tick } = await activeTrigger();
		world.service.removeHook(world.webhookIds[0]!);
		world.service.addFault({ kind: 'delay', delayMs: 100_000, match: { method: 'GET' } });
		tick();
		await until(() => world.service.requests.at(-1)!.faults.length > 0);
		return host;
	}

	/** A test run of the same node. */
	const testOf = async ({ node, workflow }: Awaited<ReturnType<typeof waitingCheck>>, more = {}) =>
		await world.trigger(['emailsReplied'], more, {
			mode: 'manual',
			id: workflow.id,
			node: { id: node.id, webhookId: 'test' },
		});

	it('holds up no test run of the same node', async () => {
		const host = await waitingCheck();
		const test = await testOf(host);
		const since = performance.now();
		await test.activate('manual');
		await test.deactivate();
		const sample = await testOf(host, { testWith: 'sampleEvent' });
		await sample.activate('manual');
		await sample.deactivate();
		expect(performance.now() - since).toBeLessThan(10_000);
		await host.deactivate();
	});

	it('goes on when a test run of the same node ends', async () => {
		const host = await waitingCheck();
		const test = await testOf(host);
		const ended = test.deactivate();
		await host.settled();
		await ended;
		expect(world.webhooks).toHaveLength(2);
	});
});

it('A main process that is no longer the leader forgets its nodes after a minute, unless it leads again', async () => {
	const [left, again] = [await activeTrigger(), await activeTrigger()];
	await again.host.startTrigger('leadershipChange');
	for (const { close } of [left, again]) await close();
	const now = performance.now();
	jest.spyOn(performance, 'now').mockReturnValue(now + 61_000);
	await activeTrigger(['networkReplied']);
	expect([left, again].map(({ host }) => host.isKnownToProcess)).toEqual([false, true]);
});

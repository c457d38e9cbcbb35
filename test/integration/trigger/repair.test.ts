/**
 * The check of an active workflow restores what is missing, makes room for it, and disturbs nothing that happens at the same time.
 * The world is a local service and triggers in one process of n8n.
 */
import type { Fault, HookView } from '../../../tools/service';
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

it('A check that gets no response holds up no test run of the same node, and goes on when that ends', async () => {
	const { host, tick } = await activeTrigger();
	world.service.removeHook(world.webhookIds[0]!);
	world.service.addFault({ kind: 'delay', delayMs: 100_000, match: { method: 'GET' } });
	tick();
	await until(() => world.service.requests.at(-1)!.faults.length > 0);
	const { node, workflow } = host;
	const test = await world.trigger(
		['emailsReplied'],
		{},
		{
			mode: 'manual',
			id: workflow.id,
			node: { id: node.id, webhookId: 'test' },
		},
	);
	const since = performance.now();
	await test.activate('manual');
	await test.call('delete');
	expect(performance.now() - since).toBeLessThan(10_000);
	await test.removal();
	await host.settled();
	expect(world.webhooks).toHaveLength(2);
});

describe('A repair', () => {
	it('keeps the successors of two disabled webhooks when the removal of one is refused', async () => {
		const { host, check } = await activeTrigger(['emailsReplied', 'smsReplied']);
		const disabled = world.webhookIds;
		for (const id of disabled) world.service.disableHook(id);
		world.service.addFault({ kind: 'status', status: 403, match: { method: 'DELETE' } });
		await check();
		const successors = world.webhookIds.filter((id) => !disabled.includes(id));
		expect(successors).toHaveLength(2);
		expect(world.webhooks).toHaveLength(3);
		const since = world.service.requests.length;
		await check();
		expect(world.webhookIds).toEqual(successors);
		expect(world.requests(since)).toEqual(['GET /hooks', 'DELETE /hooks/:id']);
		for (const type of ['emailsReplied', 'smsReplied']) await world.service.emit({ type });
		expect(host.started).toHaveLength(2);
	});

	it('reports no removal as failed that succeeds at the second attempt', async () => {
		const { check } = await activeTrigger(['emailsReplied', 'smsReplied']);
		const disabled = world.webhookIds;
		for (const id of disabled) world.service.disableHook(id);
		// There is room for one successor, so both old webhooks are to make room for the other one.
		world.service.setSwitches({ maxHooks: 3 });
		world.service.addFault({ kind: 'status', status: 403, match: { method: 'DELETE' } });
		const warn = world.spyOnWarnings();
		await check();
		expect(world.webhookIds.filter((id) => disabled.includes(id))).toEqual([]);
		expect(world.webhooks).toHaveLength(2);
		const aboutRemovals = expect.stringContaining('could not be removed') as unknown;
		expect(warn).not.toHaveBeenCalledWith(aboutRemovals, expect.anything());
	});

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

	/** Fills the place of the first webhook with one at a target URL of the node. */
	const replaceFirst = (type: string | undefined) => {
		const [first] = world.webhooks;
		world.service.removeHook(first!._id);
		const targetUrl = first!.targetUrl.replace(/event=\w+/, `event=${type ?? '*'}`);
		return world.addWebhook({ targetUrl, ...(type === undefined ? {} : { type }) })._id;
	};

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

	it('uses the room of a webhook of the node that serves no event any more', async () => {
		const { check } = await activeTrigger(EVENTS);
		replaceFirst('warmed');
		world.service.setSwitches({ maxHooks: 2 });
		await check();
		expect(world.webhookTypes).toEqual(['smsReplied', 'emailsReplied']);
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

const isOf = (method: string) => (request: string) => request.startsWith(method);

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
	});

	it('leaves nothing behind when the workflow is deactivated during its DELETE after a refusal', async () => {
		const { host, check } = await activeTrigger(['emailsReplied']);
		const [{ _id, targetUrl }] = world.webhooks as [HookView];
		world.service.removeHook(_id);
		world.addWebhook({ targetUrl, type: 'emailsReplied' });
		world.service.setSwitches({ hookUrls: 'oncePerTeam' });
		world.service.addFault({ kind: 'delay', delayMs: 200, match: { method: 'DELETE' } });
		const before = world.service.requests.length;
		const checked = check();
		await until(() => world.requests(before).filter(isOf('DELETE')).length > 0, 5_000);
		await host.deactivate();
		await checked;
		expect(world.requests(before).filter(isOf('POST'))).toHaveLength(1);
		expect(world.webhooks).toEqual([]);
	});

	it('reports the loss of a disabled webhook that was removed, although its successor is refused at first', async () => {
		const { host, check } = await activeTrigger(['emailsReplied']);
		await check();
		world.service.setSwitches({ hookUrls: 'oncePerTeam' });
		world.service.disableHook(world.webhookIds[0]!);
		world.service.addFault({ kind: 'status', status: 503, skip: 1, match: { method: 'POST' } });
		await check();
		expect(world.webhooks).toEqual([]);
		await check();
		await check();
		expect(world.webhookTypes).toEqual(['emailsReplied']);
		expect(host.failedExecutions.map(({ message }) => message)).toEqual([
			expect.stringMatching(/created them again. Their events: Email: Reply Received$/) as string,
		]);
	});
});

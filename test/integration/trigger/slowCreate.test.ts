/**
 * A create without a clear outcome stays open, and no second one is sent for its target URL (D112). Whatever becomes of a
 * create, the loss of the webhook that it replaces is reported once (D112). The world is a local service and one trigger in one
 * process of n8n.
 */
import type { Fault, HookView } from '../../../tools/service';
import { passTime } from '../support/passTime';
import { SLOW_MS } from '../support/slowMs';
import type { TriggerHost } from '../support/trigger';
import { until } from '../support/until';
import { useWorld } from '../support/world';
import { OPEN_MINUTES } from '../support/openMinutes';

const world = useWorld({ switches: { rateLimit: 'off' } });

const POST = { match: { method: 'POST' } } as const;

/** Longer than a check or an activation waits for a response. */
const SLOW: Fault = { kind: 'delay', delayMs: SLOW_MS, times: 100, ...POST };

const posts = (): number => world.requests().filter((one) => one.startsWith('POST')).length;

/** Lets so many minutes pass, with a check in each. */
async function minutes(count: number, check: () => Promise<void>): Promise<void> {
	for (let minute = 0; minute < count; minute++) {
		await passTime(60_000);
		await check();
	}
}

describe('At a service that takes 15 seconds for a create', () => {
	it('a check creates one webhook, and each event runs once even with duplicates allowed', async () => {
		const options = { repairMinutes: 1, duplicateMemory: 'off' };
		const host = await world.activeTrigger(['emailsReplied'], options);
		const { check } = await host.startTrigger();
		world.service.removeHook(world.webhookIds[0]!);
		world.service.addFault(SLOW);
		const before = posts();
		await check();
		await minutes(5, check);
		expect(world.webhooks).toHaveLength(1);
		expect(posts() - before).toBe(1);
		await world.service.emit({ type: 'emailsReplied' });
		expect(host.started).toHaveLength(1);
	}, 120_000);

	it('an activation succeeds as soon as n8n tries again, with the webhook of the first attempt', async () => {
		const host = await world.trigger(['emailsReplied']);
		world.service.addFault(SLOW);
		await expect(host.call('create')).rejects.toMatchObject({
			message: expect.stringMatching(/did not respond in time/) as string,
			description: expect.stringMatching(/creates no second one meanwhile/) as string,
		});
		await host.call('delete');
		await host.call('create');
		expect([world.webhooks.length, posts()]).toEqual([1, 1]);
		await host.removal();
		await world.service.emit({ type: 'emailsReplied' });
		expect(host.started).toHaveLength(1);
	});

	it('an activation that is tried again goes live with what is left, instead of failing for as long as a create is open', async () => {
		const host = await world.trigger(['emailsReplied', 'smsReplied'], { repairMinutes: 1 });
		world.service.addFault({ kind: 'gateway', who: 'timeout', ...POST });
		await expect(host.call('create')).rejects.toThrow('status 504');
		await host.call('delete');
		await host.call('create');
		const { check } = await host.startTrigger();
		expect(host.isKnownToProcess).toBe(true);
		expect(posts()).toBe(2);
		await check();
		expect(host.failedExecutions).toEqual([]);
		await minutes(1, check);
		// After two checks, the user learns that a webhook is missing.
		expect(host.failedExecutions).toHaveLength(1);
		await minutes(OPEN_MINUTES, check);
		expect(world.webhooks).toHaveLength(2);
	}, 120_000);

	it('nothing stays behind when the workflow is deactivated three seconds after the create was sent', async () => {
		const host = await world.activeTrigger(['emailsReplied'], { repairMinutes: 1 });
		const { tick } = await host.startTrigger();
		world.service.removeHook(world.webhookIds[0]!);
		world.service.addFault(SLOW);
		const before = posts();
		tick();
		await until(() => posts() > before);
		await new Promise((resolve) => setTimeout(resolve, 3_000));
		await host.deactivate();
		await passTime(30_000);
		await until(() => world.webhooks.length === 0);
		await passTime(120_000);
		expect(world.webhooks).toEqual([]);
	});

	it('nothing stays behind when a test run ends before', async () => {
		const host = await world.trigger(['emailsReplied'], {}, { mode: 'manual' });
		world.service.addFault(SLOW);
		const created = host.call('create', 'manual').catch(() => undefined);
		await until(() => posts() > 0);
		await created;
		await host.call('delete');
		await until(() => world.webhooks.length === 1);
		await until(() => world.webhooks.length === 0);
	});
});

it('Checks whose creates the rate limit holds up for longer than they wait are reported with the rate limit as the reason', async () => {
	const host = await world.activeTrigger(['emailsReplied'], { repairMinutes: 1 });
	const { check } = await host.startTrigger();
	world.service.removeHook(world.webhookIds[0]!);
	world.service.addFault({
		kind: 'status',
		status: 429,
		headers: { 'retry-after': '15' },
		times: 100,
		...POST,
	});
	await minutes(3, check);
	const [failed] = host.failedExecutions;
	expect(failed?.description).toContain('The service refused because of its rate limit');
	expect(failed?.description).not.toContain('did not respond in time');

	world.service.clearFaults();
	await minutes(3, check);
	expect(world.webhooks).toHaveLength(1);
});

it.each([
	['while the next check waits for it', 0],
	['before the next check', 20_000],
])('The loss that a start finds is reported, although its create ends %s', async (_, pauseMs) => {
	const host = await world.activeTrigger(['emailsReplied'], { repairMinutes: 1 });
	world.service.removeHook(world.webhookIds[0]!);
	world.service.addFault({ kind: 'delay', delayMs: SLOW_MS, ...POST });
	host.moveToNewProcess();
	await host.activate('init');
	await passTime(pauseMs);
	const { check } = await host.startTrigger('init');
	await check();
	await check();
	expect(host.failedExecutions.map(({ message }) => message)).toEqual([
		expect.stringContaining('was missing at the service and has been created again'),
	]);
});

describe('The loss of a webhook whose create gets no response in time is reported once', () => {
	const losses = { deleted: 'removeHook', disabled: 'disableHook' } as const;
	const outcomes: Record<string, Fault> = {
		'ends before the next check': { kind: 'delay', delayMs: 45_000, ...POST },
		'ends while the next check waits for it': { kind: 'delay', delayMs: 65_000, ...POST },
		'only the list tells': { kind: 'status', status: 504, when: 'after', ...POST },
	};
	const lists = { 'the list is up to date': 0, 'the list comes from a cache': 50_000 };
	const services = { 'makes a second webhook': 'shared', 'updates webhooks': 'update' } as const;
	const cases = Object.entries(losses).flatMap(([loss, lose]) =>
		Object.entries(outcomes).flatMap(([outcome, fault]) =>
			Object.entries(lists).flatMap(([list, listDelayMs]) =>
				Object.entries(services).map(([service, hookUrls]) => ({
					title: [loss, outcome, list, service].join(', '),
					lose,
					fault,
					switches: { listDelayMs, hookUrls },
				})),
			),
		),
	);

	it.each(cases)('$title', async ({ lose, fault, switches }) => {
		world.service.setSwitches(switches);
		const host = await world.activeTrigger(['emailsReplied'], { repairMinutes: 1 });
		const { check } = await host.startTrigger();
		await minutes(2, check);
		world.service[lose](world.webhookIds[0]!);
		world.service.addFault(fault);
		await minutes(OPEN_MINUTES + 2, check);
		const restored = host.failedExecutions.filter(({ message }) =>
			message.includes('created again'),
		);
		expect(restored).toHaveLength(1);
	});
});

describe('The loss of a webhook', () => {
	const restored = ({ failedExecutions }: TriggerHost): string[] =>
		failedExecutions.map(({ message }) => message).filter((one) => one.includes('created again'));

	/** The next list is as if somebody had changed or removed a webhook, which is there again in the one after it. */
	function changeNextList(change: (listed: HookView[]) => HookView[]): void {
		const body = JSON.stringify(change(world.webhooks));
		world.service.addFault({ kind: 'status', status: 200, body, match: { method: 'GET' } });
	}

	async function activeTrigger(events = ['emailsReplied']) {
		const host = await world.activeTrigger(events, { repairMinutes: 1 });
		return { host, ...(await host.startTrigger()) };
	}

	it.each(['removeHook', 'disableHook'] as const)(
		'is reported once if its create was sent twice, and both webhooks appear late (%s)',
		async (lose) => {
			const { host, check } = await activeTrigger();
			await minutes(2, check);
			world.service.setSwitches({ listDelayMs: 30_000 });
			world.service[lose](world.webhookIds[0]!);
			await passTime(40_000);
			world.service.addFault({ kind: 'cut', when: 'after', ...POST });
			await check();
			await minutes(5, check);
			expect(restored(host)).toHaveLength(1);
		},
	);

	it('is reported if it vanishes while the create is open that was sent because a list had not shown it', async () => {
		const { host, check } = await activeTrigger();
		const [own] = world.webhookIds;
		changeNextList(() => []);
		world.service.addFault({ kind: 'delay', delayMs: 40_000, ...POST });
		await check();
		await passTime(5_000);
		await check();
		world.service.removeHook(own!);
		await minutes(4, check);
		expect(restored(host)).toHaveLength(1);
	});

	it('is not reported if its event is deselected before the create is known to have worked', async () => {
		const { host, check, close } = await activeTrigger(['emailsReplied', 'smsReplied']);
		await minutes(1, check);
		world.service.disableHook(world.webhookIds[1]!);
		world.service.addFault({ kind: 'status', status: 504, when: 'after', ...POST });
		await minutes(1, check);
		await close();
		await host.publish({ ...host.node.parameters, events: ['emailsReplied'] });
		await minutes(3, (await host.startTrigger('update')).check);
		expect(restored(host)).toEqual([]);
	});

	it('is not reported if the webhook works again before the create ends', async () => {
		const { host, check } = await activeTrigger();
		await minutes(1, check);
		changeNextList((listed) => listed.map((one) => ({ ...one, disabled: true })));
		world.service.addFault({ kind: 'delay', delayMs: 85_000, ...POST });
		await minutes(4, check);
		expect(restored(host)).toEqual([]);
		expect(world.webhooks).toHaveLength(1);
	});

	it('is reported once if the disabled webhook is in the way of the new one, and cannot be removed at first', async () => {
		world.service.setSwitches({ hookUrls: 'oncePerTeam' });
		const { host, check } = await activeTrigger();
		await minutes(1, check);
		world.service.disableHook(world.webhookIds[0]!);
		const failure = { kind: 'status', status: 503, times: 2, match: { method: 'DELETE' } } as const;
		world.service.addFault(failure);
		await minutes(4, check);
		expect(restored(host)).toHaveLength(1);
	});

	it('is reported once if the disabled webhook cannot be removed after it was replaced', async () => {
		const { host, check } = await activeTrigger();
		await minutes(1, check);
		const [disabled] = world.webhookIds;
		world.service.disableHook(disabled!);
		world.service.addFault({ kind: 'status', status: 503, times: 9, match: { method: 'DELETE' } });
		await minutes(3, check);
		expect(world.webhookIds).toContain(disabled);
		world.service.removeHook(disabled!);
		world.service.clearFaults();
		await minutes(3, check);
		expect(restored(host)).toHaveLength(1);
	});
});

it('A create that is sent again after a cut connection, and whose response is lost, too, makes the webhook of the node', async () => {
	const host = await world.activeTrigger(['emailsReplied'], { repairMinutes: 1 });
	const { check } = await host.startTrigger();
	world.service.removeHook(world.webhookIds[0]!);
	world.service.addFault({ kind: 'cut', when: 'before', ...POST });
	world.service.addFault({ kind: 'status', status: 504, when: 'after', ...POST });
	const before = posts();
	await minutes(4, check);
	expect([world.webhooks.length, posts() - before]).toEqual([1, 2]);
	const reports = host.failedExecutions.map(({ message }) => message);
	expect(reports.filter((message) => !message.includes('was missing'))).toEqual([]);
	await world.service.emit({ type: 'emailsReplied' });
	expect(host.started).toHaveLength(1);
});

it('A removal ends with its next list when the create that it waits for was refused', async () => {
	const host = await world.activeTrigger(['emailsReplied'], { repairMinutes: 1 });
	const { tick } = await host.startTrigger();
	world.service.removeHook(world.webhookIds[0]!);
	world.service.addFault({ kind: 'delay', delayMs: 3_000, ...POST });
	world.service.addFault({ kind: 'status', status: 400, ...POST });
	const before = posts();
	tick();
	await until(() => posts() > before);
	await host.deactivate();
	// It lists once more, a minute later.
	await passTime(90_000);
	const since = world.service.requests.length;
	await passTime(180_000);
	expect(world.requests(since)).toEqual([]);
	expect(world.n8n.runtime.openCreates.size).toBe(0);
});

it.each([408, 504, 524])(
	'A gateway that gives up with status %d does not end the create behind it: no second one is sent',
	async (status) => {
		const host = await world.activeTrigger(['emailsReplied'], { repairMinutes: 1 });
		const { check } = await host.startTrigger();
		const { targetUrl, type, _id } = world.webhooks[0]!;
		world.service.removeHook(_id);
		world.service.addFault({ kind: 'status', status, ...POST });
		const before = posts();
		await check();
		await minutes(3, check);
		expect([world.webhooks.length, posts() - before]).toEqual([0, 1]);
		// What the service makes in the end.
		const late = world.addWebhook({ targetUrl, type });
		await check();
		expect(world.webhookIds).toEqual([late._id]);
		expect(posts() - before).toBe(1);
	},
	120_000,
);

it('A webhook is not taken for the result of a create with another API key', async () => {
	const host = await world.trigger(['emailsReplied'], { repairMinutes: 1 });
	for (const key of ['key-one', 'key-two']) {
		world.useKey(host, key);
		world.service.addFault({ kind: 'status', status: 504, ...POST });
		await expect(host.call('create')).rejects.toThrow('status 504');
		await host.call('delete');
	}
	// That of the first key, whose deliveries nobody accepts any more.
	const targetUrl = `${host.webhookUrl}?event=emailsReplied`;
	const ofFirstKey = world.addWebhook({ targetUrl, type: 'emailsReplied' });
	await host.call('create');
	const { check } = await host.startTrigger();
	await minutes(OPEN_MINUTES + 2, check);
	expect(world.webhookIds).not.toContain(ofFirstKey._id);
	await world.service.emit({ type: 'emailsReplied' });
	expect([world.webhooks.length, host.started.length]).toEqual([1, 1]);
}, 120_000);

it('After ten minutes without an outcome, the create is sent again', async () => {
	const host = await world.activeTrigger(['emailsReplied'], { repairMinutes: 1 });
	const { check } = await host.startTrigger();
	world.service.removeHook(world.webhookIds[0]!);
	world.service.addFault({ kind: 'status', status: 504, ...POST });
	await check();
	await minutes(OPEN_MINUTES - 1, check);
	expect(world.webhooks).toEqual([]);
	await minutes(3, check);
	expect(world.webhooks).toHaveLength(1);
}, 120_000);

it('A webhook that appears after a deactivation whose create had no outcome is removed within a minute', async () => {
	const host = await world.activeTrigger(['emailsReplied'], { repairMinutes: 1 });
	const { check } = await host.startTrigger();
	const { targetUrl, type, _id } = world.webhooks[0]!;
	world.service.removeHook(_id);
	world.service.addFault({ kind: 'status', status: 504, ...POST });
	await check();
	await host.deactivate();
	world.addWebhook({ targetUrl, type });
	await passTime(61_000);
	await until(() => world.webhooks.length === 0);
});

it('A webhook of a check whose create has failed is removed after a deactivation, however late the list is', async () => {
	const host = await world.activeTrigger(['emailsReplied'], { repairMinutes: 1 });
	const { check, close } = await host.startTrigger();
	world.service.removeHook(world.webhookIds[0]!);
	world.service.setSwitches({ listDelayMs: 30_000 });
	await passTime(30_000);
	world.service.addFault({ kind: 'status', status: 502, when: 'after', ...POST });
	await check();
	await close();
	await host.deactivate();
	expect(world.webhooks).toHaveLength(1);
	await passTime(61_000);
	await until(() => world.webhooks.length === 0);
});

it('A removal that waits for a create leaves the webhooks alone that another main process has registered since', async () => {
	const host = await world.activeTrigger(['emailsReplied', 'smsReplied'], { repairMinutes: 1 });
	const { check } = await host.startTrigger();
	world.service.removeHook(world.webhookIds[0]!);
	world.service.addFault({ kind: 'status', status: 504, ...POST });
	await check();
	await host.deactivate();
	host.moveToNewProcess(host.savedStaticData, world.otherProcess());
	await host.activate();
	const ofOther = world.webhookIds;
	expect(world.webhookTypes).toEqual(['emailsReplied', 'smsReplied']);
	await passTime((OPEN_MINUTES + 1) * 60_000);
	expect(world.webhookIds).toEqual(ofOther);
	// Neither does the first process keep anything of the workflow, nor of the create.
	await (await world.activeTrigger(['paused'], {}, { id: 'another' })).deactivate();
	expect(world.n8n.runtime.stats()).toMatchObject({ triggerNodes: 0, locks: 0 });
}, 120_000);

it.each([
	['removed if another main process has deactivated the workflow', true, 0],
	['left to the process that leads if the workflow is active', false, 1],
])(
	'A webhook that appears after n8n has ended the trigger here is %s',
	async (_, hasLostListener, count) => {
		const host = await world.activeTrigger(['emailsReplied']);
		const { tick, close } = await host.startTrigger();
		world.service.removeHook(world.webhookIds[0]!);
		world.service.addFault(SLOW);
		jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_600_000);
		tick();
		await until(() => world.n8n.runtime.openCreates.size === 1);
		await close();
		host.hasLostListener = hasLostListener;
		await until(() => world.n8n.runtime.openCreates.size === 0);
		await host.settled();
		expect(world.webhooks).toHaveLength(count);
	},
);

it('A delivery of a webhook is accepted before the response to its create arrives, without the credential', async () => {
	const host = await world.activeTrigger(['emailsReplied'], { repairMinutes: 1 });
	const { tick } = await host.startTrigger();
	world.service.removeHook(world.webhookIds[0]!);
	world.service.addFault({ kind: 'drip', everyMs: 200, ...POST });
	tick();
	await until(() => world.webhooks.length === 1);
	host.failCredentialReads(new Error('The database is away'));
	await world.service.emit({ type: 'emailsReplied' });
	expect(host.started).toHaveLength(1);
});

describe('While a create that takes long is open', () => {
	/** Longer than it takes until the other node is active. */
	const VERY_SLOW: Fault = { kind: 'delay', delayMs: 40_000, ...POST };

	it('no webhook of another node, which has the path of this one now, is taken for its result', async () => {
		const options = { repairMinutes: 1 };
		const host = await world.activeTrigger(['emailsReplied'], options, { id: 'w' });
		const { tick, close } = await host.startTrigger();
		world.service.removeHook(world.webhookIds[0]!);
		world.service.addFault(VERY_SLOW);
		const before = posts();
		tick();
		await until(() => posts() > before);
		await close();
		await host.call('delete', 'update');
		const next = await world.trigger(['emailsReplied'], options, { id: 'w', node: { name: 'Y' } });
		next.shareUrlsOf(host);
		await next.activate('update');
		await passTime(120_000);
		await host.settled();
		expect(world.webhooks).toHaveLength(1);
	});
});

it('A create whose webhook has been removed with another key does not hold back the one after the return to its key', async () => {
	const host = await world.trigger(['emailsReplied'], { repairMinutes: 1 });
	world.useKey(host, 'key-a', 'tea_a');
	await host.activate();
	const { check, close } = await host.startTrigger();
	await check();
	world.service.removeHook(world.webhookIds[0]!);
	world.service.addFault({ kind: 'status', status: 504, ...POST });
	await minutes(1, check);
	// What the service makes in the end.
	const targetUrl = `${host.webhookUrl}?event=emailsReplied`;
	world.addWebhook({ targetUrl, type: 'emailsReplied', team: 'tea_a' });
	world.useKey(host, 'key-b', 'tea_a');
	await minutes(1, check);
	expect(world.webhooks).toHaveLength(1);
	await close();
	await host.deactivate();
	world.useKey(host, 'key-a', 'tea_a');
	await host.activate();
	expect(world.webhooks).toHaveLength(1);
});

it('A late create that updates the webhook of another active node in place leaves it alone', async () => {
	world.service.setSwitches({ hookUrls: 'update' });
	const host = await world.activeTrigger(['emailsReplied'], { repairMinutes: 1 }, { id: 'w' });
	const { check, tick, close } = await host.startTrigger();
	await check();
	world.service.removeHook(world.webhookIds[0]!);
	world.service.addFault({ kind: 'delay', delayMs: 40_000, ...POST });
	await passTime(60_000);
	tick();
	await until(() => world.n8n.runtime.openCreates.size === 1);
	await close();
	await host.call('delete', 'update');
	const next = await world.trigger(['emailsReplied'], {}, { id: 'w', node: { name: 'Y' } });
	next.shareUrlsOf(host);
	await next.activate('update');
	const ofNext = world.webhookIds;
	await passTime(120_000);
	await host.settled();
	expect(ofNext).toHaveLength(1);
	expect(world.webhookIds).toEqual(ofNext);
});

it.each([
	['does not have its key again', false],
	['has its key again', true],
])(
	'A slow response says nothing of a webhook that has been removed with another key, if the node %s',
	async (_, isAgain) => {
		const [first, second] = ['first-key', 'second-key'];
		const host = await world.trigger(['emailsReplied'], { repairMinutes: 1 });
		world.useKey(host, first, 'tea_a');
		await host.activate();
		const { check, tick, close } = await host.startTrigger();
		await check();
		world.service.removeHook(world.webhookIds[0]!);
		world.service.addFault({ kind: 'drip', everyMs: 500, ...POST });
		await passTime(60_000);
		tick();
		await until(() => world.webhooks.length === 1);
		await new Promise((resolve) => setTimeout(resolve, 11_000));
		await host.settled();
		world.useKey(host, second, 'tea_a');
		if (!isAgain) world.service.removeApiKey(first);
		const warn = world.spyOnWarnings();
		await check();
		expect(world.webhooks).toHaveLength(1);
		if (isAgain) world.useKey(host, first, 'tea_a');
		await check();
		const reports = host.failedExecutions.length;
		await until(() => world.n8n.runtime.openCreates.size === 0);
		await minutes(2, check);
		expect([world.webhooks.length, host.failedExecutions.length]).toEqual([1, reports]);
		const warnings = warn.mock.calls.map(([text]) => text);
		expect(warnings.filter((text) => text.includes('after the workflow'))).toEqual([]);
		await close();
		await host.deactivate();
	},
);

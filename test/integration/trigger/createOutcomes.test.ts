/**
 * A create whose outcome is not known holds back a second one for ten minutes, a lost response is looked for in the list, and a
 * list that does not show what exists costs no second webhook (D112). The world is a local service and one trigger in one
 * process of n8n.
 */
import { EVENT_TYPES, type Fault } from '../../../tools/service';
import { textLike } from '../support/matchers';
import { OPEN_MINUTES } from '../support/openMinutes';
import { passTime } from '../support/passTime';
import type { TriggerHost } from '../support/trigger';
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld({ switches: { rateLimit: 'off' } });

const TWO = ['emailsReplied', 'smsReplied'];

const EVERY_MINUTE = { repairMinutes: 1, duplicateMemory: 'off' };

const POST = { match: { method: 'POST' } } as const;

const posts = (): number => world.requests().filter((one) => one.startsWith('POST')).length;

const restored = (host: TriggerHost): string[] =>
	host.reports.filter((one) => one.includes('created them again'));

/** Lets minutes pass, with the check of each. */
async function pass(host: TriggerHost, minutes: number): Promise<void> {
	for (let minute = 0; minute < minutes; minute++) {
		await passTime(60_000);
		await host.check();
	}
}

/** An active workflow that runs each delivery, and whose webhook a check has found, and somebody has deleted then. */
async function withoutWebhook(): Promise<TriggerHost> {
	const host = await world.activeTrigger(['emailsReplied'], EVERY_MINUTE);
	await host.check();
	world.service.removeHook(world.webhookIds[0]!);
	world.service.clearRequests();
	return host;
}

/** Each event runs once. */
async function expectEachRunsOnce(host: TriggerHost, events: readonly string[]): Promise<void> {
	host.started.length = 0;
	for (const type of events) await world.service.emit({ type });
	expect(host.started).toHaveLength(events.length);
}

/** Nothing is left at the service, nor in the memory of n8n. */
async function expectNothingLeft(): Promise<void> {
	await passTime(200_000);
	await until(() => world.webhooks.length === 0);
	await passTime((OPEN_MINUTES + 1) * 60_000);
	expect(world.webhooks).toEqual([]);
	expect(world.n8n.runtime.stats()).toMatchObject({ triggerNodes: 0, bases: 0 });
}

describe.each<[string, Fault]>([
	// Longer than a check or an activation waits for a response.
	['takes 15 s', { kind: 'delay', delayMs: 15_000, times: 100, ...POST }],
	// A gateway gives up, and the service behind it has carried out the create.
	[
		'responds through a gateway that gives up',
		{ kind: 'status', status: 504, when: 'after', times: 100, ...POST },
	],
])('At a service that %s', (_, fault) => {
	it('an activation is no failure: the workflow is active, with one webhook for each event', async () => {
		const host = await world.trigger(TWO, EVERY_MINUTE);
		world.service.addFault(fault);
		await host.activate();
		expect(host.isKnownToProcess).toBe(true);
		await pass(host, 5);
		expect(world.webhookTypes.sort()).toEqual(TWO);
		expect([posts(), host.reports]).toEqual([2, []]);
		await expectEachRunsOnce(host, TWO);
	});

	it('an activation leaves all but the first five creates to the checks, so that it ends in time', async () => {
		const events = EVENT_TYPES.slice(0, 12);
		const host = await world.trigger(events, EVERY_MINUTE);
		world.service.addFault(fault);
		await host.activate();
		expect(posts()).toBe(5);
		await pass(host, 5);
		expect(world.webhookTypes.sort()).toEqual([...events].sort());
		expect(posts()).toBe(events.length);
	});

	it('a check creates one webhook in place of a lost one, and tells the loss once', async () => {
		const host = await withoutWebhook();
		world.service.addFault(fault);
		await pass(host, 5);
		expect([world.webhooks.length, posts()]).toEqual([1, 1]);
		expect(restored(host)).toHaveLength(1);
		await expectEachRunsOnce(host, ['emailsReplied']);
	});

	it('nothing stays behind after a deactivation while the create is under way', async () => {
		const host = await withoutWebhook();
		world.service.addFault(fault);
		host.tick();
		await until(() => posts() > 0);
		await host.deactivate();
		await expectNothingLeft();
	});
});

it('A create that a gateway gives up on is sent again after ten minutes, and reported as missing after two checks', async () => {
	const host = await withoutWebhook();
	world.refuse('POST', 408);
	await pass(host, OPEN_MINUTES - 1);
	expect([world.webhooks.length, posts()]).toEqual([0, 1]);
	expect(host.reports).toEqual([
		'1 webhook of "Trigger" cannot be created at the service: Email: Reply Received',
	]);
	await pass(host, 4);
	expect(world.webhooks).toHaveLength(1);
	expect(restored(host)).toHaveLength(1);
});

it.each<Array<'before' | 'after'>>([['before'], ['after'], ['before', 'after']])(
	'A create whose connection is cut off %j the service has carried it out ends in one webhook, in the same check',
	async (...cuts) => {
		const host = await withoutWebhook();
		for (const when of cuts) world.service.addFault({ kind: 'cut', when, ...POST });
		const warnings = world.warnings();
		await host.check();
		expect(world.webhooks).toHaveLength(1);
		expect(warnings()).toEqual([textLike(/^Webhooks of "Trigger" were missing/)]);
		await expectEachRunsOnce(host, ['emailsReplied']);
	},
);

it('A create of a published change whose response is lost replaces the earlier webhook in the same change', async () => {
	const host = await world.activeTrigger(['emailsBounced'], { campaignId: 'cam_1' });
	world.service.addFault({ kind: 'cut', when: 'after', ...POST });
	await host.publish({ events: ['emailsBounced'], options: { campaignId: 'cam_2' } });
	expect(world.webhooks).toMatchObject([{ campaignId: 'cam_2' }]);
});

it.each<[string, () => unknown]>([
	['responds to creates with nothing', () => world.service.setSwitches({ createStatus: 204 })],
	[
		'cuts its responses to creates off',
		() => world.service.addFault({ kind: 'half', times: 100, ...POST }),
	],
])('At a service that %s, an activation sends each of many creates once', async (_, begin) => {
	begin();
	const events = EVENT_TYPES.slice(0, 12);
	await world.activeTrigger(events);
	expect(world.webhookTypes.sort()).toEqual([...events].sort());
	expect(posts()).toBe(events.length);
});

it('A webhook of a failed activation that the list shows only later is removed', async () => {
	const host = await world.trigger(['emailsReplied']);
	world.service.setSwitches({ listDelayMs: 100_000 });
	world.service.addFault({ kind: 'cut', when: 'after', times: 2, ...POST });
	await expect(host.activate()).rejects.toThrow('was cut off');
	await expectNothingLeft();
});

it('Creates that the rate limit holds up for longer than a check waits are reported with the rate limit as the reason', async () => {
	const host = await withoutWebhook();
	const headers = { 'retry-after': '15' };
	world.service.addFault({ kind: 'status', status: 429, headers, times: 100, ...POST });
	await pass(host, 3);
	expect(host.failedExecutions).toMatchObject([
		{ description: textLike(/The service accepts no further request with this API key/) },
	]);
	world.service.clearFaults();
	await pass(host, 3);
	expect(world.webhooks).toHaveLength(1);
});

it('A webhook whose create ends while the removal removes another one is removed, too', async () => {
	const host = await world.trigger(TWO);
	world.service.setSwitches({ listDelayMs: 100_000 });
	// The activation and the removal's wait for n8n take 14 seconds.
	world.delay('POST', 13_500);
	world.delay('POST', 19_000, { skip: 1 });
	world.delay('DELETE', 9_000);
	await host.activate();
	await host.call('delete', 'update');
	await until(() => world.requests().includes('DELETE /hooks/:id'));
	await expectNothingLeft();
});

it.each(['GET', 'POST'])(
	'A deactivation during the %s of an activation makes it fail, and nothing stays behind',
	async (method) => {
		const host = await world.trigger(['emailsReplied']);
		const superfluous = `${host.webhookUrl}?event=smsReplied&keyId=123456789abc`;
		world.addWebhook({ targetUrl: superfluous, type: 'smsReplied' });
		world.delay(method, 5_000);
		const attempt = expect(host.call('create')).rejects.toThrow('The request was cancelled');
		await until(() => world.requests().some((one) => one.startsWith(method)));
		await host.call('delete');
		await attempt;
		await expectNothingLeft();
	},
);

it('A start of n8n stops a removal that has begun: it removes no webhook that works', async () => {
	const host = await world.activeTrigger(['emailsReplied']);
	const before = world.webhookIds;
	const since = world.requests().length;
	// n8n calls it when another node of the workflow fails, and starts the workflow again a moment later.
	await host.call('delete', 'init');
	world.delay('GET', 5_000);
	await until(() => world.requests().length > since);
	await host.call('create', 'init');
	await host.removal();
	expect(world.webhookIds).toEqual(before);
	expect(host.isKnownToProcess).toBe(true);
});

it('A list that never shows the webhooks of the node costs no webhook too many, one report, and then nothing; and each event runs', async () => {
	// A list of the first page, which others fill.
	for (let others = 0; others < 5; others++) world.addWebhook();
	world.service.setSwitches({ listPageSize: 5 });
	const host = await world.activeTrigger(TWO, EVERY_MINUTE);
	await pass(host, 9);
	expect(world.webhooks).toHaveLength(7);
	const requests = await world.requestsOf(async () => await pass(host, 3));
	expect(requests).toEqual(['GET /hooks', 'GET /hooks', 'GET /hooks']);
	expect(host.reports).toEqual([
		'The service does not list all webhooks of "Trigger": Email: Reply Received, SMS: Reply Received',
	]);
	await expectEachRunsOnce(host, TWO);
	await host.deactivate();
	expect(world.webhooks).toHaveLength(5);
});

it('A list that is minutes old leaves one webhook for each event, in one create each, and reports nothing', async () => {
	world.service.setSwitches({ listDelayMs: 150_000 });
	const host = await world.activeTrigger(TWO, EVERY_MINUTE);
	await pass(host, 8);
	expect(world.webhookTypes.sort()).toEqual(TWO);
	expect([posts(), host.reports]).toEqual([2, []]);
	const requests = await world.requestsOf(async () => await pass(host, 2));
	expect(requests).toEqual(['GET /hooks', 'GET /hooks']);
	await expectEachRunsOnce(host, TWO);
});

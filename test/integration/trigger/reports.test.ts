/**
 * What a user is told of a check, in a failed execution or in the log, and when. The world is a local service and one
 * trigger in one process of n8n.
 */
import type { INodeParameters } from 'n8n-workflow';

import type { Fault } from '../../../tools/service';
import { like, textLike } from '../support/matchers';
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld({ switches: { rateLimit: 'off' } });

const TWO = ['emailsReplied', 'smsReplied'];

const POST = { match: { method: 'POST' } } as const;

/** Refuses a create, which no later one would change. */
const REFUSED: Fault = { kind: 'status', status: 400, ...POST };

const OUT_OF_REACH = 'The webhooks of "Trigger" cannot be checked or changed';

const restoredOf = (...names: string[]): string =>
	`Webhooks of "Trigger" were missing at the service, and n8n has created them again. Their events: ${names.join(', ')}`;

const EMAIL = 'Email: Reply Received';
const SMS = 'SMS: Reply Received';

/** An active workflow whose webhooks are checked at every tick of its cron job. */
async function activeTrigger(options: INodeParameters = {}, savesFailedExecutions = true) {
	const host = await world.activeTrigger(TWO, { repairMinutes: 1, ...options });
	return { host, ...(await host.startTrigger('activate', { savesFailedExecutions })) };
}

/** All that the log says from now on. */
function spyOnLog() {
	const { logger } = world.execution().context;
	const spies = (['debug', 'info', 'warn', 'error'] as const).map((level) =>
		jest.spyOn(logger, level),
	);
	return () => spies.flatMap(({ mock }) => mock.calls.map(([text]) => text));
}

describe('A check that fails', () => {
	it('is reported at the second one in a row, with what to do, and again only after a check has succeeded', async () => {
		const { host, check } = await activeTrigger();
		for (const failing of [2, 1, 3]) {
			world.service.addFault({ kind: 'status', status: 401, times: failing });
			await check(failing + 1);
		}
		expect(host.reports).toEqual([OUT_OF_REACH, OUT_OF_REACH]);
		expect(host.failedExecutions[0]!).toMatchObject({
			description: textLike(
				/^The service did not accept the API key\. .*Copy the key.* The checks have not succeeded since \d+ \w{3} \d{4}, \d\d:\d\d \(America\/New_York\); the webhooks were last complete on .* Webhooks that exist at the service keep starting the workflow; .* n8n keeps checking/,
			),
			node: like({ name: 'Trigger' }),
		});
		expect(JSON.stringify(host.failedExecutions[0])).not.toContain(world.service.apiKey);
	});

	it('counts the start of n8n, and does not say when the webhooks were complete if this process has never seen them so', async () => {
		const host = await world.activeTrigger(TWO);
		world.service.addFault({ kind: 'status', status: 401, times: 3 });
		await (await host.restart()).check(2);
		expect(host.reports).toEqual([OUT_OF_REACH]);
		expect(host.failedExecutions[0]!).toMatchObject({
			description: textLike(/ The checks have not succeeded since [^;.]+\. Webhooks that exist/),
		});
	});

	it('is not reported for a workflow that was deactivated during the check', async () => {
		const { host, check, tick } = await activeTrigger();
		world.service.addFault({ kind: 'status', status: 401 });
		await check();
		// The second failure in a row would be reported.
		world.service.addFault({ kind: 'delay', delayMs: 500 });
		world.service.addFault({ kind: 'status', status: 401 });
		const sent = world.requests().length;
		tick();
		await until(() => world.requests().length > sent);
		await host.deactivate();
		await host.settled();
		expect(host.reports).toEqual([]);
	});
});

describe('Webhooks that cannot be created', () => {
	it('are named, and later that they exist again', async () => {
		const { host, check } = await activeTrigger();
		await check();
		world.service.removeHook(world.webhookFor('smsReplied')._id);
		world.service.addFault({ ...REFUSED, times: 2 });
		await check(4);
		expect(host.reports).toEqual([
			`1 webhook of "Trigger" cannot be created at the service: ${SMS}`,
			restoredOf(SMS),
		]);
		expect(host.failedExecutions).toMatchObject([
			{
				description: textLike(
					/ complete on .+\. Until a check succeeds, its events are lost\. n8n keeps/,
				),
			},
			{
				description: textLike(
					/^The workflow works again\. Events that happened between .* and .* may be lost/,
				),
			},
		]);
	});
});

it.each<[string, INodeParameters, INodeParameters]>([
	['each event → One Webhook for Everything', {}, { subscription: 'singleHook' }],
	['One Webhook for Everything → each event', { subscription: 'singleHook' }, {}],
	['campaigns added', {}, { campaignId: 'cam_1, cam_2', thirdPartyReplies: 'exclude' }],
])(
	'While the team has no room for the webhooks of a change (%s), every event runs, and no report says that events are lost',
	async (_, options, changed) => {
		const host = await world.activeTrigger(TWO, { repairMinutes: 1, ...options });
		world.service.setSwitches({ maxHooks: world.webhooks.length });
		await host.publish({ events: TWO, options: { repairMinutes: 1, ...changed } });
		const { check } = await host.startTrigger('update');
		for (const maxHooks of [world.webhooks.length, 0]) {
			world.service.setSwitches({ maxHooks });
			await check(3);
			host.started.length = 0;
			for (const type of TWO) await world.service.emit({ type, campaignId: 'cam_1' });
			expect(host.started.map(({ json }) => json.type)).toEqual(TWO);
		}
		const told = host.failedExecutions.map(
			({ message, description }) => `${message} ${String(description)}`,
		);
		expect(told.join()).not.toMatch(/missing|cannot be created|(are|may be) lost: /);
	},
);

describe('Lost events', () => {
	it('name at most five of the events', async () => {
		const events = ['emailsSent', 'emailsOpened', 'emailsReplied', 'emailsBounced', 'smsReplied'];
		const more = [...events, 'warmed', 'interested'];
		const host = await world.activeTrigger(more, { repairMinutes: 1 });
		const { check } = await host.startTrigger();
		await check();
		for (const id of world.webhookIds) world.service.removeHook(id);
		await check();
		expect(host.reports).toEqual([
			restoredOf('Email: Sent', 'Email: Opened', EMAIL, 'Email: Bounced', `${SMS} and 2 more`),
		]);
	});

	it('are not reported for the first registration, a restart, a change of the parameters or of the API key', async () => {
		const { host, close } = await activeTrigger();
		await close();
		const started = await host.restart();
		await started.check(2);
		await started.close();
		await host.publish({ events: ['warmed'], options: { repairMinutes: 1 } });
		const { check } = await host.startTrigger('update');
		await check(2);
		world.useKey(host, 'new-key');
		world.service.addFault({ ...REFUSED, times: 2 });
		await check(3);
		expect(host.reports.filter((one) => one.includes('missing'))).toEqual([]);
		expect(world.webhookTypes).toEqual(['warmed']);
	});

	it('that n8n cannot save as an execution end no check, and are told by the next one', async () => {
		const { host, check } = await activeTrigger();
		await check();
		world.service.removeHook(world.webhookIds[0]!);
		host.saveFailure = new Error('The database is away');
		const log = spyOnLog();
		await check();
		expect(log()).toContain('The database is away');
		host.saveFailure = undefined;
		await check(2);
		expect(host.reports).toEqual([restoredOf(EMAIL)]);
	});
});

describe('A report', () => {
	it.each([
		['America/New_York', 'America/New_York'],
		['DEFAULT', 'UTC'],
		['UTC+2', 'UTC'],
	])('of a workflow with the time zone %j has its times in %s', async (timezone, shown) => {
		const { host, check } = await activeTrigger();
		Object.assign(host.workflow, { timezone });
		await check();
		world.service.removeHook(world.webhookIds[0]!);
		await check();
		const time = String.raw`\d+ \w{3} \d{4}, \d\d:\d\d \(${shown}\)`;
		expect(host.failedExecutions).toMatchObject([
			{ description: textLike(new RegExp(`between ${time} and ${time} may be lost`)) },
		]);
	});

	it('has each time at its own date, and none that a wrong clock has told', async () => {
		// n8n's time zone is New York; that of the process is not.
		expect(Intl.DateTimeFormat().resolvedOptions().timeZone).not.toBe('America/New_York');
		const clock = jest.spyOn(Date, 'now');
		clock.mockReturnValue(Date.parse('2026-03-08T06:30:00Z'));
		const { host, check } = await activeTrigger();
		await check();
		// An hour later, summer time has begun.
		clock.mockReturnValue(Date.parse('2026-03-08T07:30:00Z'));
		world.service.removeHook(world.webhookIds[0]!);
		await check();
		// Somebody corrects a clock that was two days fast.
		clock.mockReturnValue(Date.parse('2026-03-06T07:30:00Z'));
		world.service.removeHook(world.webhookIds[0]!);
		await check();
		world.service.addFault({ kind: 'status', status: 401, times: 2 });
		await check(2);
		expect(host.failedExecutions).toMatchObject([
			{
				description: textLike(
					/between 8 Mar 2026, 01:30 \(America\/New_York\) and 8 Mar 2026, 03:30 /,
				),
			},
			{ description: textLike(/happened before 6 Mar 2026, 02:30 \(America\/New_York\), perhaps/) },
			{ description: textLike(/since 6 Mar 2026, 02:30 .* last complete on 6 Mar 2026, 02:30 /) },
		]);
	});

	it.each([
		['Report Problems is off', { reportProblems: false }, true],
		['n8n has no means to save one', {}, false],
	])(
		'is no execution when %s: the log tells, with a link',
		async (_, options, savesFailedExecutions) => {
			const { host, check } = await activeTrigger(options, savesFailedExecutions);
			world.service.addFault({ kind: 'status', status: 401, times: 4 });
			const error = jest.spyOn(world.execution().context.logger, 'error');
			await check(4);
			expect(host.reports).toEqual([]);
			expect(error.mock.calls.map(([text]) => text)).toEqual([
				textLike(
					/^The webhooks of "Trigger" cannot be checked or changed\. The service did not accept the API key\. .*\/workflow\/[\w-]+$/,
				),
			]);
		},
	);

	it('has no login that WEBHOOK_URL may contain, in an execution or in the log', async () => {
		const log = spyOnLog();
		const host = await world.trigger(TWO, { repairMinutes: 1 });
		host.webhookHost = 'proxy-user:proxy-pass@127.0.0.1';
		world.addWebhook({
			targetUrl: `${host.webhookUrl.replace('127.0.0.1', 'former.test')}?event=warmed&keyId=1`,
		});
		await host.activate();
		const { check } = await host.startTrigger();
		await check();
		host.hasLostListener = true;
		world.service.removeHook(world.webhookFor('smsReplied')._id);
		await check(3);
		world.service.addFault({ kind: 'status', status: 401, times: 3 });
		await check(3);
		expect(host.reports.length).toBeGreaterThan(1);
		const told = JSON.stringify([
			log(),
			host.failedExecutions.map((one) => [one.message, one.description]),
		]);
		expect(told).toContain('at another address');
		expect(told).not.toMatch(/proxy-(user|pass)/);
	});
});

describe('A listener that n8n has lost', () => {
	const LOST =
		'n8n no longer accepts the events of "Trigger": unpublish (deactivate) the workflow, then publish (activate) it again';

	it('is reported once, at the second check in a row, until it has worked in between', async () => {
		const { host, check } = await activeTrigger();
		host.hasLostListener = true;
		await check();
		expect(host.reports).toEqual([]);
		await check(3);
		expect(host.reports).toEqual([LOST]);
		expect(host.failedExecutions[0]!).toMatchObject({
			description: expect.stringContaining(`n8n responds at ${host.webhookUrl} that`) as string,
		});
		host.hasLostListener = false;
		await check();
		host.hasLostListener = true;
		await check(3);
		expect(host.reports).toEqual([LOST, LOST]);
		expect(world.webhooks).toHaveLength(TWO.length);
	});

	it('is not asked for with Repair Interval 0, even by the checks that follow a change', async () => {
		const { host } = await activeTrigger({ repairMinutes: 0 });
		host.hasLostListener = true;
		world.service.removeHook(world.webhooks[0]!._id);
		await (await host.restart()).check(3);
		expect(host.gets).toBe(0);
		expect(host.reports).not.toContain(LOST);
	});
});

describe('The log', () => {
	it('says at the first of several checks that webhooks cannot be created, and why', async () => {
		const { host, check } = await activeTrigger();
		world.service.removeHook(world.webhooks[0]!._id);
		world.service.addFault({ ...REFUSED, times: 3 });
		const warn = world.spyOnWarnings();
		await check(3);
		expect(warn.mock.calls).toEqual([
			[
				textLike(
					/^The webhooks of "Trigger" could not be checked or registered: The service .+ The next check, in a minute, tries again\.$/,
				),
				{ workflowId: host.workflow.id },
			],
		]);
	});

	it('says once what could not be removed, which costs no event', async () => {
		const { host, check } = await activeTrigger();
		await check();
		const [refused] = world.webhookIds;
		world.service.disableHook(refused!);
		world.service.addFault({
			kind: 'status',
			status: 403,
			times: 1_000,
			match: { method: 'DELETE' },
		});
		const warn = world.spyOnWarnings();
		await check(5);
		expect(host.reports).toEqual([restoredOf(EMAIL)]);
		expect(warn.mock.calls.map(([text]) => text)).toEqual([
			`The webhook ${refused!} of "Trigger" could not be removed: The service refused the request with status 403. Each minute's check tries again.`,
			expect.stringContaining(restoredOf(EMAIL)),
		]);
	});
});

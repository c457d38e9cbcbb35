/**
 * What a user is told of a check, in a failed execution or in the log, and when. The world is a local service and one
 * trigger in one process of n8n.
 */
import type { INodeParameters } from 'n8n-workflow';

import type { Fault } from '../../../tools/service';
import { like, textLike } from '../support/matchers';
import type { TriggerHost } from '../support/trigger';
import { until } from '../support/until';
import { useWorld } from '../support/world';
import { UNKNOWN_HOST } from '../support/unknownHost';

const world = useWorld();

const TWO = ['emailsReplied', 'smsReplied'];

/** An active workflow whose webhooks are checked at every tick of its cron job. */
async function activeTrigger(options: INodeParameters = {}, savesFailedExecutions = true) {
	const host = await world.activeTrigger(TWO, { repairMinutes: 1, ...options });
	return { host, ...(await host.startTrigger('activate', { savesFailedExecutions })) };
}

const messages = ({ failedExecutions }: TriggerHost): string[] =>
	failedExecutions.map(({ message }) => message);

const OUT_OF_REACH = 'The webhooks of "Trigger" can no longer be checked';

/** The next check fails after half a second, in which something else can happen. */
function failSlowly(): void {
	world.service.addFault({ kind: 'delay', delayMs: 500 });
	world.service.addFault({ kind: 'status', status: 401 });
}

describe('A failed execution', () => {
	it('reports an outage at the second check in a row, with what to do, and again only after a check has succeeded', async () => {
		const { host, check } = await activeTrigger();
		for (const failing of [2, 1, 3]) {
			world.service.addFault({ kind: 'status', status: 401, times: failing });
			for (let checks = 0; checks <= failing; checks++) await check();
		}
		expect(messages(host)).toEqual([OUT_OF_REACH, OUT_OF_REACH]);
		expect(host.failedExecutions[0]!).toMatchObject({
			description: textLike(
				/^The service did not accept the API key\. .*Copy the key.* The checks have not succeeded since \d+ \w{3} \d{4}, \d\d:\d\d \(America\/New_York\); the webhooks were last complete on .* Webhooks that still exist at the service keep starting the workflow; .* n8n keeps checking/,
			),
			node: like({ name: 'Trigger' }),
		});
		expect(JSON.stringify(host.failedExecutions[0])).not.toContain(world.service.apiKey);
	});

	it('writes its times in the time zone of the workflow, each at its own date', async () => {
		// n8n's time zone is New York; that of the process is not.
		expect(Intl.DateTimeFormat().resolvedOptions().timeZone).not.toBe('America/New_York');
		const clock = jest.spyOn(Date, 'now');
		clock.mockReturnValue(Date.parse('2026-03-08T06:30:00Z'));
		const { host, check } = await activeTrigger();
		await check();
		world.service.addFault({ kind: 'status', status: 401, times: 2 });
		// An hour later, summer time has begun.
		clock.mockReturnValue(Date.parse('2026-03-08T07:30:00Z'));
		await check();
		clock.mockReturnValue(Date.parse('2027-01-01T04:59:00Z'));
		await check();
		const times =
			'The checks have not succeeded since 8 Mar 2026, 03:30 (America/New_York); the webhooks were last complete on 8 Mar 2026, 01:30 (America/New_York).';
		expect(host.failedExecutions[0]!).toMatchObject({
			description: expect.stringContaining(times) as string,
		});
		world.service.removeHook(world.webhookIds[0]!);
		await check();
		const period =
			'Events that happened between 8 Mar 2026, 01:30 (America/New_York) and 31 Dec 2026, 23:59 (America/New_York) may be lost';
		expect(host.failedExecutions[1]!).toMatchObject({
			description: expect.stringContaining(period) as string,
		});
	});

	it('names the events whose webhooks cannot be created, and later that they exist again', async () => {
		const { host, check } = await activeTrigger();
		world.service.removeHook(world.webhooks[1]!._id);
		world.service.addFault({ kind: 'status', status: 400, times: 2, match: { method: 'POST' } });
		await check();
		await check();
		expect(messages(host)).toEqual([
			'1 webhook of "Trigger" cannot be created at the service: SMS: Reply Received',
		]);
		await check();
		await check();
		expect(host.failedExecutions[0]!).toMatchObject({
			description: textLike(
				/ complete on .+\. Until a check succeeds, its events are lost\. n8n keeps checking/,
			),
		});
		expect(messages(host).slice(1)).toEqual([
			'A webhook of "Trigger" was missing at the service and has been created again: SMS: Reply Received',
		]);
		expect(host.failedExecutions[1]!).toMatchObject({
			description: textLike(/Events that happened between .* and .* may be lost/),
		});
	});

	it('reports a webhook that has been created again although another one cannot be, because n8n may be killed before it can', async () => {
		const { host, check } = await activeTrigger();
		for (const id of world.webhookIds) world.service.removeHook(id);
		world.service.addFault({ kind: 'status', status: 400, match: { method: 'POST' } });
		const createdAgain =
			'A webhook of "Trigger" was missing at the service and has been created again';
		await check();
		expect(messages(host)).toEqual([`${createdAgain}: SMS: Reply Received`]);
		expect(host.failedExecutions[0]!).toMatchObject({
			description: textLike(/^Events that happened between .* and .* may be lost/),
		});
		await check();
		await check();
		expect(messages(host).slice(1)).toEqual([`${createdAgain}: Email: Reply Received`]);
		expect(host.failedExecutions[1]!).toMatchObject({
			description: textLike(/^The workflow works again\. Events that happened between/),
		});
	});

	it('reports webhooks that were missing or disabled when n8n started, with the next check', async () => {
		const host = await world.activeTrigger(TWO);
		const [missing, disabled] = world.webhookIds;
		world.service.removeHook(missing!);
		world.service.disableHook(disabled!);
		host.moveToNewProcess();
		await host.activate('init');
		const { check } = await host.startTrigger('init');
		await check();
		await check();
		expect(messages(host)).toEqual([
			'Webhooks of "Trigger" were missing at the service and have been created again: Email: Reply Received, SMS: Reply Received',
		]);
		expect(host.failedExecutions[0]!).toMatchObject({
			description: textLike(/perhaps while n8n was not running/),
		});
	});

	it.each([
		['', undefined],
		[' while no GET works', 'GET'],
		[' while no POST works', 'POST'],
	])(
		'reports nothing when n8n starts%s after a repair: the webhook has worked since',
		async (_, method) => {
			const { host, check } = await activeTrigger();
			world.service.removeHook(world.webhooks[0]!._id);
			await check();
			expect(messages(host)).toHaveLength(1);
			host.moveToNewProcess();
			const fault: Fault = { kind: 'status', status: 503, times: 2 };
			if (method !== undefined) world.service.addFault({ ...fault, match: { method } });
			await host.activate('init');
			const { check: checkAgain } = await host.startTrigger('init');
			world.service.clearFaults();
			await checkAgain();
			await checkAgain();
			expect(messages(host)).toHaveLength(1);
			// What is lost after that is reported.
			world.service.removeHook(world.webhooks[0]!._id);
			await checkAgain();
			expect(messages(host)).toHaveLength(2);
		},
	);

	it.each([0, 4])(
		'reports nothing when a webhook is replaced because of a new API key, also after %d refusals: it worked until then',
		async (refusals) => {
			const { host, check } = await activeTrigger();
			world.service.removeHook(world.webhooks[0]!._id);
			await check();
			const before = world.webhookIds;
			world.useKey(host, 'new-key');
			const fault: Fault = { kind: 'status', status: 503, match: { method: 'POST' } };
			if (refusals > 0) world.service.addFault({ ...fault, times: refusals });
			await check();
			world.service.clearFaults();
			await check();
			expect(world.webhookIds).toHaveLength(TWO.length);
			expect(world.webhookIds.filter((id) => before.includes(id))).toEqual([]);
			expect(messages(host)).toHaveLength(1);
		},
	);

	it('does not say that events are lost whose webhook works and only cannot be replaced', async () => {
		const { host, check } = await activeTrigger();
		world.service.removeHook(world.webhooks[0]!._id);
		await check();
		host.moveToNewProcess();
		world.service.addFault({ kind: 'status', status: 400, times: 99, match: { method: 'POST' } });
		await host.activate('init');
		const { check: checkAgain } = await host.startTrigger('init');
		await checkAgain();
		await checkAgain();
		expect(messages(host).slice(1)).toEqual([OUT_OF_REACH]);
		await world.service.emit({ type: 'emailsReplied' });
		expect(host.started).toHaveLength(1);
	});

	it('names at most five of the events', async () => {
		const events = ['emailsSent', 'emailsOpened', 'emailsReplied', 'emailsBounced', 'smsReplied'];
		const host = await world.activeTrigger([...events, 'warmed', 'interested'], {
			repairMinutes: 1,
		});
		const { check } = await host.startTrigger();
		for (const id of world.webhookIds) world.service.removeHook(id);
		await check();
		expect(messages(host)).toEqual([
			expect.stringMatching(
				/: Email: Sent, Email: Opened, Email: Reply Received, Email: Bounced, SMS: Reply Received and 2 more$/,
			),
		]);
	});

	it('names only the webhooks that were missing at a start, not those that a change of the events adds', async () => {
		const host = await world.activeTrigger(TWO);
		world.service.removeHook(world.webhookIds[0]!);
		host.moveToNewProcess();
		host.reload({ events: [...TWO, 'warmed'], options: { repairMinutes: 1 } });
		await host.activate('init');
		const { check } = await host.startTrigger('init');
		await check();
		expect(world.webhooks).toHaveLength(3);
		expect(messages(host)).toEqual([
			'A webhook of "Trigger" was missing at the service and has been created again: Email: Reply Received',
		]);
	});

	it.each([400, 503])(
		'tells of webhooks that were missing at a start which could not create them (%d), and at the one after it',
		async (status) => {
			const host = await world.activeTrigger(['emailsReplied']);
			world.service.removeHook(world.webhookIds[0]!);
			world.service.addFault({ kind: 'status', status, times: 99, match: { method: 'POST' } });
			host.moveToNewProcess();
			await host.activate('init');
			world.service.clearFaults();
			host.moveToNewProcess();
			// So n8n 2 starts a workflow when it finds that it does not run.
			await host.activate('update');
			const { check } = await host.startTrigger('update');
			await check();
			expect(world.webhooks).toHaveLength(1);
			expect(messages(host)).toEqual([expect.stringMatching(/ha(s|ve) been created again/)]);
		},
	);

	it('is not saved for the first registration, a restart or a change of the parameters', async () => {
		const host = await world.activeTrigger(TWO, { repairMinutes: 1 });
		host.moveToNewProcess();
		await host.activate('init');
		await (await host.startTrigger('init')).check();
		host.reload({ events: ['warmed'], options: { repairMinutes: 1 } });
		await host.deactivate();
		await host.activate('update');
		const { check } = await host.startTrigger('update');
		await check();
		expect(messages(host)).toEqual([]);
	});

	it('counts the start of n8n as the first check', async () => {
		const host = await world.activeTrigger(TWO);
		world.service.addFault({ kind: 'status', status: 401, times: 3 });
		host.moveToNewProcess();
		await host.activate('init');
		const { check } = await host.startTrigger('init');
		await check();
		await check();
		expect(messages(host)).toEqual([OUT_OF_REACH]);
		// This process has never seen them complete.
		expect(host.failedExecutions[0]!).toMatchObject({
			description: textLike(
				/ The checks have not succeeded since [^;.]+\. Webhooks that still exist at the service keep/,
			),
		});
	});

	it('is not saved when a webhook cannot be removed, which costs no event; the log says so once', async () => {
		const { host, check } = await activeTrigger();
		const refused = world.webhookIds;
		for (const id of refused) world.service.disableHook(id);
		world.service.addFault({
			kind: 'status',
			status: 403,
			times: 1_000,
			match: { method: 'DELETE' },
		});
		const warn = world.spyOnWarnings();
		for (let checks = 0; checks < 5; checks++) await check();
		const report =
			'Webhooks of "Trigger" were missing at the service and have been created again: Email: Reply Received, SMS: Reply Received';
		expect(messages(host)).toEqual([report]);
		const { id: workflowId } = host.workflow;
		expect(warn.mock.calls).toEqual([
			...refused.map((id) => [
				`The webhook ${id} of "Trigger" could not be removed: The service refused the request with status 403. Each minute's check tries again.`,
				{ workflowId },
			]),
			[expect.stringContaining(report), { workflowId }],
		]);
	});

	it.each([
		['Report Problems is off', { reportProblems: false }, true],
		['n8n has no means to save one', {}, false],
	])('is not saved when %s: the log tells', async (_, options, savesFailedExecutions) => {
		const { host, check } = await activeTrigger(options, savesFailedExecutions);
		world.service.addFault({ kind: 'status', status: 401, times: 4 });
		const error = jest.spyOn(world.execution().context.logger, 'error');
		for (let checks = 0; checks < 4; checks++) await check();
		expect(messages(host)).toEqual([]);
		expect(error.mock.calls.map(([text]) => text)).toEqual([
			expect.stringMatching(
				/^The webhooks of "Trigger" can no longer be checked\. The service did not accept the API key\. .*\/workflow\/[\w-]+$/,
			),
		]);
	});

	it.each<[string, (given: Awaited<ReturnType<typeof activeTrigger>>) => Promise<void>]>([
		['that was deactivated', async ({ host }) => await host.deactivate()],
		['of which this process loses the lead', async ({ close }) => await close()],
	])('is not saved for a workflow %s during the check', async (_, end) => {
		const given = await activeTrigger();
		const { host, check, tick } = given;
		const error = jest.spyOn(world.execution().context.logger, 'error');
		world.service.addFault({ kind: 'status', status: 401 });
		await check();
		// The second failure in a row would be reported.
		failSlowly();
		const sent = world.requests().length;
		tick();
		await until(() => world.requests().length > sent);
		await end(given);
		await host.settled();
		expect(messages(host)).toEqual([]);
		expect(error).not.toHaveBeenCalled();
	});

	it('that n8n cannot save ends no check: the log says why', async () => {
		const { host, check } = await activeTrigger();
		world.service.removeHook(world.webhooks[0]!._id);
		host.saveFailure = new Error('The database is away');
		const error = jest.spyOn(world.execution().context.logger, 'error');
		await check();
		expect(error.mock.calls).toEqual([['The database is away', { workflowId: host.workflow.id }]]);
		world.service.removeHook(world.webhooks[0]!._id);
		host.saveFailure = undefined;
		await check();
		expect(world.webhooks).toHaveLength(TWO.length);
		expect(messages(host)).toHaveLength(1);
	});
});

describe('A listener that n8n has lost', () => {
	const LOST =
		'n8n no longer accepts the events of "Trigger": unpublish (deactivate) the workflow, then publish (activate) it again';

	it('is reported once, at the second check in a row, until it has worked in between', async () => {
		const { host, check } = await activeTrigger();
		host.hasLostListener = true;
		await check();
		expect(messages(host)).toEqual([]);
		for (let checks = 0; checks < 3; checks++) await check();
		expect(messages(host)).toEqual([LOST]);
		expect(host.failedExecutions[0]!).toMatchObject({
			description: expect.stringContaining(`n8n responds at ${host.webhookUrl} that`) as string,
		});
		host.hasLostListener = false;
		await check();
		host.hasLostListener = true;
		for (let checks = 0; checks < 3; checks++) await check();
		expect(messages(host)).toEqual([LOST, LOST]);
		expect(world.webhooks).toHaveLength(TWO.length);
	});

	it('is not asked for with Repair Interval 0, even by the checks that follow a change', async () => {
		const { host } = await activeTrigger({ repairMinutes: 0 });
		host.hasLostListener = true;
		world.service.removeHook(world.webhooks[0]!._id);
		host.moveToNewProcess();
		await host.activate('init');
		const { check } = await host.startTrigger('init');
		for (let checks = 0; checks < 3; checks++) await check();
		expect(host.gets).toBe(0);
		expect(messages(host)).not.toContain(LOST);
	});

	it.each<[string, Partial<TriggerHost>]>([
		['nothing listens there', { webhookHost: UNKNOWN_HOST }],
		['it responds to nothing', { respondToGet: () => undefined }],
		['a proxy responds', { respondToGet: (response) => response.writeHead(404).end('Not Found') }],
		['it hangs up', { respondToGet: (response) => response.destroy() }],
		['a proxy responds to OPTIONS', { optionsStatus: 405 }],
	])('is not suspected when its URL cannot be asked: %s', async (_, changed) => {
		const host = await world.trigger(TWO, { repairMinutes: 1 });
		host.hasLostListener = true;
		Object.assign(host, changed);
		await host.activate();
		const { check } = await host.startTrigger();
		const warn = world.spyOnWarnings();
		for (let checks = 0; checks < 3; checks++) await check();
		expect([messages(host), warn.mock.calls]).toEqual([[], []]);
		expect(world.webhooks).toHaveLength(TWO.length);
	});

	it('is not asked for with a GET while OPTIONS shows it: n8n logs each as an error', async () => {
		const { host, check } = await activeTrigger();
		await check();
		expect(host.gets).toBe(0);
		host.optionsStatus = 405;
		await check();
		expect([host.gets, messages(host)]).toEqual([0, []]);
	});
});

describe('The log', () => {
	it.each<[string, Fault]>([
		['cannot be checked', { kind: 'status', status: 401 }],
		['cannot be created', { kind: 'status', status: 400, match: { method: 'POST' } }],
	])('says at the first of several checks that webhooks %s, and why', async (_, fault) => {
		const { host, check } = await activeTrigger();
		world.service.removeHook(world.webhooks[0]!._id);
		world.service.addFault({ ...fault, times: 3 });
		const warn = world.spyOnWarnings();
		for (let checks = 0; checks < 3; checks++) await check();
		expect(warn.mock.calls).toEqual([
			[
				expect.stringMatching(
					/^The webhooks of "Trigger" could not be checked or registered: The service .+ The next check, in a minute, tries again\.$/,
				),
				{ workflowId: host.workflow.id },
			],
		]);
	});
});

/**
 * Which problems a check tells, in a failed execution or in the log: see `unit/trigger/health.test.ts` for when, and
 * `report.test.ts` beside it for the texts. The world is a local service and one trigger in one process of n8n.
 */
import type { INodeParameters } from 'n8n-workflow';

import { like, textLike } from '../support/matchers';
import type { TriggerHost } from '../support/trigger';
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld({ switches: { rateLimit: 'off' } });

const TWO = ['emailsReplied', 'smsReplied'];

const RESTORED =
	'Webhooks of "Trigger" were missing at the service, and n8n has created them again. Their events: Email: Reply Received';

const LOST = textLike(/^n8n no longer accepts the events of "Trigger"/);

/** An active workflow whose webhooks are checked at every tick of its cron job, and were once. */
async function checkedTrigger(): Promise<TriggerHost> {
	const host = await world.activeTrigger(TWO, { repairMinutes: 1 });
	await host.check();
	return host;
}

describe('A check that fails', () => {
	it('is reported at the second one in a row, for its node and without the API key, and again only after a check has succeeded', async () => {
		const host = await checkedTrigger();
		for (const failing of [2, 1, 3]) {
			world.refuse('GET', 401, failing);
			await host.check(failing + 1);
		}
		const report = like({
			message: 'The webhooks of "Trigger" cannot be checked or changed',
			node: like({ name: 'Trigger' }),
		});
		expect(host.failedExecutions).toEqual([report, report]);
		expect(JSON.stringify(host.failedExecutions)).not.toContain(world.service.apiKey);
	});

	it('is not reported for a workflow that was deactivated during the check', async () => {
		const host = await checkedTrigger();
		world.refuse('GET', 401);
		await host.check();
		// The second failure in a row would be reported.
		world.delay('GET', 500);
		world.refuse('GET', 401);
		const sent = world.requests().length;
		host.tick();
		await until(() => world.requests().length > sent);
		await host.deactivate();
		expect(host.reports).toEqual([]);
	});
});

describe('Webhooks that cannot be created', () => {
	it('are told again after the workflow was activated again', async () => {
		const host = await checkedTrigger();
		for (let activations = 0; activations < 2; activations++) {
			world.refuse('POST', 504, 1_000);
			if (activations > 0) await host.activate();
			else world.service.removeHook(world.webhookIds[0]!);
			await host.check(2);
			world.service.clearFaults();
			await host.deactivate();
		}
		expect(host.reports).toEqual([
			'1 webhook of "Trigger" cannot be created at the service: Email: Reply Received',
			textLike(/^2 webhooks of "Trigger" cannot be created at the service: /),
		]);
	});

	it('are those of an event of which only first ones are delivered, once all are selected', async () => {
		const events = ['emailsReplied'];
		const host = await world.activeTrigger(events, { repairMinutes: 1, isFirst: true });
		world.refuse('POST', 503, 100);
		await host.publish({ events, options: { repairMinutes: 1 } });
		await host.check(2);
		expect(host.reports).toEqual([
			'1 webhook of "Trigger" cannot be created at the service: Email: Reply Received',
		]);
		expect(world.webhooks).toMatchObject([{ isFirst: true }]);
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
		for (const maxHooks of [world.webhooks.length, 0]) {
			world.service.setSwitches({ maxHooks });
			await host.check(3);
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
	it('are not reported for the first registration, a restart, a change of the parameters or of the API key', async () => {
		const host = await checkedTrigger();
		await host.restart();
		await host.check(2);
		for (const events of [['warmed'], TWO, ['warmed']]) {
			await host.publish({ events, options: { repairMinutes: 1 } });
			await host.check(2);
		}
		world.useKey(host, 'new-key');
		world.refuse('POST', 400, 2);
		await host.check(3);
		expect(host.reports.filter((one) => one.includes('missing'))).toEqual([]);
		expect(world.webhookTypes).toEqual(['warmed']);
	});

	it('that n8n cannot save as an execution end no check, and are told by the next one', async () => {
		const host = await checkedTrigger();
		world.service.removeHook(world.webhookIds[0]!);
		host.saveFailure = new Error('The database is away');
		const error = jest.spyOn(world.execution().context.logger, 'error');
		await host.check();
		expect(error).toHaveBeenCalledWith('The database is away', expect.anything());
		host.saveFailure = undefined;
		await host.check(2);
		expect(host.reports).toEqual([RESTORED]);
	});
});

it('A warning has no login that WEBHOOK_URL may contain', async () => {
	const warnings = world.warnings();
	const host = await world.trigger(TWO);
	host.webhookHost = 'proxy-user:proxy-pass@127.0.0.1';
	world.addWebhook({
		targetUrl: `${host.webhookUrl.replace('127.0.0.1', 'former.test')}?event=warmed&keyId=1`,
	});
	await host.activate();
	expect(warnings()).toEqual([textLike(/at another address\. .*: http:\/\/former\.test/)]);
});

it.each([
	[1, [LOST]],
	[0, []],
])(
	'A listener that n8n has lost is reported once with Repair Interval %i: %j',
	async (repairMinutes, reports) => {
		const host = await world.activeTrigger(TWO, { repairMinutes });
		host.hasLostListener = true;
		world.service.removeHook(world.webhookIds[0]!);
		await host.restart();
		await host.check(4);
		expect(host.reports.filter((one) => !one.includes('missing'))).toEqual(reports);
		expect(world.webhooks).toHaveLength(TWO.length);
	},
);

describe('The log', () => {
	it('says at the first of several checks that webhooks cannot be created, and why', async () => {
		const host = await checkedTrigger();
		world.service.removeHook(world.webhooks[0]!._id);
		world.refuse('POST', 400, 3);
		const warn = world.spyOnWarnings();
		await host.check(3);
		const text =
			/^The webhooks of "Trigger" could not be checked or registered: The service .+ The next check, in a minute, tries again\.$/;
		expect(warn.mock.calls).toEqual([[textLike(text), { workflowId: host.workflow.id }]]);
	});

	it('says once what could not be removed, which costs no event', async () => {
		const host = await checkedTrigger();
		const [refused] = world.webhookIds;
		world.service.disableHook(refused!);
		world.refuse('DELETE', 403, 1_000);
		const warnings = world.warnings();
		await host.check(5);
		expect(host.reports).toEqual([RESTORED]);
		expect(warnings()).toEqual([
			`The webhook ${refused!} of "Trigger" could not be removed: The service refused the request with status 403. Each minute's check tries again.`,
			expect.stringContaining(RESTORED),
		]);
	});
});

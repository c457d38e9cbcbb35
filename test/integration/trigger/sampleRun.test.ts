import fc from 'fast-check';
import { SsrfBlockedIpError } from '@n8n/backend-network';
import type { INodeParameters } from 'n8n-workflow';

import { EVENT_TYPES } from '../../../nodes/OutreachService/model/eventTypes';
import { onlyWhen } from '../support/conditions';
import type { TriggerHost } from '../support/trigger';
import { until } from '../support/until';
import { useWorld } from '../support/world';
import { UNKNOWN_HOST } from '../support/unknownHost';

const world = useWorld();

/** A trigger that is tested with a sample. */
async function sampleTrigger(
	events: string[],
	options: INodeParameters = {},
): Promise<TriggerHost> {
	return await world.trigger(events, { testWith: 'sampleEvent', ...options }, { mode: 'manual' });
}

/** Runs a test as n8n does, until it has the item. */
async function runTest(host: TriggerHost): Promise<void> {
	await host.activate('manual');
	await until(() => host.started.length > 0);
	await host.deactivate();
}

describe('A test run with a sample event', () => {
	it('starts the workflow with a sample of the first selected event, and asks the service nothing', async () => {
		const host = await sampleTrigger(['smsReplied', 'emailsReplied']);
		await runTest(host);
		expect(host.started.map(({ json }) => json)).toEqual([
			expect.objectContaining({
				_id: expect.stringMatching(/^act_sample_/) as string,
				type: 'smsReplied',
				leadEmail: expect.stringMatching(/@example\.com$/) as string,
			}),
		]);
		expect(host.started[0]!.json).not.toHaveProperty('secret');
		expect(world.requests()).toEqual([]);
	});

	it.each(['hookPerEvent', 'singleHook'])(
		'is verified in an n8n that does not tell webhook() the test URL, as n8n 1 (%s)',
		async (subscription) => {
			const host = await sampleTrigger(['smsReplied', 'warmed'], { subscription });
			host.knowsTestUrl = false;
			await runTest(host);
			expect(host.statuses).toEqual([200]);
		},
	);

	it('has the selected output', async () => {
		const host = await sampleTrigger(['emailsOpened'], { output: 'grouped' });
		await runTest(host);
		expect(host.started[0]!.json).toMatchObject({ event: { type: 'emailsOpened' }, lead: {} });
	});

	it('is never batched', async () => {
		const host = await sampleTrigger(['emailsOpened'], {
			batch: { values: { maxEvents: 100, maxSeconds: 8 } },
		});
		const from = performance.now();
		await runTest(host);
		expect(host.started).toHaveLength(1);
		expect(performance.now() - from).toBeLessThan(6_000);
	});

	it('is sent a moment after n8n has called `create`: only then does n8n listen', async () => {
		const host = await sampleTrigger(['paused']);
		const from = performance.now();
		await runTest(host);
		expect(performance.now() - from).toBeGreaterThanOrEqual(300);
	});

	it('starts the workflow once, whatever the events and the options that select them', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.constantFrom('*', 'somethingNew', ...EVENT_TYPES),
				fc.record(
					{
						subscription: fc.constantFrom('hookPerEvent', 'singleHook'),
						campaignId: fc.constantFrom('cam_one', 'cam_one, cam_two'),
						isFirst: fc.boolean(),
						thirdPartyReplies: fc.constantFrom('include', 'exclude', 'only'),
						verifySecret: fc.boolean(),
					},
					{ requiredKeys: [] },
				),
				async (event, { isFirst = false, ...options }) => {
					// With one webhook for everything, the first activity of any event would count (D69).
					const isForEach = event !== '*' && options.subscription !== 'singleHook';
					const host = await sampleTrigger([event, 'paused'], {
						...options,
						isFirst: isFirst && isForEach,
					});
					await runTest(host);
					expect(host.started).toHaveLength(1);
					expect(host.statuses).toEqual([200]);
					await host.stop();
				},
			),
			{ numRuns: 40 },
		);
		expect(world.requests()).toEqual([]);
	});

	it('starts it only if the sample meets the conditions; otherwise it says so immediately', async () => {
		const met = await sampleTrigger(['paused'], { onlyWhen: onlyWhen('type', 'paused') });
		await runTest(met);
		const missed = await sampleTrigger(['paused'], { onlyWhen: onlyWhen('type', 'resumed') });
		await expect(missed.call('create', 'manual')).rejects.toMatchObject({
			message: "The sample event does not meet the conditions of 'Only When'",
			description:
				"The workflow would not start for it. Change the conditions while you build the workflow, or set 'Test With' to 'Real Event'. The documentation of the trigger lists the fields of an event.",
		});
		expect(missed.started).toEqual([]);
		const broken = await sampleTrigger(['paused'], {
			onlyWhen: onlyWhen('leadEmail', '2026-01-01', { type: 'dateTime', operation: 'after' }),
		});
		await expect(broken.call('create', 'manual')).rejects.toMatchObject({
			description: expect.stringMatching(
				/^A condition cannot be evaluated: .+@.+\. Change the conditions/,
			) as string,
		});
	});

	it('is a reply for All Events, otherwise of the first event that is selected, sent to the URL of its webhook', async () => {
		const all = await sampleTrigger(['*']);
		await runTest(all);
		expect(all.started[0]!.json.type).toBe('emailsReplied');
		const states = await sampleTrigger(['warmed', 'emailsSent'], {
			output: 'grouped',
			subscription: 'singleHook',
		});
		await runTest(states);
		expect(states.started[0]!.json.event).toMatchObject({ subscription: 'warmed' });
	});

	it.each([404, 405, 502])(
		'is sent at once where a proxy responds to the question before it with %d',
		async (status) => {
			const host = await sampleTrigger(['paused']);
			host.optionsStatus = status;
			await host.activate('manual');
			expect(host.started).toHaveLength(1);
			host.respond = () => 500;
			await expect(host.call('create', 'manual')).rejects.toMatchObject({
				message: expect.stringContaining('could not reach its own test URL') as string,
				description: expect.stringMatching(
					/^It responded with status 500\. .+ was not tested\./,
				) as string,
			});
		},
	);

	it('that n8n does not take is logged, with the reason', async () => {
		const host = await sampleTrigger(['paused']);
		host.respond = () => 500;
		const warn = world.spyOnWarnings();
		await host.activate('manual');
		await until(() => warn.mock.calls.length > 0);
		expect(warn.mock.calls).toEqual([
			['The sample event did not reach "Trigger": It responded with status 500.'],
		]);
	});

	it.each<[string, Error, RegExp]>([
		[
			'where n8n forbids requests to its own address',
			new SsrfBlockedIpError('127.0.0.1'),
			/^The settings of this n8n forbid requests to that host/,
		],
		[
			'where nothing listens',
			Object.assign(new Error('It broke'), { code: 'ECONNREFUSED' }),
			/^Nothing is listening there \(ECONNREFUSED\)/,
		],
	])('cannot be sent %s', async (_, failure, description) => {
		const host = await sampleTrigger(['paused']);
		host.targetFailure = failure;
		await expect(host.call('create', 'manual')).rejects.toMatchObject({
			message: expect.stringContaining('could not reach its own test URL') as string,
			description: expect.stringMatching(description) as string,
		});
	});

	it('says that n8n could not reach its own test URL, and names WEBHOOK_URL', async () => {
		const host = await sampleTrigger(['paused']);
		host.webhookHost = UNKNOWN_HOST;
		await expect(host.activate('manual')).rejects.toMatchObject({
			message: expect.stringMatching(
				new RegExp(
					`^n8n could not reach its own test URL at http://${UNKNOWN_HOST}:\\d+: check WEBHOOK_URL$`,
				),
			) as string,
			description: expect.stringContaining('The host could not be found') as string,
		});
		expect(world.requests()).toEqual([]);
	});

	it('does not change the webhooks of the active workflow, nor its stored registration', async () => {
		const active = await world.activeTrigger(['paused'], { testWith: 'sampleEvent' });
		expect(world.webhookTypes).toEqual(['paused']);
		const since = world.requests().length;
		const stored = JSON.stringify(active.staticData);
		const test = await world.trigger(
			['paused'],
			{ testWith: 'sampleEvent' },
			{
				mode: 'manual',
				id: active.workflow.id,
			},
		);
		await runTest(test);
		expect(world.requests(since)).toEqual([]);
		expect(JSON.stringify(active.staticData)).toBe(stored);
	});
});

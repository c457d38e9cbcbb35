/**
 * A test run with a sample event needs no service, and leaves nothing that anybody else could use. The world is a local
 * service and one trigger in one process of n8n.
 */
import fc from 'fast-check';
import { SsrfBlockedIpError } from '@n8n/backend-network';
import type { INodeParameters } from 'n8n-workflow';

import { canBeThirdParty, EVENT_TYPES } from '../../../nodes/OutreachService/domain/eventTypes';
import { OPTION_CHOICES } from '../../optionChoices';
import { tries } from '../../propertyRuns';
import { onlyWhen } from '../support/conditions';
import { textLike } from '../support/matchers';
import type { TriggerHost } from '../support/trigger';
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld();

/** A trigger that is tested with a sample. */
async function sampleTrigger(
	events: string[],
	options: INodeParameters = {},
): Promise<TriggerHost> {
	return await world.trigger(events, { testWith: 'sampleEvent', ...options }, { mode: 'manual' });
}

/** Any value of the options that have a few, except the two that decide whether and how many samples there are. */
const CHOSEN = Object.fromEntries(
	OPTION_CHOICES.filter(({ name }) => !['testWith', 'outputs'].includes(name)).map(
		({ name, values }) => [name, fc.constantFrom(...values)],
	),
);

/** Runs a test as n8n does, until it has the item. */
async function runTest(host: TriggerHost): Promise<void> {
	await host.activate('manual');
	await until(() => host.started.length > 0);
	await host.deactivate();
}

describe('A test run with a sample event', () => {
	it('is verified in an n8n that does not tell webhook() the test URL, as n8n 1', async () => {
		const host = await sampleTrigger(['smsReplied']);
		host.knowsTestUrl = false;
		await runTest(host);
		expect(host.statuses).toEqual([200]);
	});

	it('starts the workflow once with a sample of the first selected event, whatever the options, and asks the service nothing', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.constantFrom('*', 'somethingNew', ...EVENT_TYPES),
				fc.record<INodeParameters>(
					{
						...CHOSEN,
						campaignId: fc.constantFrom('cam_one', 'cam_one, cam_two'),
						batch: fc.constant({ values: { maxEvents: 100, maxSeconds: 8 } }),
					},
					{ requiredKeys: [] },
				),
				async (event, { isFirst = false, thirdPartyReplies = 'include', ...others }) => {
					// Otherwise it could never start (D80).
					const isRefused = thirdPartyReplies === 'only' && !canBeThirdParty(event);
					const options: INodeParameters = {
						...others,
						thirdPartyReplies: isRefused ? 'include' : thirdPartyReplies,
					};
					// With one webhook for everything, the first activity of any event would count (D69).
					const isForEach = event !== '*' && options.subscription !== 'singleHook';
					const host = await sampleTrigger([event, 'paused'], {
						...options,
						isFirst: isFirst === true && isForEach,
					});
					const from = performance.now();
					await runTest(host);
					// Without waiting for a batch.
					expect(performance.now() - from).toBeLessThan(6_000);
					expect([host.started.length, host.statuses]).toEqual([1, [200]]);
					const { json } = host.started[0]!;
					const activity = options.output === 'grouped' ? json.activity : json;
					expect(activity).toMatchObject({
						_id: textLike(/^act_sample_/),
						type: event === '*' ? 'emailsReplied' : event,
					});
					expect(activity).not.toHaveProperty('secret');
					await host.stop();
				},
			),
			{ numRuns: tries(8) },
		);
		expect(world.requests()).toEqual([]);
	});

	it('has the texts that the conditions ask for, in the fields of its event and in those of a lead', async () => {
		const asked = { campaignName: 'Q3', leadCompany: 'Acme', sendUserId: 'usr_1' };
		const conditions = Object.entries(asked).flatMap(
			([field, value]) => onlyWhen(field, value).conditions,
		);
		const host = await sampleTrigger(['paused'], { onlyWhen: { combinator: 'and', conditions } });
		await runTest(host);
		expect(host.started.map(({ json }) => json)).toMatchObject([{ type: 'paused', ...asked }]);
		// An event without a campaign has no name of one, and a campaign that is not chosen starts nothing.
		for (const [event, options] of [
			['connectionIssue', { onlyWhen: onlyWhen('campaignName', 'Q3') }],
			['paused', { campaignId: 'cam_1', onlyWhen: onlyWhen('campaignId', 'cam_2') }],
		] as const) {
			const missed = await sampleTrigger([event], options);
			await expect(missed.call('create', 'manual')).rejects.toThrow(
				'The sample event does not meet',
			);
		}
	});

	it('starts it only if the sample meets the conditions; otherwise it says so immediately', async () => {
		const met = await sampleTrigger(['paused'], { onlyWhen: onlyWhen('type', 'paused') });
		await runTest(met);
		const missed = await sampleTrigger(['paused'], { onlyWhen: onlyWhen('type', 'resumed') });
		await expect(missed.call('create', 'manual')).rejects.toMatchObject({
			message:
				"The sample event does not meet the conditions of 'Only When': type is 'paused', which is not 'resumed'. Change the conditions until you publish, or set 'Test With' to 'Real Event'",
		});
		expect(missed.started).toEqual([]);
	});

	it('is one of the events that third parties can send, if nothing else starts the workflow', async () => {
		const only = { thirdPartyReplies: 'only' };
		const host = await sampleTrigger(['smsReplied', 'emailsReplied', 'warmed'], only);
		await runTest(host);
		expect(host.started.map(({ json }) => json)).toMatchObject([
			{ type: 'emailsReplied', isThirdPartyReply: true },
		]);
	});

	it('is sent at once where a proxy responds to the question before it', async () => {
		const host = await sampleTrigger(['paused']);
		host.optionsStatus = 405;
		await host.activate('manual');
		expect(host.started).toHaveLength(1);
		host.respond = () => 500;
		await expect(host.call('create', 'manual')).rejects.toMatchObject({
			message: textLike(/could not reach its own test URL/),
			description: textLike(/^It responded with status 500\. .+ was not tested\./),
		});
	});

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
			/^Nothing is listening at 127\.0\.0\.1:\d+ \(ECONNREFUSED\)/,
		],
	])('cannot be sent %s', async (_, failure, description) => {
		const host = await sampleTrigger(['paused']);
		host.targetFailure = failure;
		await expect(host.call('create', 'manual')).rejects.toMatchObject({
			message: textLike(
				/^n8n could not reach its own test URL at http:\/\/127.0.0.1:\d+: check WEBHOOK_URL$/,
			),
			description: textLike(description),
		});
	});
});

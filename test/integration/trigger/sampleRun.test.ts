/**
 * A test run with a sample event needs no service, and leaves nothing that anybody else could use; see
 * `unit/trigger/samples.test.ts` for the samples of all events. The world is a local service and one trigger in one process of n8n.
 */
import type { INodeParameters } from 'n8n-workflow';

import { withoutTime } from '../../clock';
import { onlyWhen } from '../support/conditions';
import { textLike } from '../support/matchers';
import type { TriggerHost } from '../support/trigger';
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld();

/** A trigger that is tested with a sample. */
const sampleTrigger = async (events: string[], options: INodeParameters = {}) =>
	await world.trigger(events, { testWith: 'sampleEvent', ...options }, { mode: 'manual' });

/** Runs a test as n8n does, until it has the item. */
async function runTest(host: TriggerHost): Promise<void> {
	await host.activate('manual');
	await until(() => host.started.length > 0);
	await host.deactivate();
}

const BATCH = { values: { maxEvents: 100, maxSeconds: 8 } };

it.each<[string[], INodeParameters, object]>([
	[['*', 'paused'], { subscription: 'singleHook' }, { type: 'emailsReplied' }],
	[
		['somethingNew'],
		{ batch: BATCH, campaignId: 'cam_1, cam_2' },
		{ type: 'somethingNew', campaignId: 'cam_1' },
	],
	[['warmed', 'paused'], { isFirst: true, duplicateMemory: 'database' }, { type: 'warmed' }],
	// A sample that meets the conditions stays as it is.
	[
		['paused'],
		{ onlyWhen: onlyWhen('campaignName', 'Sample', { type: 'string', operation: 'contains' }) },
		{ campaignName: 'Sample campaign' },
	],
	[['smsReplied', 'paused'], { subscription: 'singleHook' }, { type: 'smsReplied' }],
	// Only an email can be from a third party.
	[
		['smsReplied', 'emailsReplied', 'warmed'],
		{ thirdPartyReplies: 'only' },
		{ type: 'emailsReplied', isThirdPartyReply: true },
	],
	// The sample has the texts that conditions ask for, in the fields of its event and in those of a lead.
	[
		['paused'],
		{
			onlyWhen: {
				combinator: 'and',
				conditions: ['campaignName', 'leadCompany', 'sendUserId'].flatMap(
					(field) => onlyWhen(field, 'Q3').conditions,
				),
			},
		},
		{ type: 'paused', campaignName: 'Q3', leadCompany: 'Q3', sendUserId: 'Q3' },
	],
])(
	'A test run of %j with %j starts the workflow once with a sample (%j), without a wait or the secret, and asks the service nothing',
	async (events, options, expected) => {
		const host = await sampleTrigger(events, options);
		const from = performance.now();
		await runTest(host);
		expect(performance.now() - from).toBeLessThan(6_000);
		expect(host.statuses).toEqual([200]);
		const samples = host.started.map(({ json }) => json);
		expect(samples).toMatchObject([{ _id: textLike(/^act_sample_/), ...expected }]);
		expect(samples[0]).not.toHaveProperty('secret');
		expect(world.requests()).toEqual([]);
	},
);

it.each<[string, INodeParameters, string]>([
	[
		'paused',
		{ onlyWhen: onlyWhen('type', 'resumed') },
		": type is 'paused', which is not 'resumed'. Change the conditions until you publish, or set 'Test With' to 'Real Event'",
	],
	// An event without a campaign has no name of one, and a campaign that is not chosen starts nothing.
	['connectionIssue', { onlyWhen: onlyWhen('campaignName', 'Q3') }, ''],
	['paused', { campaignId: 'cam_1', onlyWhen: onlyWhen('campaignId', 'cam_2') }, ''],
])(
	'A test run of %s with %j says at once that no sample meets the conditions',
	async (event, options, why) => {
		const host = await sampleTrigger([event], options);
		await expect(host.call('create', 'manual')).rejects.toThrow(
			`The sample event does not meet the conditions of 'Only When'${why}`,
		);
		expect(host.started).toEqual([]);
	},
);

describe('A sample', () => {
	it('is verified in an n8n that does not tell webhook() the test URL, as n8n 1', async () => {
		const host = await sampleTrigger(['smsReplied']);
		host.knowsTestUrl = false;
		await runTest(host);
		expect(host.statuses).toEqual([200]);
	});

	it('is sent a moment after create has returned, because n8n registers the test URL once more', async () => {
		const host = await sampleTrigger(['paused']);
		await withoutTime(async () => {
			await host.call('create', 'manual');
			await jest.advanceTimersByTimeAsync(250);
			// If the sample were under way, it would come before this.
			await fetch(host.webhookUrl, { method: 'OPTIONS' });
			expect(host.statuses).toEqual([]);
		});
		await until(() => host.started.length > 0);
	});

	it('is sent at once where a proxy responds to the question before it, with those of other outputs', async () => {
		const options = { outputs: 'perEvent', output: 'grouped' };
		const host = await sampleTrigger(['paused', 'warmed'], options);
		host.optionsStatus = 405;
		await host.activate('manual');
		const events = ['paused', 'warmed'].map((type) => ({ json: { event: { type } } }));
		expect(host.started).toMatchObject(events);
		host.respond = () => 500;
		await expect(host.call('create', 'manual')).rejects.toMatchObject({
			message: textLike(/could not reach its own test URL/),
			description: textLike(/^It responded with status 500\. .+ was not tested\./),
		});
	});

	it.each([307, 500])('that gets a %d is logged, with the reason', async (status) => {
		const host = await sampleTrigger(['paused']);
		host.respond = () => status;
		const warnings = world.warnings();
		await host.activate('manual');
		await until(() => warnings().length > 0);
		expect(warnings()).toEqual([
			`The sample event did not reach "Trigger": It responded with status ${status}.`,
		]);
	});

	it('cannot be sent where nothing listens', async () => {
		const host = await sampleTrigger(['paused']);
		await host.stop();
		await expect(host.call('create', 'manual')).rejects.toMatchObject({
			message: textLike(
				/^n8n could not reach its own test URL at http:\/\/127.0.0.1:\d+: check WEBHOOK_URL$/,
			),
			description: textLike(/^n8n cannot reach 127\.0\.0\.1:\d+ \(ECONNREFUSED\)/),
		});
	});
});

/**
 * Every selection of events, and every change of it, ends with exactly the desired webhooks. The world is a real n8n
 * with the package and a local service.
 */
import type { N8nWorkflow } from '../../../tools/host';
import { EVENT_TYPES } from '../../../tools/service';
import { useOutreachHost, useServiceCredential } from '../outreachHost';
import {
	activateNewWorkflow,
	triggerWorkflow,
	waitForHookCount,
} from '../../../tools/host/workflows';
import { activate, deactivate } from '../../../tools/host/publishing';
import { changeTrigger } from '../changeTrigger';
import { deliverEach, FIVE_EVENTS, runsOf, typesAt } from './deliveriesAndRuns';

const host = useOutreachHost();
const credential = useServiceCredential(host);

let workflow: N8nWorkflow;

async function startWith(parameters: Record<string, unknown>, webhookCount: number): Promise<void> {
	workflow = await activateNewWorkflow(
		host(),
		triggerWorkflow(credential(), parameters),
		webhookCount,
	);
}

async function end(): Promise<void> {
	await deactivate(host(), workflow.id);
	expect(host().service.hooks()).toEqual([]);
	await host().server.client.deleteWorkflow(workflow.id);
}

const sorted = (ids: readonly unknown[]) => ids.map(String).sort();

describe('A selection of events', () => {
	afterEach(end);

	test('with every type registers and runs for each, and never exceeds the rate limit', async () => {
		const draft = triggerWorkflow(credential(), { events: [...EVENT_TYPES] });
		workflow = await host().server.client.createWorkflow(draft);
		expect(await activate(host(), workflow.id)).toMatchObject({ status: 'published' });
		expect(typesAt(host())).toEqual([...EVENT_TYPES].sort());

		const accepted = await deliverEach(host(), EVENT_TYPES);
		const runs = await runsOf(host(), workflow.id, accepted.length);
		expect(sorted(runs.map(({ _id }) => _id))).toEqual(sorted(accepted));
		expect(new Set(runs.map(({ type }) => type)).size).toBeGreaterThan(EVENT_TYPES.length - 10);
		expect(host().service.stats()).toMatchObject({ refused: 0 });
	});
});

describe('A changed setting of an active workflow', () => {
	let runs = 0;

	beforeAll(async () => {
		host().service.setSwitches({ unknownTypes: 'accept' });
		await startWith({ events: [...FIVE_EVENTS] }, FIVE_EVENTS.length);
	});
	afterAll(end);

	const SETTINGS: ReadonlyArray<
		[string, { events?: string[]; options?: Record<string, unknown> }, string[], object]
	> = [
		[
			'a campaign',
			{ options: { campaignId: 'cam_7', thirdPartyReplies: 'exclude' } },
			[...FIVE_EVENTS],
			{ campaignId: 'cam_7' },
		],
		[
			'a custom event type',
			{ options: { customEventTypes: 'brandNew' } },
			[...FIVE_EVENTS, 'brandNew'],
			{},
		],
		[
			'one webhook for everything',
			{ events: ['paused', 'warmed'], options: { subscription: 'singleHook' } },
			['*', 'warmed'],
			{},
		],
	];

	test.each(SETTINGS)(
		'results in exactly the desired webhooks: %s',
		async (_name, change, types, fields) => {
			const parameters = { events: [...FIVE_EVENTS], ...change };
			expect(await changeTrigger(host(), workflow, { parameters })).toMatchObject({
				status: 'published',
			});
			expect(typesAt(host())).toEqual([...types].sort());
			for (const { campaignId, isFirst } of host().service.hooks()) {
				expect({ campaignId, isFirst }).toEqual(fields);
			}

			runs += 1;
			expect(await deliverEach(host(), ['paused'], { campaignId: 'cam_7' })).toHaveLength(1);
			await runsOf(host(), workflow.id, runs);
		},
	);

	test('moves the webhooks to the other team if it is the credential', async () => {
		host().service.addApiKey('key-of-another-team', 'tea_other');
		const data = { baseUrl: host().service.baseUrl, apiKey: 'key-of-another-team' };
		const { client } = host().server;
		const other = await client.createCredential({
			name: 'Another team',
			type: 'outreachServiceApi',
			data,
		});
		const parameters = { events: [...FIVE_EVENTS] };
		const credentials = { outreachServiceApi: { id: other.id, name: other.name } };
		expect(await changeTrigger(host(), workflow, { parameters, credentials })).toMatchObject({
			status: 'published',
		});
		expect(host().service.hooks('tea_other')).toHaveLength(FIVE_EVENTS.length);
		await waitForHookCount(host(), FIVE_EVENTS.length);
		await host().service.emit({ type: 'paused', teamId: 'tea_other' });
		await runsOf(host(), workflow.id, runs + 1);
	});
});

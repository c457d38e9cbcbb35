import type { N8nCredential, N8nWorkflow } from '../../../tools/host';
import { EVENT_TYPES } from '../../../tools/service';
import { TEST_TIMEOUT_MS, useOutreachHost } from '../outreachHost';
import {
	activateNewWorkflow,
	createServiceCredential,
	triggerWorkflow,
} from '../../../tools/host/workflows';
import { activate, changeTrigger, deactivate } from '../../../tools/host/publishing';
import { deliverEach, FIVE_EVENTS, runsOf, typesAt } from './watching';

jest.setTimeout(TEST_TIMEOUT_MS);

const host = useOutreachHost();

let credential: N8nCredential;
let workflow: N8nWorkflow;

beforeAll(async () => {
	credential = await createServiceCredential(host());
});

async function startWith(parameters: Record<string, unknown>, hookCount: number): Promise<void> {
	workflow = await activateNewWorkflow(host(), triggerWorkflow(credential, parameters), hookCount);
}

async function end(): Promise<void> {
	await deactivate(host(), workflow.id);
	// Whoever leaves something behind must not go unnoticed.
	expect(host().service.hooks()).toEqual([]);
	await host().server.client.deleteWorkflow(workflow.id);
}

const sorted = (ids: readonly unknown[]) => ids.map(String).sort();

describe('A selection of events', () => {
	afterEach(end);

	test('of every type there is registers each, runs for each, and never exceeds the limit', async () => {
		const draft = triggerWorkflow(credential, { events: [...EVENT_TYPES] });
		workflow = await host().server.client.createWorkflow(draft);
		expect(await activate(host(), workflow.id)).toMatchObject({ status: 'published' });
		expect(typesAt(host())).toEqual([...EVENT_TYPES].sort());

		const taken = await deliverEach(host(), EVENT_TYPES);
		const runs = await runsOf(host(), workflow.id, taken.length);
		expect(sorted(runs.map(({ _id }) => _id))).toEqual(sorted(taken));
		expect(new Set(runs.map(({ type }) => type)).size).toBeGreaterThan(EVENT_TYPES.length - 10);
		expect(host().service.stats()).toMatchObject({ refused: 0 });
	});

	test('of all events needs one hook, whatever else is selected, and runs for any type', async () => {
		await startWith({ events: [...FIVE_EVENTS, '*'] }, 1);
		expect(typesAt(host())).toEqual(['*']);
		const taken = await deliverEach(host(), ['emailsOpened', 'callTranscriptDone', 'paused']);
		const runs = await runsOf(host(), workflow.id, 3);
		expect(sorted(runs.map(({ _id }) => _id))).toEqual(sorted(taken));
	});
});

describe('A setting that is changed while the workflow is active', () => {
	let runs = 0;

	beforeAll(async () => {
		host().service.setSwitches({ unknownTypes: 'accept' });
		await startWith({ events: [...FIVE_EVENTS] }, FIVE_EVENTS.length);
	});
	afterAll(end);

	const SETTINGS: ReadonlyArray<
		[string, { events?: string[]; options?: Record<string, unknown> }, string[], object]
	> = [
		['other events', { events: ['paused', 'resumed'] }, ['paused', 'resumed'], {}],
		['all events', { events: ['*'] }, ['*'], {}],
		['a campaign', { options: { campaignId: 'cam_7' } }, [...FIVE_EVENTS], { campaignId: 'cam_7' }],
		['only the first', { options: { isFirst: true } }, [...FIVE_EVENTS], { isFirst: true }],
		[
			'a type of its own',
			{ options: { customEventTypes: 'brandNew' } },
			[...FIVE_EVENTS, 'brandNew'],
			{},
		],
		[
			'one hook for everything',
			{ events: ['paused', 'warmed'], options: { subscription: 'singleHook' } },
			['*', 'warmed'],
			{},
		],
		['no check of the secret', { options: { verifySecret: false } }, [...FIVE_EVENTS], {}],
		['another output', { options: { output: 'grouped' } }, [...FIVE_EVENTS], {}],
		['no repairs', { options: { repairMinutes: 0 } }, [...FIVE_EVENTS], {}],
	];

	test.each(SETTINGS)(
		'(%s) leaves exactly the hooks that are wanted now',
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

	test('(another credential) moves the hooks to the other team, and leaves none in the first', async () => {
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
		expect(host().service.hooks()).toHaveLength(FIVE_EVENTS.length);
		await host().service.emit({ type: 'paused' }, { team: 'tea_other' });
		await runsOf(host(), workflow.id, runs + 1);
	});
});

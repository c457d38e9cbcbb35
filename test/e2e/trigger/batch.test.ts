/**
 * A burst of events in batches has each event in exactly one run, even if n8n is killed. The world is a real n8n with
 * the package and a local service.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { itemsOf, waitFor, type N8nWorkflow } from '../../../tools/host';
import { deactivate } from '../../../tools/host/publishing';
import {
	activateNewWorkflow,
	createServiceCredential,
	TRIGGER_NAME,
	triggerWorkflow,
} from '../../../tools/host/workflows';
import { mixed } from '../../../tools/load/events';
import { judge } from '../../../tools/load/judge';
import { deliveredBy } from './deliveriesAndRuns';
import { send } from '../../../tools/load/send';
import { lockDatabase } from '../lockDatabase';
import { DEFAULT_SWITCHES } from '../../../tools/service';
import { TEST_TIMEOUT_MS, useOutreachHost } from '../outreachHost';
import { CAN, testWhere } from '../underTest';
import { executionsOf, runsAfterTrigger } from './everyExecution';

/** How many events a burst has; more than in CI with the environment variable: `BURST_EVENTS=10000`. */
const BURST = Number(process.env.BURST_EVENTS ?? 300);

// Without this, n8n spends most of the time on its expression engine, which these deliveries do not need.
const host = useOutreachHost(
	{ env: { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' } },
	3 * TEST_TIMEOUT_MS + BURST * 100,
);

beforeEach(() => {
	host().service.setSwitches({ ...DEFAULT_SWITCHES, deliveryTimeoutMs: 30_000 });
});

/** An active workflow with one webhook for all events. */
async function activate(options: Record<string, unknown>): Promise<N8nWorkflow> {
	const credential = await createServiceCredential(host());
	const workflow = await activateNewWorkflow(
		host(),
		triggerWorkflow(credential, { events: ['*'], options }),
		1,
	);
	active.push(workflow.id);
	return workflow;
}

/** The workflows of the test that runs; the next one's deliveries must not reach them. */
let active: string[] = [];
afterEach(async () => {
	const ids = active;
	active = [];
	for (const id of ids) await deactivate(host(), id);
});

const batch = (maxEvents: number, maxSeconds: number) => ({ values: { maxEvents, maxSeconds } });

/** The IDs of the activities in each stored run of a workflow. */
async function runsOf({ id }: N8nWorkflow, events: number): Promise<string[][]> {
	const { executions } = host().server.client;
	const read = async () => {
		const all = await executions.waitForFinished(id, 0);
		return all.map((run) => itemsOf(run, TRIGGER_NAME).map(({ _id }) => String(_id)));
	};
	return await waitFor(`${events} events`, read, (runs) => runs.flat().length >= events, {
		timeoutMs: TEST_TIMEOUT_MS,
	});
}

const activities = (count: number, prefix: string, fields: Record<string, unknown> = {}) =>
	Array.from({ length: count }, (_, index) => ({
		type: 'emailsOpened',
		_id: `act_${prefix}_${index}`,
		...fields,
	}));
const idsOf = (given: Array<{ _id: string }>) => given.map(({ _id }) => _id).sort();

/** Sends a burst of events, one in five twice. @returns what is wrong, and the number of executions */
async function sendBurst(workflow: N8nWorkflow, prefix: string) {
	const ids = Array.from({ length: BURST }, (_, index) => `act_${prefix}_${index}`);
	const deliver = deliveredBy(host());
	const attempts = await send(mixed(ids, { twiceEvery: 5 }), deliver, { concurrency: 200 });
	const executions = await executionsOf(host(), workflow);
	const { problems } = judge(attempts, runsAfterTrigger(executions));
	return { attempts, problems, count: executions.length };
}

describe(`A burst of ${BURST} events with duplicates`, () => {
	test('becomes a few runs, with each event in exactly one', async () => {
		const workflow = await activate({ batch: batch(50, 1) });
		const { attempts, problems, count } = await sendBurst(workflow, 'burst');
		expect(problems).toEqual([]);
		expect(new Set(attempts.map(({ status }) => status))).toEqual(new Set([200]));
		expect(count).toBeLessThan(BURST / 5);
	});

	test('has each event in exactly one run when half of the senders disconnect and repeat it', async () => {
		host().service.setSwitches({
			disconnectShare: 0.5,
			redeliveries: 10,
			redeliveryDelayMs: 200,
			redeliveryFactor: 1,
		});
		// Longer than a sender waits that disconnects, so half of each batch is acknowledged to nobody at first.
		const workflow = await activate({ batch: batch(50, 2) });
		const { problems } = await sendBurst(workflow, 'disconnected');
		expect(problems).toEqual([]);
	});
});

test('An event that does not meet the conditions costs no execution', async () => {
	const onlyWhen = {
		combinator: 'and',
		conditions: [
			{
				id: '1',
				leftValue: 'campaignName',
				operator: { type: 'string', operation: 'startsWith' },
				rightValue: 'Spring',
			},
			{
				id: '2',
				// As the editor stores it, which takes a name for a number here.
				leftValue: '={{ $json.sequenceStep }}',
				operator: { type: 'number', operation: 'gte' },
				rightValue: 2,
			},
		],
		options: { caseSensitive: false, leftValue: '', typeValidation: 'loose', version: 2 },
	};
	const workflow = await activate({ onlyWhen, output: 'grouped' });
	const spring = { campaignName: 'Spring 2026', sequenceStep: 3 };
	const misses = [
		...activities(3, 'autumn', { ...spring, campaignName: 'Autumn' }),
		...activities(3, 'early', { ...spring, sequenceStep: 1 }),
	];
	const hits = activities(4, 'spring', spring);
	const outcomes = await host().service.emitMany([...misses, ...hits]);
	expect(outcomes).toEqual({ 200: 10 });
	const { executions } = host().server.client;
	const runs = await executions.waitForFinished(workflow.id, hits.length);
	const ids = runs.flatMap((run) =>
		itemsOf(run, TRIGGER_NAME).map(({ event }) => (event as { id: string }).id),
	);
	expect(ids.sort()).toEqual(idsOf(hits));
	expect(runs).toHaveLength(hits.length);
});

/** Long enough for deliveries to be held, in milliseconds; the service does not log them before they have an outcome. */
const HELD_MS = 2_000;

const testWhereStoredFirst = testWhere(
	CAN.storeBeforeResponse,
	'it responds to a delivery before it has stored anything',
);

testWhereStoredFirst(
	'An n8n that shuts down within a window stores what it acknowledges',
	async () => {
		const { service, server } = host();
		service.setSwitches({ redeliveries: 0 });
		const workflow = await activate({ batch: batch(500, 8) });
		const held = activities(20, 'shutdown');
		const delivered = service.emitMany(held);
		await sleep(HELD_MS);
		await server.stop();
		const outcomes = await delivered;
		await server.restart();
		const acknowledged = outcomes['200'] ?? 0;
		const runs = await runsOf(workflow, acknowledged);
		expect(runs.flat()).toHaveLength(acknowledged);
		// The trigger hands over the open batch, and n8n waits for it.
		expect(acknowledged).toBe(held.length);
	},
);

test('An n8n that is killed within a window has acknowledged nothing of it, and runs each event once when it is sent again', async () => {
	const { service, server } = host();
	service.setSwitches({ redeliveries: 0 });
	const workflow = await activate({ batch: batch(500, 8) });
	const held = activities(20, 'killed');
	const delivered = service.emitMany(held);
	await sleep(HELD_MS);
	await server.kill();
	expect(await delivered).not.toHaveProperty('200');
	await server.restart();
	// Not before n8n is ready: while it starts, it responds to everything with 200.
	expect(await service.emitMany(held)).toEqual({ 200: held.length });
	const runs = await runsOf(workflow, held.length);
	expect(runs.flat().sort()).toEqual(idsOf(held));
});

testWhereStoredFirst(
	'A batch that n8n cannot store is rejected for each sender, and runs once when it is redelivered',
	async () => {
		const { service, server, installation } = host();
		service.setSwitches({ redeliveries: 20, redeliveryDelayMs: 500, redeliveryFactor: 1 });
		const workflow = await activate({ batch: batch(20, 2) });
		const held = activities(20, 'refused');
		const unlock = await lockDatabase(installation, server.userFolder);
		const ids = new Set<string | undefined>(idsOf(held));
		const delivered = service.emitMany(held);
		await waitFor(
			'n8n to reject each delivery',
			// By activity: after many events, the ledger has only the newest entries.
			() =>
				service.ledger.filter(({ activityId, status }) => ids.has(activityId) && status !== 200),
			(rejected) => rejected.length >= held.length,
		).finally(unlock);
		expect(await delivered).toMatchObject({ 200: held.length });
		const runs = await runsOf(workflow, held.length);
		expect(runs.flat().sort()).toEqual(idsOf(held));
	},
);

/**
 * What n8n makes of deliveries with an output for each event, in batches, while it cannot store them, and while it shuts
 * down. The world is a real n8n with the package and a local service.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { itemsOf, waitFor, type N8nWorkflow, type N8nWorkflowDraft } from '../../tools/host';
import { activateNewWorkflow, deactivate } from '../../tools/host/publishing';
import { node, TRIGGER_NAME, triggerWorkflow } from '../../tools/host/workflows';
import { DEFAULT_SWITCHES } from '../../tools/service';
import { lockDatabase } from './lockDatabase';
import { TEST_TIMEOUT_MS, useOutreachHost, useServiceCredential } from './outreachHost';
import { CAN, testWhere } from './underTest';

// Without this, a busy machine starts the execution of an open batch later than n8n waits for when it shuts down.
const host = useOutreachHost({ env: { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' } });
const credential = useServiceCredential(host);

/** The active workflows of the test that runs; the next one's deliveries must not reach them. */
const active: string[] = [];

beforeEach(() => {
	host().service.setSwitches({ ...DEFAULT_SWITCHES, deliveryTimeoutMs: 30_000 });
});
afterEach(async () => {
	for (const id of active.splice(0)) await deactivate(host(), id);
});

/** An active workflow. */
async function activate(draft: N8nWorkflowDraft): Promise<N8nWorkflow> {
	const workflow = await activateNewWorkflow(host(), draft);
	active.push(workflow.id);
	return workflow;
}

const forAllEvents = (options = {}) => triggerWorkflow(credential(), { events: ['*'], options });

const batchOf = (maxEvents: number, maxSeconds: number) => ({
	batch: { values: { maxEvents, maxSeconds } },
});

const activities = (count: number, prefix: string) =>
	Array.from({ length: count }, (_, index) => ({
		type: 'emailsOpened',
		_id: `act_${prefix}_${index}`,
	}));
const idsOf = (given: Array<Record<string, unknown>>) => given.map(({ _id }) => String(_id)).sort();

/** The IDs of the activities that a workflow ran for, once it ran for as many. */
async function idsThatRan({ id }: N8nWorkflow, events: number): Promise<string[]> {
	const { executions } = host().server.client;
	const read = async () => {
		const all = await executions.waitForFinished(id, 0);
		return idsOf(all.flatMap((run) => itemsOf(run, TRIGGER_NAME)));
	};
	return await waitFor(`${events} events`, read, (ids) => ids.length >= events, {
		timeoutMs: TEST_TIMEOUT_MS,
	});
}

test('In a batch, and with an error output, each event runs the branches of its subscriptions, or that of everything else', async () => {
	const events = ['emailsReplied', 'warmed', '*'];
	const options = { ...batchOf(5, 8), outputs: 'perEvent' };
	const draft = triggerWorkflow(credential(), { events, options });
	const branches = events.map((event) => node(`Branch of ${event}`, 'n8n-nodes-base.noOp', 1));
	const main = branches.map(({ name }) => [{ node: name, type: 'main', index: 0 }]);
	const { id } = await activate({
		...draft,
		nodes: [{ ...draft.nodes[0]!, onError: 'continueErrorOutput' }, ...branches],
		connections: { [TRIGGER_NAME]: { main } },
	});
	// Each reply is also the lead state 'warmed': five events of three activities.
	const sent = ['emailsReplied', 'smsReplied', 'emailsOpened'].map((type) => ({
		type,
		_id: `act_${type}`,
	}));
	expect(await host().service.emitMany(sent)).toEqual({ 200: 5 });
	const finished = await host().server.client.executions.waitForFinished(id, 1);
	expect(finished.map(({ status }) => status)).toEqual(['success']);
	const idsIn = (event: string) =>
		idsOf(finished.flatMap((run) => itemsOf(run, `Branch of ${event}`)));
	expect(events.map(idsIn)).toEqual([
		['act_emailsReplied'],
		['act_emailsReplied', 'act_smsReplied'],
		['act_emailsOpened', 'act_smsReplied'],
	]);
});

const testWhereStoredFirst = testWhere(
	CAN.storeBeforeResponse,
	'it responds to a delivery before it has stored anything',
);

testWhereStoredFirst(
	"While n8n's database takes no writes, each delivery gets an error response, in a batch, too, and runs once when it is redelivered",
	async () => {
		const { installation, server, service } = host();
		service.setSwitches({ redeliveries: 20, redeliveryDelayMs: 500 });
		const single = await activate(forAllEvents());
		const batched = await activate(forAllEvents(batchOf(3, 2)));
		const given = activities(3, 'refused');
		const ids = new Set<string | undefined>(idsOf(given));
		const unlock = await lockDatabase(installation, server.userFolder);
		const delivered = Promise.all(
			// Two simultaneous copies of each, so that one waits for the outcome of the other.
			given.map(async (activity) => await service.emit(activity, { copies: 2 })),
		);
		await waitFor(
			'n8n to reject each delivery to both workflows',
			() =>
				service.ledger.flatMap(({ activityId, hookId, status = 0 }) =>
					ids.has(activityId) && status >= 500 ? [`${activityId} ${hookId}`] : [],
				),
			(rejected) => new Set(rejected).size === 2 * given.length,
		).finally(unlock);
		const final = (await delivered).flat().filter((entry) => entry.final);
		expect(final.map(({ status }) => status)).toEqual(Array(4 * given.length).fill(200));
		for (const workflow of [single, batched])
			expect(await idsThatRan(workflow, given.length)).toEqual(idsOf(given));
	},
);

/** Long enough for deliveries to be held, in milliseconds; the service does not log them before they have an outcome. */
const HELD_MS = 2_000;

testWhereStoredFirst(
	'An n8n that shuts down with an open batch stores and acknowledges it',
	async () => {
		const { service, server } = host();
		service.setSwitches({ redeliveries: 0 });
		const workflow = await activate(forAllEvents(batchOf(500, 8)));
		const held = activities(20, 'shutdown');
		const delivered = service.emitMany(held);
		await sleep(HELD_MS);
		await server.stop();
		// The trigger hands over the open batch, and n8n waits for it.
		expect(await delivered).toEqual({ 200: held.length });
		await server.restart();
		expect(await idsThatRan(workflow, held.length)).toEqual(idsOf(held));
	},
);

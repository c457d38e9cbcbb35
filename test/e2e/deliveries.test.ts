/**
 * What n8n makes of deliveries, by the hundred, malformed, in batches and with an output for each event; while it cannot
 * store them, shuts down or is killed. The world is a real n8n with the package and a local service.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { itemsOf, waitFor, type N8nNode, type N8nWorkflow } from '../../tools/host';
import { deactivate, restart } from '../../tools/host/publishing';
import {
	activateNewWorkflow,
	NEXT_NODE,
	node,
	TRIGGER_NAME,
	triggerWorkflow,
} from '../../tools/host/workflows';
import { deriveSecret } from '../../tools/load/deriveSecret';
import { mixed } from '../../tools/load/events';
import { judge } from '../../tools/load/judge';
import { send, senderTo } from '../../tools/load/send';
import { DEFAULT_SWITCHES } from '../../tools/service';
import { lockDatabase } from './lockDatabase';
import { TEST_TIMEOUT_MS, useOutreachHost, useServiceCredential } from './outreachHost';
import {
	deliveredBy,
	executionsOf,
	LAZY_EXPRESSIONS,
	MARK_AS_CRASHED,
	post,
	runsAfterTrigger,
} from './runs';
import { CAN, testWhere } from './underTest';

const host = useOutreachHost({ env: LAZY_EXPRESSIONS }, 2 * TEST_TIMEOUT_MS);
const credential = useServiceCredential(host);

/** The active workflows of the test that runs; the next one's deliveries must not reach them. */
const active: string[] = [];

beforeEach(() => {
	host().service.setSwitches({ ...DEFAULT_SWITCHES, deliveryTimeoutMs: 30_000 });
});
afterEach(async () => {
	for (const id of active.splice(0)) await deactivate(host(), id);
});

type Draft = ReturnType<typeof triggerWorkflow>;

/** An active workflow for all events, unless something else is given. */
async function activate(
	options: Record<string, unknown> = {},
	{ events = ['*'], webhooks = 1, change = (draft: Draft) => draft } = {},
): Promise<N8nWorkflow> {
	const draft = change(triggerWorkflow(credential(), { events, options }));
	const workflow = await activateNewWorkflow(host(), draft, webhooks);
	active.push(workflow.id);
	return workflow;
}

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

/** n8n itself rejects what is not valid JSON. */
const MALFORMED = ['', '[]', '{', '{"_id":"act_0"', '"text"', 'null', '12', '{}', '[{}]', 'a=b'];
const SENDERS = 32;

test('Hundreds of deliveries, of which many are duplicates, forged or malformed, start one execution for each authentic activity', async () => {
	const { service } = host();
	const workflow = await activate();
	const url = service.hooks()[0]!.targetUrl;
	const secret = deriveSecret(service.apiKey, url);
	const { deliver, close } = senderTo({ url, secret, redeliveries: 0, connections: SENDERS });
	const ids = idsOf(activities(300, 'mixed'));
	const mixture = { againEvery: 5, againAfter: [0, 30], forgedEvery: 7 };
	const attempts = await send(mixed(ids, mixture), deliver, SENDERS);
	await close();
	for (const body of MALFORMED) expect([401, 422]).toContain(await post(url, body));
	for (const [encoding, body] of [
		['gzip', 'no gzip'],
		['zip', 'an unknown encoding'],
	] as const) {
		const headers = { 'content-type': 'application/octet-stream', 'content-encoding': encoding };
		expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(401);
	}
	const executions = await executionsOf(host(), workflow);
	expect(judge(attempts, runsAfterTrigger(executions)).problems).toEqual([]);
	expect(executions).toHaveLength(ids.length);
});

test('A burst in batches becomes a few runs, with each event in exactly one, although half of the senders disconnect and repeat it', async () => {
	host().service.setSwitches({
		disconnectShare: 0.5,
		redeliveries: 10,
		redeliveryDelayMs: 200,
		redeliveryFactor: 1,
	});
	// Longer than a sender waits that disconnects, so half of each batch is acknowledged to nobody at first.
	const workflow = await activate(batchOf(50, 2));
	const ids = idsOf(activities(300, 'burst'));
	const burst = mixed(ids, { againEvery: 5, againAfter: [0] });
	const attempts = await send(burst, deliveredBy(host()), 200);
	const executions = await executionsOf(host(), workflow);
	expect(judge(attempts, runsAfterTrigger(executions)).problems).toEqual([]);
	expect(executions.length).toBeLessThan(ids.length / 5);
});

describe('With an output for each event,', () => {
	const EVENTS = ['emailsReplied', 'warmed', '*'];
	const branchOf = (event: string): string => `Branch of ${event}`;

	/** Has a branch for each event, and nothing else, behind the trigger. */
	const withBranches =
		(settings: Partial<N8nNode>) =>
		({ nodes: [trigger], ...draft }: Draft): Draft => {
			const branches = EVENTS.map((event) => node(branchOf(event), 'n8n-nodes-base.noOp', 1));
			const main = branches.map(({ name }) => [{ node: name, type: 'main', index: 0 }]);
			const nodes = [{ ...trigger!, ...settings }, ...branches];
			return { ...draft, nodes, connections: { [TRIGGER_NAME]: { main } } };
		};

	test.each([
		{ name: 'each on its own, with an error output', settings: { onError: 'continueErrorOutput' } },
		{ name: 'in a batch', options: batchOf(5, 8) },
		{
			name: 'with Always Output Data, which gives the first branch empty items',
			settings: { alwaysOutputData: true },
			empty: true,
		},
	])(
		'an event runs the branches of its subscriptions, or that of everything else: $name',
		async ({ options = {}, settings = {}, empty = false }) => {
			const workflow = await activate(
				{ ...options, outputs: 'perEvent' },
				// That for all events, and that of the lead state.
				{ events: EVENTS, webhooks: 2, change: withBranches(settings) },
			);
			const types = ['emailsReplied', 'smsReplied', 'emailsOpened'];
			const ids = types.map((type) => `act_${type}_${workflow.id}`);
			// Each reply is also the lead state 'warmed'.
			await host().service.emitMany(types.map((type, index) => ({ type, _id: ids[index] })));
			const count = 'batch' in options ? 1 : 5;
			const { executions } = host().server.client;
			const finished = await executions.waitForFinished(workflow.id, count);
			expect(finished.map(({ status }) => status)).toEqual(Array(count).fill('success'));
			const itemsIn = (event: string) => finished.flatMap((run) => itemsOf(run, branchOf(event)));
			const [reply, sms, open] = ids;
			const first = itemsIn('emailsReplied');
			expect(idsOf(first.filter(({ _id }) => _id !== undefined))).toEqual([reply]);
			// n8n 3 adds such an item only when no output has one.
			expect(first.length > 1).toBe(empty);
			expect(idsOf(itemsIn('warmed'))).toEqual([reply, sms].sort());
			expect(idsOf(itemsIn('*'))).toEqual([open, sms].sort());
		},
	);
});

const testWhereStoredFirst = testWhere(
	CAN.storeBeforeResponse,
	'it responds to a delivery before it has stored anything',
);

testWhereStoredFirst(
	"While n8n's database takes no writes, each delivery gets an error response, in a batch, too, and runs once when it is redelivered",
	async () => {
		const { installation, server, service } = host();
		service.setSwitches({ redeliveries: 20, redeliveryDelayMs: 500, redeliveryFactor: 1 });
		const single = await activate();
		const batched = await activate(batchOf(3, 2));
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
		const workflow = await activate(batchOf(500, 8));
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

describe('An n8n that is killed', () => {
	const eventLog = () => join(host().server.userFolder, '.n8n/n8nEventLog.log');

	/**
	 * Kills n8n and leaves its event log as if it had been killed between the start of an execution and that of its first
	 * node. A thread writes that log, so this can also happen while a node runs: what the thread has not written is lost.
	 */
	async function killBeforeFirstNode({ id }: N8nWorkflow): Promise<void> {
		await waitFor(
			'n8n to log the start of the execution',
			async () => (await readFile(eventLog(), 'utf8')).split('\n'),
			(lines) => lines.some((line) => line.includes('"n8n.workflow.started"') && line.includes(id)),
		);
		await host().server.kill();
		const lines = (await readFile(eventLog(), 'utf8')).split('\n');
		await writeFile(eventLog(), lines.filter((line) => !line.includes('"n8n.node.')).join('\n'));
	}

	// What docs/operations.md tells how to live with.
	test('has acknowledged nothing of an open batch, and leaves an execution that had hardly begun Running, unless it is told to mark it as Crashed', async () => {
		const { server, service } = host();
		const { executions } = server.client;
		service.setSwitches({ redeliveries: 0 });
		/** Takes ten seconds: longer than it takes to kill n8n. */
		const slow = { type: 'n8n-nodes-base.wait', typeVersion: 1.1, parameters: { amount: 10 } };
		const workflow = await activate(undefined, {
			events: ['paused'],
			change: ({ nodes, ...draft }) => ({
				...draft,
				nodes: nodes.map((one) => (one.name === NEXT_NODE ? { ...one, ...slow } : one)),
			}),
		});
		const batched = await activate(batchOf(500, 8), { events: ['emailsOpened'] });
		const held = activities(20, 'killed');
		const delivered = service.emitMany(held);
		await sleep(HELD_MS);
		expect(await service.emitMany([{ type: 'paused', _id: 'act_interrupted' }])).toEqual({
			200: 1,
		});
		await killBeforeFirstNode(workflow);
		expect(await delivered).not.toHaveProperty('200');

		const statuses = async () =>
			(await executions.list({ workflowId: workflow.id })).map(({ mode, status }) => [
				mode,
				status,
			]);
		await restart(host());
		expect(await statuses()).toEqual([['webhook', 'running']]);
		expect(await service.emitMany(held)).toEqual({ 200: held.length });
		expect(await idsThatRan(batched, held.length)).toEqual(idsOf(held));

		await server.restart(MARK_AS_CRASHED);
		expect(await statuses()).toEqual([['webhook', 'crashed']]);
		for (const { id } of await executions.list({ workflowId: workflow.id }))
			await executions.retry(id);
		const [, retry] = await executions.waitForFinished(workflow.id, 2);
		expect(retry).toMatchObject({ mode: 'retry', status: 'success' });
		expect(retry && itemsOf(retry, NEXT_NODE)).toMatchObject([{ _id: 'act_interrupted' }]);
	});
});

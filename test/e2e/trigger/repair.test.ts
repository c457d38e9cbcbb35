import { readFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { spread } from '../../../nodes/OutreachService/trigger/lifecycle/repair';
import { waitFor, type N8nCredential, type N8nWorkflow } from '../../../tools/host';
import { TEST_TIMEOUT_MS, useOutreachHost } from '../outreachHost';
import { createServiceCredential, triggerWorkflow } from '../../../tools/host/workflows';
import { activate, deactivate } from '../../../tools/host/publishing';
import { deliverEach, placeOf, runsOf, typesAt } from './watching';

jest.setTimeout(TEST_TIMEOUT_MS);

const EVENTS = ['emailsReplied', 'paused', 'smsReplied'];

const host = useOutreachHost();

let credential: N8nCredential;
let workflow: N8nWorkflow;
/** Of the minute: when the workflow looks after its hooks. */
let second = 0;

beforeAll(async () => {
	credential = await createServiceCredential(host());
});

/** A new workflow that looks after its hooks every minute, at this second. */
async function createWatched(second: number): Promise<N8nWorkflow> {
	const { client } = host().server;
	const draft = triggerWorkflow(credential, { events: EVENTS, options: { repairMinutes: 1 } });
	const { id } = await client.createWorkflow(draft);
	// A node's second in the minute follows from its ID, and waiting a whole minute would make the tests slow.
	let nodeId = randomUUID();
	while (spread(`${id}/${nodeId}`, 60) !== second) nodeId = randomUUID();
	const nodes = draft.nodes.map((node, place) => (place === 0 ? { ...node, id: nodeId } : node));
	return client.updateWorkflow(id, { ...draft, nodes });
}

/** Activates a workflow that looks after its hooks in so many seconds, and every minute from then on. */
async function watchFrom(seconds: number): Promise<void> {
	second = (new Date().getSeconds() + seconds) % 60;
	workflow = await createWatched(second);
	expect(await activate(host(), workflow.id)).toMatchObject({ status: 'published' });
}

afterEach(async () => {
	host().service.clearFaults();
	await deactivate(host(), workflow.id);
	expect(host().service.hooks()).toEqual([]);
	// trigger() is there for its clock alone: it must never start the workflow.
	const runs = await host().server.client.executions.list({ workflowId: workflow.id });
	expect(runs.filter(({ mode }) => mode !== 'webhook')).toEqual([]);
	await host().server.client.deleteWorkflow(workflow.id);
});

/** Waits until there is a working hook for each event again: a minute and a little, however bad the luck. */
async function waitForRepair(): Promise<void> {
	await waitFor(
		'a working hook for each event',
		() => host().service.hooks(),
		(hooks) => hooks.length === EVENTS.length && hooks.every(({ disabled }) => !disabled),
		{ timeoutMs: 90_000 },
	);
	expect(typesAt(host())).toEqual([...EVENTS].sort());
}

/** The proof that deliveries of every webhook are verified: one activity of each type runs, once. */
async function expectBelieved(runsBefore = 0): Promise<void> {
	const taken = await deliverEach(host(), EVENTS);
	expect(taken).toHaveLength(EVENTS.length);
	const runs = await runsOf(host(), workflow.id, runsBefore + EVENTS.length);
	expect(
		runs
			.slice(runsBefore)
			.map(({ _id }) => _id)
			.sort(),
	).toEqual([...taken].sort());
}

const hookFor = (wanted: string) =>
	host()
		.service.hooks()
		.find(({ type }) => type === wanted)!._id;

describe('While the workflow is active', () => {
	test('restores a webhook that is removed and one that is disabled, and verifies their deliveries at once', async () => {
		await watchFrom(8);
		const untouched = hookFor('smsReplied');
		host().service.removeHook(hookFor('emailsReplied'));
		host().service.disableHook(hookFor('paused'));
		await waitForRepair();
		expect(hookFor('smsReplied')).toBe(untouched);
		await expectBelieved();
		expect(await readFile(host().server.logFile, 'utf8')).toContain('2 created again, 1 removed');
	});

	test('a new API key in the same credential is used from then on, and shuts out no older hook', async () => {
		await watchFrom(15);
		const { client } = host().server;
		const newKey = `key-${randomUUID()}`;
		host().service.addApiKey(newKey);
		const { id, name, type } = credential;
		const data = { baseUrl: host().service.baseUrl, apiKey: newKey };
		await client.updateCredential(id, { name, type, data });
		host().service.removeApiKey(host().service.apiKey);
		await expectBelieved();

		host().service.removeHook(hookFor('emailsReplied'));
		await waitForRepair();
		await expectBelieved(EVENTS.length);
		host().service.addApiKey(host().service.apiKey);
	});
});

describe('After a deactivation', () => {
	test('nothing comes back', async () => {
		await watchFrom(15);
		// Both look at the same second: once the one has repaired, the other would have, too.
		const other = await createWatched(second);
		await activate(host(), other.id);
		const base = placeOf(host().service.hooks().at(-1)!);
		const ofOther = () =>
			host()
				.service.hooks()
				.filter((hook) => placeOf(hook) === base);
		expect(ofOther()).toHaveLength(EVENTS.length);
		await deactivate(host(), other.id);

		host().service.removeHook(hookFor('paused'));
		await waitForRepair();
		await expectBelieved();
		expect(ofOther()).toEqual([]);
		await host().server.client.deleteWorkflow(other.id);
	});
});

describe('A restart of n8n', () => {
	test('brings back the hooks that vanished while it was down, and keeps the others', async () => {
		await watchFrom(15);
		await host().server.stop();
		const kept = hookFor('paused');
		host().service.removeHook(hookFor('emailsReplied'));
		host().service.disableHook(hookFor('smsReplied'));
		await host().server.restart();
		await waitForRepair();
		expect(hookFor('paused')).toBe(kept);
		await expectBelieved();
	});

	test('while the service is down leaves the workflow active and its hooks alone', async () => {
		await watchFrom(40);
		const before = host().service.hooks();
		await host().server.stop();
		host().service.addFault({ kind: 'status', status: 503, share: 1 });
		await host().server.restart();
		await waitFor(
			'n8n to have given up asking',
			() => readFile(host().server.logFile, 'utf8'),
			(log) => log.includes('They count as they were'),
		);
		expect(await host().server.client.getWorkflow(workflow.id)).toMatchObject({ active: true });
		expect(host().service.hooks()).toEqual(before);
		await expectBelieved();

		host().service.clearFaults();
		host().service.removeHook(hookFor('paused'));
		await waitForRepair();
		await expectBelieved(EVENTS.length);
	});

	test('in a partial outage keeps the webhooks that are well, goes live, and restores the rest', async () => {
		await watchFrom(40);
		const [vanished, ...well] = host().service.hooks();
		await host().server.stop();
		host().service.removeHook(vanished!._id);
		host().service.addFault({ kind: 'status', status: 503, match: { method: 'POST' } });
		await host().server.restart();
		await waitFor(
			'n8n to have gone live without the webhook that cannot be created',
			() => readFile(host().server.logFile, 'utf8'),
			(log) => log.includes('The workflow is active with the others'),
		);
		expect(host().service.hooks()).toEqual(well);
		await waitForRepair();
		expect(host().service.hooks()).toEqual(expect.arrayContaining(well));
		await expectBelieved();
	});
});

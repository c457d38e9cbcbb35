/**
 * The checks of an active workflow, and a restart of n8n, restore its webhooks. The world is a real n8n with the
 * package and a local service.
 */
import { randomUUID } from 'node:crypto';
import { secondOf } from '../../../nodes/OutreachService/trigger/registration/checks';
import { logFromNow, waitFor, type N8nWorkflow } from '../../../tools/host';
import { useOutreachHost, useServiceCredential } from '../outreachHost';
import { triggerWorkflow } from '../../../tools/host/workflows';
import { activate, deactivate } from '../../../tools/host/publishing';
import { deliverEach, runsOf, typesAt } from './deliveriesAndRuns';

const EVENTS = ['emailsReplied', 'paused', 'smsReplied'];

// n8n gives up on an activation after 70 % of this: 28 seconds instead of 84.
const host = useOutreachHost({ env: { N8N_WORKFLOW_PUBLICATION_OUTBOX_LEASE_SECONDS: '40' } });
const credential = useServiceCredential(host);

let workflow: N8nWorkflow;

/** Creates a workflow that checks its webhooks at this second of every minute. */
async function createCheckedAt(second: number): Promise<N8nWorkflow> {
	const { client } = host().server;
	// Reports are executions of their own; here only those that events start count.
	const options = { repairMinutes: 1, reportProblems: false };
	const draft = triggerWorkflow(credential(), { events: EVENTS, options });
	const { id } = await client.createWorkflow(draft);
	// The second follows from the node's ID; waiting for a random one would make the tests slow.
	let nodeId = randomUUID();
	while (secondOf(`${id}/${nodeId}`) !== second) nodeId = randomUUID();
	const nodes = draft.nodes.map((node, index) => (index === 0 ? { ...node, id: nodeId } : node));
	return client.updateWorkflow(id, { ...draft, nodes });
}

/** Activates a workflow that checks its webhooks in this many seconds, and every minute from then on. */
async function activateWithCheckIn(seconds: number): Promise<void> {
	workflow = await createCheckedAt((new Date().getSeconds() + seconds) % 60);
	expect(await activate(host(), workflow.id)).toMatchObject({ status: 'published' });
}

afterEach(async () => {
	host().service.clearFaults();
	await deactivate(host(), workflow.id);
	expect(host().service.hooks()).toEqual([]);
	// trigger() only provides a timer: it must never start the workflow.
	const runs = await host().server.client.executions.list({ workflowId: workflow.id });
	expect(runs.filter(({ mode }) => mode !== 'webhook')).toEqual([]);
	await host().server.client.deleteWorkflow(workflow.id);
});

/** Waits until each event has a working webhook again: at most a little more than a minute. */
async function waitForRepair(): Promise<void> {
	await waitFor(
		'a working webhook for each event',
		() => host().service.hooks(),
		(webhooks) => webhooks.length === EVENTS.length && webhooks.every(({ disabled }) => !disabled),
		{ timeoutMs: 90_000 },
	);
	expect(typesAt(host())).toEqual([...EVENTS].sort());
}

/** Expects deliveries of every webhook to be verified: one activity of each type runs exactly once. */
async function expectVerifiedDeliveries(runsBefore = 0): Promise<void> {
	const accepted = await deliverEach(host(), EVENTS);
	expect(accepted).toHaveLength(EVENTS.length);
	const runs = await runsOf(host(), workflow.id, runsBefore + EVENTS.length);
	expect(
		runs
			.slice(runsBefore)
			.map(({ _id }) => _id)
			.sort(),
	).toEqual([...accepted].sort());
}

const webhookFor = (expected: string) =>
	host()
		.service.hooks()
		.find(({ type }) => type === expected)!._id;

describe('While the workflow is active', () => {
	test('restores a removed and a disabled webhook, and verifies their deliveries immediately', async () => {
		await activateWithCheckIn(8);
		const untouched = webhookFor('smsReplied');
		const log = await logFromNow(host());
		host().service.removeHook(webhookFor('emailsReplied'));
		host().service.disableHook(webhookFor('paused'));
		await waitForRepair();
		expect(webhookFor('smsReplied')).toBe(untouched);
		await expectVerifiedDeliveries();
		expect(await log()).toMatch(/n8n has created them again/);
	});

	test('replaces its webhooks within a minute after the credential got a new API key, and verifies deliveries before and after', async () => {
		await activateWithCheckIn(30);
		const { client } = host().server;
		const before = host()
			.service.hooks()
			.map(({ _id }) => _id);
		const newKey = `key-${randomUUID()}`;
		host().service.addApiKey(newKey);
		const { id, name, type } = credential();
		const data = { baseUrl: host().service.baseUrl, apiKey: newKey };
		await client.updateCredential(id, { name, type, data });
		host().service.removeApiKey(host().service.apiKey);
		await expectVerifiedDeliveries();

		await waitFor(
			'other webhooks',
			() => host().service.hooks(),
			(webhooks) =>
				webhooks.length === EVENTS.length && webhooks.every(({ _id }) => !before.includes(_id)),
			{ timeoutMs: 90_000 },
		);
		await expectVerifiedDeliveries(EVENTS.length);
		host().service.addApiKey(host().service.apiKey);
	});
});

describe('A restart of n8n', () => {
	test('restores webhooks that were removed while it was down, and keeps the others', async () => {
		await activateWithCheckIn(15);
		await host().server.stop();
		const kept = webhookFor('paused');
		host().service.removeHook(webhookFor('emailsReplied'));
		host().service.disableHook(webhookFor('smsReplied'));
		await host().server.restart();
		await waitForRepair();
		expect(webhookFor('paused')).toBe(kept);
		await expectVerifiedDeliveries();
	});

	test('while the service is down leaves the workflow active and does not change its webhooks', async () => {
		await activateWithCheckIn(40);
		const before = host().service.hooks();
		await host().server.stop();
		host().service.addFault({ kind: 'status', status: 503, share: 1 });
		const log = await logFromNow(host());
		await host().server.restart();
		await waitFor('the check to give up', log, (text) =>
			text.includes('could not be checked or registered'),
		);
		expect(await host().server.client.getWorkflow(workflow.id)).toMatchObject({ active: true });
		expect(host().service.hooks()).toEqual(before);
		await expectVerifiedDeliveries();

		host().service.clearFaults();
		host().service.removeHook(webhookFor('paused'));
		await waitForRepair();
		await expectVerifiedDeliveries(EVENTS.length);
	});
});

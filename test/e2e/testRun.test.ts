/**
 * Test runs beside the active workflow, and what the action node finds out about webhooks of this n8n. The world is a real
 * n8n with the package and a local service.
 */
import { itemsOf, waitFor, type N8nWorkflow } from '../../tools/host';
import { activateNewWorkflow, deactivate } from '../../tools/host/publishing';
import {
	ACTION_NAME,
	actionWorkflow,
	START_NAME,
	TRIGGER_NAME,
	triggerWorkflow,
} from '../../tools/host/workflows';
import { useOutreachHost, useServiceCredential } from './outreachHost';
import { deliverEach, post } from './runs';

const host = useOutreachHost();
const credential = useServiceCredential(host);

const draftFor = (events: string[], options = {}) =>
	triggerWorkflow(credential(), { events, options });

/** n8n may register and remove the webhooks of a test run after it responds. */
const webhooksAre = async (count: number) =>
	await waitFor(
		`${count} webhooks`,
		() => host().service.hooks(),
		({ length }) => length === count,
	);

/** A request for it would start a test run that listens. */
const testUrlIsGone = async ({ nodes }: ReturnType<typeof draftFor>) =>
	await waitFor(
		'the test URL to be gone',
		() => post(`${host().server.url}/webhook-test/${nodes[0]?.webhookId ?? ''}/webhook`, '{}'),
		(status) => status === 404,
	);

/** Starts listening for a test event, as _Execute workflow_ does. */
async function listen({ id }: N8nWorkflow): Promise<void> {
	const run = await host().server.client.runWorkflow(id, TRIGGER_NAME);
	expect(run).toMatchObject({ waitingForWebhook: true });
}

test('A test run of an active workflow receives the event as the active one does, also if it was started twice, and removes its own webhooks at the end', async () => {
	const { server, service } = host();
	const events = ['emailsReplied', 'paused'];
	const workflow = await activateNewWorkflow(host(), draftFor(events));
	const inProduction = service.hooks();
	for (let started = 1; started <= 2; started += 1) {
		await listen(workflow);
		await webhooksAre(2 * events.length);
	}
	const [id, same] = await deliverEach(host(), ['emailsReplied']);
	expect(id).toBe(same);
	const finished = await server.client.executions.waitForFinished(workflow.id, 2);
	const runs = finished.map((run) => [run.mode, itemsOf(run, TRIGGER_NAME)[0]?._id]);
	expect(runs.sort()).toEqual([
		['manual', id],
		['webhook', id],
	]);
	await webhooksAre(events.length);
	expect(service.hooks()).toEqual(inProduction);
	await deactivate(host(), workflow.id);
	expect(service.hooks()).toEqual([]);
});

test('A test run with a sample event ends without asking the service, and leaves nobody listening', async () => {
	const { server, service } = host();
	const draft = draftFor(['dialerEnded', 'paused'], { testWith: 'sampleEvent' });
	const workflow = await server.client.createWorkflow(draft);
	const requests = service.requests.length;
	await listen(workflow);
	const [run] = await server.client.executions.waitForFinished(workflow.id, 1);
	expect(run?.mode).toBe('manual');
	expect(itemsOf(run!, TRIGGER_NAME)).toMatchObject([{ type: 'dialerEnded' }]);
	expect(service.requests).toHaveLength(requests);
	await testUrlIsGone(draft);
});

/** Runs an operation on webhooks, as _Execute workflow_ does. @returns its items */
async function run(operation: string, parameters: Record<string, unknown> = {}) {
	const { client } = host().server;
	const given = { resource: 'webhook', operation, ...parameters };
	const { id } = await client.createWorkflow(actionWorkflow(credential(), given));
	await client.runWorkflow(id, START_NAME);
	const [execution] = await client.executions.waitForFinished(id, 1);
	expect(execution?.status).toBe('success');
	return itemsOf(execution!, ACTION_NAME);
}

test('Check Many says whether the workflow of a webhook is active, and starts no execution of it; Send Test Event runs it', async () => {
	const { server, service } = host();
	const check = () => run('check');
	const workflow = await activateNewWorkflow(host(), draftFor(['emailsReplied']));
	const { _id, targetUrl } = service.hooks()[0]!;
	const usedBy = expect.stringMatching(/ · Outreach Service Trigger$/) as string;
	const live = { target: 'live', targetDetail: 'n8n has a webhook there.', usedBy };
	// n8n would start a webhook for GET at a path that ends in a slash, so none is asked for.
	const slash = service.addHook({ targetUrl: targetUrl.replace('/webhook?', '/webhook/?') });
	expect(await check()).toMatchObject([live, { target: 'unknown' }]);
	service.removeHook(slash._id);

	const webhookId = { __rl: true, mode: 'id', value: _id };
	const [sent] = await run('sendTest', { webhookId });
	expect(sent).toMatchObject({ status: 200, activity: { type: 'emailsReplied' } });
	expect(sent).not.toHaveProperty('note');
	const executions = await server.client.executions.waitForFinished(workflow.id, 1);
	// None is that of a check.
	expect(executions.map((one) => itemsOf(one, TRIGGER_NAME))).toEqual([[sent?.activity]]);

	await deactivate(host(), workflow.id);
	service.addHook({ targetUrl });
	const items = await waitFor('it to be gone', check, ([item]) => item?.target === 'gone');
	expect(items).toMatchObject([
		{ targetDetail: expect.stringContaining('n8n has no webhook') as string, usedBy: 'this n8n' },
	]);
});

// The last one: its webhook, which the service creates after that, is removed only a minute later.
test('A test run that is stopped while its webhooks are being registered leaves nobody listening', async () => {
	const { server, service } = host();
	const draft = draftFor(['emailsReplied']);
	const { id } = await server.client.createWorkflow(draft);
	service.addFault({ kind: 'delay', delayMs: 4_000, match: { method: 'POST' } });
	const before = service.requests.length;
	const run = server.client.runWorkflow(id, TRIGGER_NAME).catch((error: unknown) => error);
	await waitFor(
		'the create',
		() => service.requests.slice(before).map(({ method }) => method),
		(methods) => methods.includes('POST'),
	);
	await server.client.send('DELETE', `/test-webhook/${id}`);
	expect(await run).toBeInstanceOf(Error);
	await testUrlIsGone(draft);
});

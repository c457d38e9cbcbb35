/**
 * Test runs beside the active workflow, with real events and with a sample. The world is a real n8n with the package
 * and a local service.
 */
import { itemsOf, waitFor, type N8nWorkflow } from '../../../tools/host';
import { useOutreachHost } from '../outreachHost';
import {
	activateNewWorkflow,
	createServiceCredential,
	TRIGGER_NAME,
	triggerWorkflow,
	waitForHookCount,
} from '../../../tools/host/workflows';
import { deactivate } from '../../../tools/host/publishing';
import { deliverEach, post, typesAt } from './deliveriesAndRuns';

const EVENTS = ['emailsReplied', 'paused'];

/** Tests must not depend on the speed of the machine: CI may be busy. */
const SLOW_MACHINE = 5;

const host = useOutreachHost();

let workflow: N8nWorkflow;

beforeEach(async () => {
	const draft = triggerWorkflow(await createServiceCredential(host()), { events: EVENTS });
	workflow = await activateNewWorkflow(host(), draft, EVENTS.length);
});

afterEach(async () => {
	await deactivate(host(), workflow.id);
	expect(host().service.hooks()).toEqual([]);
	await host().server.client.deleteWorkflow(workflow.id);
});

const isTestUrl = (url: string) => url.startsWith(`${host().server.url}/webhook-test/`);
const testWebhooks = () =>
	host()
		.service.hooks()
		.filter(({ targetUrl }) => isTestUrl(targetUrl));

/** Starts listening for a test event, and expects the test webhooks. */
async function listen(): Promise<void> {
	const run = await host().server.client.runWorkflow(workflow.id, TRIGGER_NAME);
	expect(run).toMatchObject({ waitingForWebhook: true });
	expect(testWebhooks()).toHaveLength(EVENTS.length);
}

/** The mode and the activity of each finished execution. */
async function ran(count: number): Promise<Array<[mode: string, id: unknown]>> {
	const { executions } = host().server.client;
	const finished = await executions.waitForFinished(workflow.id, count);
	return finished
		.map((execution): [string, unknown] => [
			execution.mode,
			itemsOf(execution, TRIGGER_NAME)[0]?._id,
		])
		.sort();
}

describe('A test run of an active workflow', () => {
	test('receives the event as the active workflow does, and removes its own webhooks at the end', async () => {
		await listen();
		const entries = await host().service.emit({ type: 'emailsReplied' });
		expect(entries.map(({ status }) => status)).toEqual([200, 200]);
		const id = entries[0]?.activityId;
		expect(await ran(2)).toEqual([
			['manual', id],
			['webhook', id],
		]);

		await waitForHookCount(host(), EVENTS.length);
		expect(testWebhooks()).toEqual([]);
		expect(await deliverEach(host(), EVENTS)).toHaveLength(EVENTS.length);
		expect(await ran(4)).toHaveLength(4);
	});

	test('removes its own webhooks when it is cancelled, and the workflow stays active', async () => {
		await listen();
		await host().server.client.stopListening(workflow.id);
		await waitForHookCount(host(), EVENTS.length);
		expect(testWebhooks()).toEqual([]);
		const [id] = await deliverEach(host(), ['paused']);
		expect(await ran(1)).toEqual([['webhook', id]]);
	});

	test('continues when the workflow is deactivated', async () => {
		await listen();
		await deactivate(host(), workflow.id);
		expect(host().service.hooks()).toEqual(testWebhooks());
		expect(testWebhooks()).toHaveLength(EVENTS.length);
		const [id] = await deliverEach(host(), ['paused']);
		expect(await ran(1)).toEqual([['manual', id]]);
		await waitForHookCount(host(), 0);
	});

	test('that is restarted while it is listening has exactly one webhook for each event', async () => {
		await listen();
		await host().server.client.runWorkflow(workflow.id, TRIGGER_NAME);
		await waitFor(
			'one webhook for each event',
			testWebhooks,
			(webhooks) => webhooks.length === EVENTS.length,
		);
		expect(typesAt(host())).toEqual([...EVENTS, ...EVENTS].sort());
		const [id] = await deliverEach(host(), ['paused']);
		expect(await ran(2)).toEqual([
			['manual', id],
			['webhook', id],
		]);
		await waitForHookCount(host(), EVENTS.length);
	});
});

describe('A test run whose webhooks the service does not remove', () => {
	/** Another workflow can be tested: n8n's cache of test webhooks has nothing in it that it cannot copy. */
	async function expectOthersToListen(): Promise<void> {
		const { client } = host().server;
		const draft = triggerWorkflow(await createServiceCredential(host()), { events: ['smsSent'] });
		const other = await client.createWorkflow(draft);
		const run = await client.runWorkflow(other.id, TRIGGER_NAME);
		expect(run).toMatchObject({ waitingForWebhook: true });
		await client.stopListening(other.id);
		await waitFor(
			'the webhook of the other workflow to be removed',
			() => typesAt(host()).includes('smsSent'),
			(isThere) => !isThere,
		);
		await client.deleteWorkflow(other.id);
	}

	test('is over nevertheless: it runs once, others can be tested, and the next one removes them', async () => {
		await listen();
		const refusals = EVENTS.length;
		host().service.addFault({
			kind: 'status',
			status: 403,
			match: { method: 'DELETE' },
			times: refusals,
		});
		await deliverEach(host(), ['paused']);
		await ran(2);
		await waitFor(
			'the removals to be refused',
			() => host().service.requests.filter(({ status }) => status === 403).length,
			(refused) => refused === refusals,
		);
		expect(testWebhooks()).toHaveLength(EVENTS.length);
		const entries = await host().service.emit({ type: 'paused' });
		expect(entries.map(({ status }) => status).sort()).toEqual([200, 404]);
		await expectOthersToListen();

		await listen();
		await host().server.client.stopListening(workflow.id);
		await waitForHookCount(host(), EVENTS.length);
		expect(testWebhooks()).toEqual([]);
		expect(await ran(3)).toHaveLength(3);
	});
});

describe('A test run with a sample event', () => {
	/** The mode and the type of each finished execution of the workflow. */
	const runs = async (id: string) => {
		const finished = await host().server.client.executions.waitForFinished(id, 1);
		return finished.map((run) => [run.mode, itemsOf(run, TRIGGER_NAME)[0]?.type]);
	};

	test('ends within two seconds, without asking the service, and leaves nobody listening', async () => {
		const { server, service } = host();
		const { client } = server;
		const credential = await createServiceCredential(host());
		const options = { testWith: 'sampleEvent' };
		const draft = triggerWorkflow(credential, { events: ['dialerEnded', 'paused'], options });
		const { id, nodes } = await client.createWorkflow(draft);
		const requests = service.requests.length;
		const began = performance.now();
		expect(await client.runWorkflow(id, TRIGGER_NAME)).toMatchObject({ waitingForWebhook: true });
		expect(await runs(id)).toEqual([['manual', 'dialerEnded']]);
		expect(performance.now() - began).toBeLessThan(2_000 * SLOW_MACHINE);
		expect(service.requests).toHaveLength(requests);
		const testUrl = `${server.url}/webhook-test/${nodes[0]!.webhookId ?? ''}/webhook`;
		await waitFor(
			'the test URL to be gone',
			() => post(testUrl, '{}'),
			(status) => status === 404,
		);
		await client.deleteWorkflow(id);
	});
});

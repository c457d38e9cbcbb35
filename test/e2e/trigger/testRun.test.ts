import { itemsOf, waitFor, type N8nWorkflow } from '../../../tools/host';
import { TEST_TIMEOUT_MS, useOutreachHost } from '../outreachHost';
import {
	activateNewWorkflow,
	createServiceCredential,
	TRIGGER_NAME,
	triggerWorkflow,
	waitForHookCount,
} from '../../../tools/host/workflows';
import { activate, deactivate } from '../../../tools/host/publishing';
import { deliverEach, post, typesAt } from './watching';

jest.setTimeout(TEST_TIMEOUT_MS);

const EVENTS = ['emailsReplied', 'paused'];

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
const testHooks = () =>
	host()
		.service.hooks()
		.filter(({ targetUrl }) => isTestUrl(targetUrl));

/** 'Listen for test event', until the service knows where to send it. */
async function listen(): Promise<void> {
	const run = await host().server.client.runWorkflow(workflow.id, TRIGGER_NAME);
	expect(run).toMatchObject({ waitingForWebhook: true });
	expect(testHooks()).toHaveLength(EVENTS.length);
}

/** The activities that ran, by what started them. */
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

describe('A test run beside the active workflow', () => {
	test('gets the event as the active workflow does, and takes its own hooks along when it ends', async () => {
		await listen();
		const entries = await host().service.emit({ type: 'emailsReplied' });
		expect(entries.map(({ status }) => status)).toEqual([200, 200]);
		const id = entries[0]?.activityId;
		expect(await ran(2)).toEqual([
			['manual', id],
			['webhook', id],
		]);

		await waitForHookCount(host(), EVENTS.length);
		expect(testHooks()).toEqual([]);
		expect(await deliverEach(host(), EVENTS)).toHaveLength(EVENTS.length);
		expect(await ran(4)).toHaveLength(4);
	});

	test('that is cancelled takes its own hooks along, and the active workflow goes on', async () => {
		await listen();
		await host().server.client.stopListening(workflow.id);
		await waitForHookCount(host(), EVENTS.length);
		expect(testHooks()).toEqual([]);
		const [id] = await deliverEach(host(), ['paused']);
		expect(await ran(1)).toEqual([['webhook', id]]);
	});

	test('goes on when the workflow is deactivated, and is alone then', async () => {
		await listen();
		await deactivate(host(), workflow.id);
		expect(host().service.hooks()).toEqual(testHooks());
		expect(testHooks()).toHaveLength(EVENTS.length);
		const [id] = await deliverEach(host(), ['paused']);
		expect(await ran(1)).toEqual([['manual', id]]);
		await waitForHookCount(host(), 0);
	});

	test('goes on when the workflow is activated meanwhile', async () => {
		await deactivate(host(), workflow.id);
		await listen();
		await activate(host(), workflow.id);
		expect(typesAt(host())).toEqual([...EVENTS, ...EVENTS].sort());
		await deliverEach(host(), ['paused']);
		expect((await ran(2)).map(([mode]) => mode)).toEqual(['manual', 'webhook']);
		await waitForHookCount(host(), EVENTS.length);
	});

	test('goes on listening after a forged call, and after one to an address without an event', async () => {
		await listen();
		const [hook] = testHooks();
		const forged = JSON.stringify({ _id: 'act_forged', type: 'emailsReplied', secret: 'guess' });
		expect(await post(hook!.targetUrl, forged)).toBe(401);
		expect(await post(hook!.targetUrl.replace(/\?.*/, ''), forged)).toBe(401);
		expect(await post(hook!.targetUrl, '[]')).toBe(401);
		expect(testHooks()).toHaveLength(EVENTS.length);
		const [id] = await deliverEach(host(), ['paused']);
		expect(await ran(2)).toEqual([
			['manual', id],
			['webhook', id],
		]);
	});

	test('that is started again while it listens has the hooks it needs, once each', async () => {
		await listen();
		await host().server.client.runWorkflow(workflow.id, TRIGGER_NAME);
		await waitFor('one hook for each event', testHooks, (hooks) => hooks.length === EVENTS.length);
		expect(typesAt(host())).toEqual([...EVENTS, ...EVENTS].sort());
		const [id] = await deliverEach(host(), ['paused']);
		expect(await ran(2)).toEqual([
			['manual', id],
			['webhook', id],
		]);
		await waitForHookCount(host(), EVENTS.length);
	});
});

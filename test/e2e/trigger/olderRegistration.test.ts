import type { N8nWorkflow } from '../../../tools/host';
import { TEST_TIMEOUT_MS, useOutreachHost } from '../outreachHost';
import { OLDER_REGISTRATION } from '../underTest';
import { createServiceCredential, triggerWorkflow } from '../../../tools/host/workflows';
import { activate, deactivate, restart } from '../../../tools/host/publishing';
import { deliverEach, FIVE_EVENTS, runsOf, typesAt } from './watching';

jest.setTimeout(TEST_TIMEOUT_MS);

const host = useOutreachHost({ env: OLDER_REGISTRATION });
const ALL_FIVE = [...FIVE_EVENTS].sort();

let workflow: N8nWorkflow;

beforeEach(async () => {
	// Without the regular check: what is seen here is what n8n does at its start.
	const parameters = { events: [...FIVE_EVENTS], options: { repairMinutes: 0 } };
	const draft = triggerWorkflow(await createServiceCredential(host()), parameters);
	workflow = await host().server.client.createWorkflow(draft);
	expect(await activate(host(), workflow.id)).toMatchObject({ status: 'published' });
});

afterEach(async () => {
	host().service.clearFaults();
	await deactivate(host(), workflow.id);
	expect(host().service.hooks()).toEqual([]);
	await host().server.client.deleteWorkflow(workflow.id);
});

const hooks = () => host().service.hooks();
const hookFor = (wanted: string) => hooks().find(({ type }) => type === wanted)!;
const without = (...types: string[]) => hooks().filter(({ type }) => !types.includes(type ?? '*'));

/** What n8n asks of the service while it stops, is down (for as long as `meanwhile` takes), and starts again. */
async function requestsOfRestart(meanwhile: () => void = () => undefined): Promise<string[]> {
	const seen = host().service.requests.length;
	await host().server.stop();
	meanwhile();
	await restart(host());
	return host()
		.service.requests.slice(seen)
		.map(({ method }) => method);
}

/** The proof that deliveries of every webhook are verified: one activity of each type runs, once. */
async function expectBelieved(): Promise<void> {
	const taken = await deliverEach(host(), FIVE_EVENTS);
	const runs = await runsOf(host(), workflow.id, FIVE_EVENTS.length);
	expect(runs.map(({ _id }) => String(_id)).sort()).toEqual([...taken].sort());
}

describe('The older registration, which looks after the hooks at every start of n8n', () => {
	test('is what this n8n has, and is done when n8n answers', async () => {
		expect(await host().server.client.settings()).toMatchObject({ hasPublicationService: false });
		expect(typesAt(host())).toEqual(ALL_FIVE);
		await host().server.client.deactivateWorkflow(workflow.id);
		expect(hooks()).toEqual([]);
		await host().server.client.activateWorkflow(workflow.id);
		expect(typesAt(host())).toEqual(ALL_FIVE);
	});

	test('keeps the hooks over a restart, with nothing but a look at the list', async () => {
		const before = hooks();
		const requests = await requestsOfRestart();
		expect(requests.length).toBeGreaterThan(0);
		expect(new Set(requests)).toEqual(new Set(['GET']));
		expect(hooks()).toEqual(before);
		await expectBelieved();
	});

	test('brings back what was lost or disabled while n8n was down, and leaves the others alone', async () => {
		const kept = without('paused', 'smsReplied');
		const requests = await requestsOfRestart(() => {
			host().service.removeHook(hookFor('paused')._id);
			host().service.disableHook(hookFor('smsReplied')._id);
		});
		expect(requests.filter((method) => method === 'POST')).toHaveLength(2);
		expect(typesAt(host())).toEqual(ALL_FIVE);
		expect(without('paused', 'smsReplied')).toEqual(kept);
		await expectBelieved();
	});

	test('keeps the workflow and its hooks when the service is down at the start', async () => {
		const before = hooks();
		await requestsOfRestart(() => {
			host().service.addFault({ kind: 'status', status: 503, share: 1 });
		});
		host().service.clearFaults();
		expect(await host().server.client.getWorkflow(workflow.id)).toMatchObject({ active: true });
		expect(hooks()).toEqual(before);
		await expectBelieved();
	});

	test('removes at a deactivation what was made before a restart, and what the restart restored', async () => {
		await requestsOfRestart(() => {
			host().service.removeHook(hookFor('paused')._id);
		});
		expect(await deactivate(host(), workflow.id)).toMatchObject({ status: 'not_published' });
		expect(hooks()).toEqual([]);
	});
});

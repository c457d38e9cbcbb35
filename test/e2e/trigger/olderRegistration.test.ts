import type { N8nWorkflow } from '../../../tools/host';
import { TEST_TIMEOUT_MS, useOutreachHost } from '../outreachHost';
import { OLDER_REGISTRATION } from '../underTest';
import { createServiceCredential, triggerWorkflow } from '../../../tools/host/workflows';
import { activate, deactivate, restart } from '../../../tools/host/publishing';
import { deliverEach, FIVE_EVENTS, runsOf, typesAt } from './deliveriesAndRuns';

jest.setTimeout(TEST_TIMEOUT_MS);

const host = useOutreachHost({ env: OLDER_REGISTRATION });
const ALL_FIVE = [...FIVE_EVENTS].sort();

let workflow: N8nWorkflow;

beforeEach(async () => {
	// Without the regular check, so that only n8n's start is tested. What it restores is reported at some second of the
	// next minute, as an execution among those of the deliveries.
	const options = { repairMinutes: 0, reportProblems: false };
	const parameters = { events: [...FIVE_EVENTS], options };
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

const webhooks = () => host().service.hooks();
const webhookFor = (expected: string) => webhooks().find(({ type }) => type === expected)!;
const without = (...types: string[]) =>
	webhooks().filter(({ type }) => !types.includes(type ?? '*'));

/** The methods of the requests that n8n sends while it restarts. `meanwhile` runs while n8n is down. */
async function requestsDuringRestart(meanwhile: () => void = () => undefined): Promise<string[]> {
	const seen = host().service.requests.length;
	await host().server.stop();
	meanwhile();
	await restart(host());
	return host()
		.service.requests.slice(seen)
		.map(({ method }) => method);
}

/** Expects deliveries of every webhook to be verified: one activity of each type runs exactly once. */
async function expectVerifiedDeliveries(): Promise<void> {
	const accepted = await deliverEach(host(), FIVE_EVENTS);
	const runs = await runsOf(host(), workflow.id, FIVE_EVENTS.length);
	expect(runs.map(({ _id }) => String(_id)).sort()).toEqual([...accepted].sort());
}

describe('The older registration, which checks the webhooks at every start of n8n', () => {
	test('keeps the webhooks across a restart, and only fetches the list', async () => {
		const before = webhooks();
		const requests = await requestsDuringRestart();
		expect(requests.length).toBeGreaterThan(0);
		expect(new Set(requests)).toEqual(new Set(['GET']));
		expect(webhooks()).toEqual(before);
		await expectVerifiedDeliveries();
	});

	test('restores webhooks that were removed or disabled while n8n was down, and does not change the others', async () => {
		const kept = without('paused', 'smsReplied');
		const requests = await requestsDuringRestart(() => {
			host().service.removeHook(webhookFor('paused')._id);
			host().service.disableHook(webhookFor('smsReplied')._id);
		});
		expect(requests.filter((method) => method === 'POST')).toHaveLength(2);
		expect(typesAt(host())).toEqual(ALL_FIVE);
		expect(without('paused', 'smsReplied')).toEqual(kept);
		await expectVerifiedDeliveries();
	});

	test('removes, on deactivation, the webhooks from before and after a restart', async () => {
		await requestsDuringRestart(() => {
			host().service.removeHook(webhookFor('paused')._id);
		});
		expect(await deactivate(host(), workflow.id)).toMatchObject({ status: 'not_published' });
		expect(webhooks()).toEqual([]);
	});
});

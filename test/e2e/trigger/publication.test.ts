/**
 * A change of an active workflow, published in a real n8n while events arrive (D103). The world is a real n8n with the
 * package and a local service.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { waitFor, type N8nWorkflow } from '../../../tools/host';
import { REMOVAL_GRACE_MS } from '../../../tools/host/grace';
import { activate, deactivate } from '../../../tools/host/publishing';
import { triggerWorkflow } from '../../../tools/host/workflows';
import { changeTrigger } from '../changeTrigger';
import { useOutreachHost, useServiceCredential } from '../outreachHost';
import { runsOf, typesAt } from './deliveriesAndRuns';

/** After this time, a removal would have begun, in milliseconds. */
const REMOVAL_BEGUN_MS = REMOVAL_GRACE_MS + 1_000;

const host = useOutreachHost();
const credential = useServiceCredential(host);

const TWO = ['emailsReplied', 'smsReplied'];
const THREE = [...TWO, 'networkReplied'];
const CAMPAIGN_COUNT = 10;
/** Between two events. More at once would keep a busy machine from publishing. */
const PAUSE_MS = 100;

let workflow: N8nWorkflow;

beforeEach(async () => {
	const draft = triggerWorkflow(credential(), { events: TWO });
	workflow = await host().server.client.createWorkflow(draft);
	expect(await activate(host(), workflow.id)).toMatchObject({ status: 'published' });
});

afterEach(async () => {
	host().service.clearFaults();
	await deactivate(host(), workflow.id);
	expect(host().service.hooks()).toEqual([]);
	await host().server.client.deleteWorkflow(workflow.id);
});

const publish = async (parameters: object) =>
	await changeTrigger(host(), workflow, { parameters: { ...parameters } });

/** Sends one event after the other until something is done. @returns the status of each */
async function deliverDuring(done: Promise<unknown>): Promise<Array<number | undefined>> {
	const state = { isOver: false };
	const over = done.finally(() => {
		state.isOver = true;
	});
	const statuses: Array<number | undefined> = [];
	while (!state.isOver) {
		const entries = await host().service.emit({ type: 'emailsReplied' });
		statuses.push(...entries.map(({ status }) => status));
		await sleep(PAUSE_MS);
	}
	await over;
	return statuses;
}

test('keeps what is still desired, creates what is new before anything is removed, and loses no accepted event', async () => {
	const { service } = host();
	const kept = service.hooks().map(({ _id }) => _id);
	const since = service.requests.length;
	const statuses = await deliverDuring(publish({ events: THREE }));
	const after = await deliverDuring(sleep(REMOVAL_BEGUN_MS));
	const requests = service.requests.slice(since).map(({ method }) => method);
	expect(requests).toEqual(['GET', 'POST', 'GET']);
	expect(service.hooks().map(({ _id }) => _id)).toEqual(expect.arrayContaining(kept));
	expect(typesAt(host())).toEqual([...THREE].sort());
	// n8n itself does not listen for a moment, and then responds with 404.
	expect(new Set(after)).toEqual(new Set([200]));
	expect(statuses.filter((status) => ![200, 404].includes(status ?? 0))).toEqual([]);
	const accepted = [...statuses, ...after].filter((status) => status === 200).length;
	expect(accepted).toBeGreaterThan(10);
	const runs = await runsOf(host(), workflow.id, accepted);
	expect(runs).toHaveLength(accepted);
});

test('needs one request when another option changes, also with many webhooks', async () => {
	const { service } = host();
	const campaignId = Array.from({ length: CAMPAIGN_COUNT }, (_, index) => `cam_${index}`).join();
	const events = ['emailsSent', 'warmed', 'paused'];
	await publish({ events, options: { campaignId } });
	expect(service.hooks()).toHaveLength(3 * CAMPAIGN_COUNT);
	const before = service.hooks();
	const since = service.requests.length;
	expect(await publish({ events, options: { campaignId, output: 'grouped' } })).toMatchObject({
		status: 'published',
	});
	await sleep(REMOVAL_BEGUN_MS);
	expect(service.requests.slice(since).map(({ method }) => method)).toEqual(['GET']);
	expect(service.hooks()).toEqual(before);
});

test('while a maintenance page answers, keeps the workflow alive, and is carried out when the service is back', async () => {
	const { service } = host();
	service.addFault({ kind: 'gateway', who: 'maintenance', times: 1_000 });
	expect(await publish({ events: THREE })).toMatchObject({ status: 'published' });
	await service.emit({ type: 'smsReplied' });
	// The next minute's check, which may come at any second, reports in another execution that the service fails.
	await waitFor(
		'the execution of the event',
		() => host().server.client.executions.list({ workflowId: workflow.id }),
		(seen) => seen.some(({ mode, status }) => mode === 'webhook' && status === 'success'),
	);
	service.clearFaults();
	const deadline = Date.now() + 75_000;
	while (typesAt(host()).length < THREE.length && Date.now() < deadline) await sleep(500);
	expect(typesAt(host())).toEqual([...THREE].sort());
});

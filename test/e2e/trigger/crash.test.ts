/**
 * n8n is killed at each moment of an activation and a deactivation, and recovers. The world is a real n8n with the
 * package and a local service.
 */
import { waitFor, type N8nWorkflow } from '../../../tools/host';
import type { Fault, RunningService } from '../../../tools/service';
import { useOutreachHost } from '../outreachHost';
import { createServiceCredential, triggerWorkflow } from '../../../tools/host/workflows';
import {
	activate,
	deactivate,
	restart,
	waitUntilSettled,
	type Outcome,
} from '../../../tools/host/publishing';
import { deliverEach, FIVE_EVENTS, runsOf, typesAt } from './deliveriesAndRuns';

// After a crash, n8n resumes an interrupted activation or deactivation only when its lease on the workflow has expired
// (default: two minutes).
const host = useOutreachHost({
	env: {
		N8N_WORKFLOW_PUBLICATION_OUTBOX_LEASE_SECONDS: '5',
		N8N_WORKFLOW_PUBLICATION_OUTBOX_POLL_INTERVAL_MS: '500',
	},
});

let workflow: N8nWorkflow;
let began = 0;

beforeEach(async () => {
	// What n8n restores at its start is reported at some second of the next minute, as an execution among those of the
	// deliveries.
	const parameters = { events: [...FIVE_EVENTS], options: { reportProblems: false } };
	const draft = triggerWorkflow(await createServiceCredential(host()), parameters);
	workflow = await host().server.client.createWorkflow(draft);
});

afterEach(async () => {
	await host().server.client.deleteWorkflow(workflow.id);
});

const POST = { match: { method: 'POST', path: '/hooks' } } as const;
const DELETE = { match: { method: 'DELETE' } } as const;

/** The number of received requests that have no response yet. */
const pending = ({ requests }: RunningService, method: string) =>
	requests
		.slice(began)
		.filter((request) => request.method === method && request.status === undefined).length;
/** The number of requests that got a response with status 200. */
const responded = ({ requests }: RunningService, method: string) =>
	requests.slice(began).filter((request) => request.method === method && request.status === 200)
		.length;

/** When to kill n8n: once `isReached` is true. The faults stop n8n at that point. */
interface Moment {
	faults: Fault[];
	isReached: (service: RunningService) => boolean | Promise<boolean>;
}

/** Delays requests until n8n is dead, and then drops them. */
const dropped = (match: Pick<Fault, 'match'>, skip: number): Fault[] => [
	{ ...match, kind: 'delay', delayMs: 60_000, skip, times: 20 },
	{ ...match, kind: 'cut', skip, times: 20 },
];
/** Delays requests until n8n is dead, and then processes them, as a slow service would. */
const delayed = (match: Pick<Fault, 'match'>, skip: number): Fault[] => [
	{ ...match, kind: 'delay', delayMs: 2_000, skip, times: 20 },
];

const ACTIVATION: Array<[string, Moment]> = [
	[
		'after the list, before the first webhook exists',
		{ faults: dropped(POST, 0), isReached: (service) => pending(service, 'POST') > 0 },
	],
	[
		'after the first webhook',
		{
			faults: dropped(POST, 1),
			isReached: (service) => responded(service, 'POST') === 1 && pending(service, 'POST') === 4,
		},
	],
	[
		'after the third webhook, with the others created later',
		{
			faults: delayed(POST, 3),
			isReached: (service) => responded(service, 'POST') === 3 && pending(service, 'POST') === 2,
		},
	],
	[
		'when the last webhook has just been created',
		{ faults: [], isReached: (service) => service.hooks().length === FIVE_EVENTS.length },
	],
];

const DEACTIVATION: Array<[string, Moment]> = [
	[
		'before the first webhook is removed',
		{ faults: dropped(DELETE, 0), isReached: (service) => pending(service, 'DELETE') > 0 },
	],
	[
		'after the third webhook, with the others removed later',
		{
			faults: delayed(DELETE, 3),
			isReached: (service) =>
				responded(service, 'DELETE') === 3 && pending(service, 'DELETE') === 2,
		},
	],
	[
		'when the last webhook has just been removed',
		{ faults: [], isReached: (service) => service.hooks().length === 0 },
	],
];

/** Starts an operation, kills n8n at a given moment, and restarts it when the service has processed all requests. */
async function crash(begin: () => Promise<void>, { faults, isReached }: Moment): Promise<Outcome> {
	const { server, service } = host();
	began = service.requests.length;
	for (const fault of faults) service.addFault(fault);
	// With the older registration, n8n responds only when it has finished, so this request fails.
	const response = begin().catch(() => undefined);
	await waitFor('the moment to kill n8n', () => isReached(service), Boolean, { everyMs: 1 });
	await server.kill();
	await response;
	service.clearFaults();
	await restart(host());
	return waitUntilSettled(host(), workflow.id);
}

/** Expects the desired webhooks after an activation, verified deliveries, and no webhooks after a deactivation. */
async function expectCleanState(): Promise<void> {
	expect(await activate(host(), workflow.id)).toMatchObject({ status: 'published' });
	// n8n says that the workflow is published before the activation has replaced what was left.
	const desired = [...FIVE_EVENTS].sort().join();
	await waitFor(
		'the desired webhooks',
		() => typesAt(host()).join(),
		(types) => types === desired,
	);
	const accepted = await deliverEach(host(), FIVE_EVENTS);
	const runs = await runsOf(host(), workflow.id, FIVE_EVENTS.length);
	expect(runs.map(({ _id }) => String(_id)).sort()).toEqual([...accepted].sort());
	await deactivate(host(), workflow.id);
	expect(host().service.hooks()).toEqual([]);
}

describe('After n8n was killed during an activation', () => {
	test.each(ACTIVATION)('%s, it recovers', async (_name, moment) => {
		await crash(() => host().server.client.activateWorkflow(workflow.id), moment);
		await expectCleanState();
	});
});

describe('After n8n was killed during a deactivation', () => {
	test.each(DEACTIVATION)('%s, it recovers', async (_name, moment) => {
		await activate(host(), workflow.id);
		const { client } = host().server;
		const { status } = await crash(() => client.deactivateWorkflow(workflow.id), moment);
		// n8n has completed the deactivation, and the node removes its webhooks in the background: what remains of them when
		// n8n is killed goes with the next activation. With the older registration, n8n may not know of the deactivation.
		const { hasPublicationService } = await client.settings();
		expect(status === 'not_published' || !hasPublicationService).toBe(true);
		await expectCleanState();
	});
});

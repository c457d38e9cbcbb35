import { waitFor, type N8nWorkflow } from '../../../tools/host';
import type { Fault, RunningService } from '../../../tools/service';
import { TEST_TIMEOUT_MS, useOutreachHost } from '../outreachHost';
import { createServiceCredential, triggerWorkflow } from '../../../tools/host/workflows';
import {
	activate,
	deactivate,
	restart,
	waitUntilSettled,
	type Outcome,
} from '../../../tools/host/publishing';
import { deliverEach, FIVE_EVENTS, runsOf, typesAt } from './watching';

jest.setTimeout(TEST_TIMEOUT_MS);

// After a crash n8n leaves a workflow that it was activating or deactivating alone until its claim on it has run
// out: two minutes, unless told otherwise.
const host = useOutreachHost({
	env: {
		N8N_WORKFLOW_PUBLICATION_OUTBOX_LEASE_SECONDS: '5',
		N8N_WORKFLOW_PUBLICATION_OUTBOX_POLL_INTERVAL_MS: '500',
	},
});

let workflow: N8nWorkflow;
let began = 0;

beforeEach(async () => {
	const parameters = { events: [...FIVE_EVENTS] };
	const draft = triggerWorkflow(await createServiceCredential(host()), parameters);
	workflow = await host().server.client.createWorkflow(draft);
});

afterEach(async () => {
	await host().server.client.deleteWorkflow(workflow.id);
});

const GET = { match: { method: 'GET', path: '/hooks' } } as const;
const POST = { match: { method: 'POST', path: '/hooks' } } as const;
const DELETE = { match: { method: 'DELETE' } } as const;

/** Requests of a kind that came and still wait for their answer. */
const held = ({ requests }: RunningService, method: string) =>
	requests
		.slice(began)
		.filter((request) => request.method === method && request.status === undefined).length;
/** Requests of a kind that were answered. */
const answered = ({ requests }: RunningService, method: string) =>
	requests.slice(began).filter((request) => request.method === method && request.status === 200)
		.length;

/** When n8n is killed: once `isReached`, with the faults that keep it from getting further. */
interface Moment {
	faults: Fault[];
	isReached: (service: RunningService) => boolean | Promise<boolean>;
}

/** Holds requests back for longer than n8n lives; they are never carried out. */
const lost = (match: Pick<Fault, 'match'>, skip: number): Fault[] => [
	{ ...match, kind: 'delay', delayMs: 60_000, skip, times: 20 },
	{ ...match, kind: 'cut', skip, times: 20 },
];
/** Holds requests back until n8n is dead; then they are carried out all the same, as with a slow service. */
const late = (match: Pick<Fault, 'match'>, skip: number): Fault[] => [
	{ ...match, kind: 'delay', delayMs: 2_000, skip, times: 20 },
];

const isSaved = async () => {
	const { staticData } = await host().server.client.getWorkflow(workflow.id);
	return JSON.stringify(staticData ?? null).includes('hoo_');
};

const ACTIVATION: Array<[string, Moment]> = [
	[
		'while it waits for the list',
		{ faults: lost(GET, 0), isReached: (service) => held(service, 'GET') === 1 },
	],
	[
		'after the list, before the first hook is there',
		{ faults: lost(POST, 0), isReached: (service) => held(service, 'POST') > 0 },
	],
	[
		'after the first hook',
		{
			faults: lost(POST, 1),
			isReached: (service) => answered(service, 'POST') === 1 && held(service, 'POST') === 4,
		},
	],
	[
		'after the third hook, the others being made after its death',
		{
			faults: late(POST, 3),
			isReached: (service) => answered(service, 'POST') === 3 && held(service, 'POST') === 2,
		},
	],
	[
		'when the last hook has just come into being',
		{ faults: [], isReached: (service) => service.hooks().length === FIVE_EVENTS.length },
	],
	['after it has saved what it registered', { faults: [], isReached: isSaved }],
];

const DEACTIVATION: Array<[string, Moment]> = [
	[
		'while it waits for the list',
		{ faults: lost(GET, 0), isReached: (service) => held(service, 'GET') === 1 },
	],
	[
		'before the first hook is gone',
		{ faults: lost(DELETE, 0), isReached: (service) => held(service, 'DELETE') > 0 },
	],
	[
		'after the third hook, the others being removed after its death',
		{
			faults: late(DELETE, 3),
			isReached: (service) => answered(service, 'DELETE') === 3 && held(service, 'DELETE') === 2,
		},
	],
	[
		'when the last hook has just gone',
		{ faults: [], isReached: (service) => service.hooks().length === 0 },
	],
];

/** Lets n8n begin something, kills it at a moment, and starts it again when the service has done what it was asked. */
async function crash(begin: () => Promise<void>, { faults, isReached }: Moment): Promise<Outcome> {
	const { server, service } = host();
	began = service.requests.length;
	for (const fault of faults) service.addFault(fault);
	// With the older registration n8n answers only when it is done, which it never will be.
	const answer = begin().catch(() => undefined);
	await waitFor('the moment', () => isReached(service), Boolean, { everyMs: 1 });
	await server.kill();
	await answer;
	service.clearFaults();
	await restart(host());
	return waitUntilSettled(host(), workflow.id);
}

/** The proof that nothing is wrong any more: exactly the wanted hooks, each of them believed, none after the end. */
async function expectOrder(): Promise<void> {
	expect(await activate(host(), workflow.id)).toMatchObject({ status: 'published' });
	expect(typesAt(host())).toEqual([...FIVE_EVENTS].sort());
	const taken = await deliverEach(host(), FIVE_EVENTS);
	const runs = await runsOf(host(), workflow.id, FIVE_EVENTS.length);
	expect(runs.map(({ _id }) => String(_id)).sort()).toEqual([...taken].sort());
	await deactivate(host(), workflow.id);
	expect(host().service.hooks()).toEqual([]);
}

describe('After n8n was killed during an activation', () => {
	test.each(ACTIVATION)('%s, everything is as it should be', async (_name, moment) => {
		await crash(() => host().server.client.activateWorkflow(workflow.id), moment);
		await expectOrder();
	});
});

describe('After n8n was killed during a deactivation', () => {
	test.each(DEACTIVATION)('%s, everything is as it should be', async (_name, moment) => {
		await activate(host(), workflow.id);
		const { client } = host().server;
		const { status } = await crash(() => client.deactivateWorkflow(workflow.id), moment);
		// n8n ends by itself what it was killed in; with the older registration it knows nothing of that, and goes on
		// with what it has stored. The hooks have to be what n8n takes the workflow for.
		const { hasPublicationService } = await client.settings();
		const isOff = status === 'not_published';
		expect(isOff || !hasPublicationService).toBe(true);
		expect(typesAt(host())).toEqual(isOff ? [] : [...FIVE_EVENTS].sort());
		await expectOrder();
	});
});

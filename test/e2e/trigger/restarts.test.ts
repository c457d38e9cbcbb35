/**
 * Deliveries while n8n restarts, behind a reverse proxy, with `docs/Caddyfile`, and without a check (D36). The world is
 * a real n8n with the package and a local service.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';

import { startReverseProxy, type N8nWorkflow, type ReverseProxy } from '../../../tools/host';
import { deactivate, restart } from '../../../tools/host/publishing';
import {
	activateNewWorkflow,
	createServiceCredential,
	triggerWorkflow,
} from '../../../tools/host/workflows';
import { judge } from '../../../tools/load/judge';
import { deliveredBy } from './deliveriesAndRuns';
import { send, type Attempt } from '../../../tools/load/send';
import { hasCaddy, startCaddy } from '../caddy';
import { TEST_TIMEOUT_MS, useOutreachHost } from '../outreachHost';
import { CAN, testWhere } from '../underTest';
import {
	executionsOf,
	MARK_AS_CRASHED,
	retryCrashed,
	runsAfterTrigger,
	withoutRetries,
} from './everyExecution';

/** The long form: `PROXY_RESTARTS=10`. */
const { PROXY_RESTARTS: RESTARTS } = z
	.object({ PROXY_RESTARTS: z.coerce.number().int().positive().default(2) })
	.parse(process.env);

const host = useOutreachHost(
	{
		env: {
			...MARK_AS_CRASHED,
			// Without this, n8n spends most of the time on its expression engine, which these deliveries do not need.
			N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true',
			// An n8n that is killed while it publishes a workflow leaves it locked for this long: two minutes by default.
			N8N_WORKFLOW_PUBLICATION_OUTBOX_LEASE_SECONDS: '10',
			N8N_WORKFLOW_PUBLICATION_OUTBOX_POLL_INTERVAL_MS: '1000',
		},
	},
	TEST_TIMEOUT_MS + RESTARTS * 90_000,
);

/** Ten events a second. */
const EVENT_INTERVAL_MS = 100;
/** Events in flight. More would keep n8n from starting on a busy machine: each is sent again every second or two. */
const CONCURRENCY = 60;
/** How long n8n runs between two restarts. */
const UPTIME_MS = 2_000;

/** A service that redelivers what is not accepted for the time being, and whose connections sometimes break. */
const PERSISTENT = {
	redeliveries: 30,
	redeliveryDelayMs: 1_000,
	redeliveryFactor: 1.2,
	redeliverOn: 'serverError',
	disconnectShare: 0.1,
} as const;

beforeAll(() => {
	host().service.setSwitches(PERSISTENT);
});

let proxy: ReverseProxy | undefined;

afterEach(async () => {
	await proxy?.stop();
	proxy = undefined;
});

/** The outcome of the events. */
interface DeliveryOutcome {
	events: number;
	attempts: Attempt[];
	/** Whatever is wrong with what the next node ran, retries included. */
	problems: string[];
	/** Events that it ran more than once without a retry. */
	repeated: string[];
}

async function activateBehind({ url }: ReverseProxy): Promise<N8nWorkflow> {
	await host().server.restart({ WEBHOOK_URL: url });
	const credential = await createServiceCredential(host());
	const options = { duplicateMemory: 'database' };
	const draft = triggerWorkflow(credential, { events: ['emailsReplied'], options });
	const workflow = await activateNewWorkflow(host(), draft, 1);
	expect(host().service.hooks()[0]?.targetUrl.startsWith(url)).toBe(true);
	return workflow;
}

/** Restarts n8n while events are delivered: shut down and killed in turns, in the middle of deliveries. */
async function deliverAroundRestarts(
	name: string,
	workflow: N8nWorkflow,
): Promise<DeliveryOutcome> {
	const end = new AbortController();
	let events = 0;
	async function* deliveries() {
		while (!end.signal.aborted) {
			yield { id: `act_${name}_${events++}` };
			await pause(EVENT_INTERVAL_MS);
		}
	}
	const sending = send(deliveries(), deliveredBy(host()), { concurrency: CONCURRENCY });
	for (let count = 0; count < RESTARTS; count += 1) {
		await pause(UPTIME_MS);
		if (count % 2 === 1) await host().server.kill();
		await restart(host());
	}
	await pause(UPTIME_MS);
	end.abort();
	const attempts = await sending;

	const crashed = await retryCrashed(host(), workflow);
	const executions = await executionsOf(host(), workflow);
	await deactivate(host(), workflow.id);
	const { problems, lost } = judge(attempts, runsAfterTrigger(executions), { memories: () => [] });
	const { repeated } = judge(attempts, runsAfterTrigger(withoutRetries(executions)));
	const refused = problems.filter((problem) => problem.startsWith('never accepted'));
	process.stdout.write(
		`${name}: ${RESTARTS} restarts, ${events} events, ${attempts.length} deliveries; ` +
			`${lost.length} lost after a 200, ${refused.length} refused for good; ${crashed} runs crashed and were retried\n`,
	);
	return { events, attempts, problems, repeated };
}

function expectNothingLost({ events, attempts, problems, repeated }: DeliveryOutcome): void {
	expect(events).toBeGreaterThan(RESTARTS * 20);
	expect(problems).toEqual([]);
	expect(repeated).toEqual([]);
	// Deliveries did arrive while n8n was down.
	const unready = attempts.filter(({ status }) => status === 503);
	expect(unready.length).toBeGreaterThan(RESTARTS);
}

const n8nPort = () => Number(new URL(host().server.url).port);

const testStored = testWhere(CAN.storeBeforeResponse, 'it responds before it has stored the event');

testStored(
	`Behind a proxy that asks whether n8n is ready, ${RESTARTS} restarts lose no event, and none runs twice but by a retry`,
	async () => {
		proxy = await startReverseProxy([n8nPort()]);
		const workflow = await activateBehind(proxy);
		expectNothingLost(await deliverAroundRestarts('asks', workflow));
	},
);

const testWithCaddy = hasCaddy
	? testStored
	: (name: string, run: () => Promise<void>) => test.skip(`${name} (Caddy is not installed)`, run);

testWithCaddy('The same holds for docs/Caddyfile', async () => {
	proxy = await startCaddy(host().server.url);
	const workflow = await activateBehind(proxy);
	expectNothingLost(await deliverAroundRestarts('caddy', workflow));
});

// How many are lost depends on how long n8n takes to start: a figure to print, not to expect.
testStored('Behind a proxy that does not ask, none runs twice but by a retry either', async () => {
	proxy = await startReverseProxy([n8nPort()], { asksReadiness: false });
	const workflow = await activateBehind(proxy);
	const { repeated, events, attempts } = await deliverAroundRestarts('plain', workflow);
	expect(repeated).toEqual([]);
	expect(new Set(attempts.map(({ event }) => event)).size).toBe(events);
});

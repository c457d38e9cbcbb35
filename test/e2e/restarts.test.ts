/**
 * Deliveries while n8n restarts, behind a reverse proxy, with `docs/Caddyfile`, and without a check (D36). The world is a
 * real n8n with the package and a local service.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';

import { startReverseProxy, type ReverseProxy } from '../../tools/host';
import { activateNewWorkflow, deactivate, restart } from '../../tools/host/publishing';
import { TRIGGER_NAME, triggerWorkflow } from '../../tools/host/workflows';
import { judge } from '../../tools/load/judge';
import { deliverReply, send } from '../../tools/load/send';
import { hasCaddy, startCaddy } from './caddy';
import { TEST_TIMEOUT_MS, useOutreachHost, useServiceCredential } from './outreachHost';
import { executionsOf, runsAfterTrigger } from './runs';
import { CAN } from './underTest';

/** The long form: `PROXY_RESTARTS=10`. */
const { PROXY_RESTARTS: RESTARTS } = z
	.object({ PROXY_RESTARTS: z.coerce.number().int().positive().default(2) })
	.parse(process.env);

const host = useOutreachHost(
	{
		env: {
			// Marks each execution that n8n was killed in as crashed when it starts again. By default, n8n leaves some on running
			// that had hardly begun, which never finish.
			N8N_EVENTBUS_RECOVERY_MODE: 'simple',
			// Without this, n8n spends most of the time on its expression engine, which these deliveries do not need.
			N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true',
			// A publication that n8n was killed in goes on after this many seconds. By default, it holds up a deactivation for two
			// minutes.
			N8N_WORKFLOW_PUBLICATION_OUTBOX_LEASE_SECONDS: '20',
			N8N_WORKFLOW_PUBLICATION_OUTBOX_POLL_INTERVAL_MS: '1000',
		},
	},
	TEST_TIMEOUT_MS + RESTARTS * 90_000,
);
const credential = useServiceCredential(host);

/** Ten events a second. */
const EVENT_INTERVAL_MS = 100;
/** Events in flight. More would keep n8n from starting on a busy machine: each is sent again every second or two. */
const CONCURRENCY = 60;
/** How long n8n runs between two restarts. */
const UPTIME_MS = 2_000;

/** A service that redelivers what is not accepted for the time being, and whose connections sometimes break. */
const PERSISTENT = {
	redeliveries: 120,
	redeliveryDelayMs: 1_000,
	redeliverOn: 'serverError',
	disconnectEvery: 10,
} as const;

/** Retries the executions that ended with the process. @returns how many */
async function retryCrashed(workflowId: string): Promise<number> {
	const { executions } = host().server.client;
	await executions.untilIdle(workflowId);
	const crashed = await executions.list({ workflowId, status: ['crashed'] });
	for (const { id } of crashed) await executions.retry(id);
	return crashed.length;
}

/**
 * Restarts n8n while events are delivered: shut down and killed in turns, in the middle of deliveries. Then the service
 * delivers each event once more.
 *
 * @returns what is wrong, and what came of the deliveries
 */
async function deliverAroundRestarts(name: string, { url }: ReverseProxy) {
	host().service.setSwitches(PERSISTENT);
	await host().server.restart({ WEBHOOK_URL: url });
	const options = { duplicateMemory: 'database' };
	const draft = triggerWorkflow(credential(), { events: ['emailsReplied'], options });
	const workflow = await activateNewWorkflow(host(), draft);
	expect(host().service.hooks()[0]?.targetUrl.startsWith(url)).toBe(true);

	const end = new AbortController();
	const ids: string[] = [];
	async function* deliveries() {
		while (!end.signal.aborted) {
			const id = `act_${draft.name}_${ids.length}`;
			ids.push(id);
			yield id;
			await pause(EVENT_INTERVAL_MS);
		}
	}
	const deliver = async (id: string) => await deliverReply(host().service, id);
	const sending = send(deliveries(), deliver, CONCURRENCY);
	for (let count = 0; count < RESTARTS; count += 1) {
		await pause(UPTIME_MS);
		if (count % 2 === 1) await host().server.kill();
		await restart(host());
	}
	await pause(UPTIME_MS);
	end.abort();
	const attempts = await sending;
	const crashed = await retryCrashed(workflow.id);
	attempts.push(...(await send(ids.values(), deliver, CONCURRENCY)));

	const executions = await executionsOf(host(), workflow);
	await deactivate(host(), workflow.id);
	const { problems, lost } = judge(attempts, runsAfterTrigger(executions), { mayRepeat: true });
	// Without retries: one repeats a run that n8n was killed in after the next node, and that of a duplicate passes if n8n
	// was killed between its two writes.
	const delivered = executions.filter(({ mode }) => mode === 'webhook');
	const { repeated } = judge(attempts, runsAfterTrigger(delivered));
	const ended = delivered.filter(({ outputs }) => outputs.get(TRIGGER_NAME)?.length === 0);
	process.stdout.write(
		`${name}: ${RESTARTS} restarts, ${ids.length} events, ${attempts.length} deliveries; ${lost.length} lost after a 200; ` +
			`${crashed} runs crashed and were retried, ${ended.length} duplicates ended at the trigger\n`,
	);
	expect(ids.length).toBeGreaterThan(RESTARTS * 20);
	// Without the database, these would have run again.
	expect(ended.length).toBeGreaterThan(RESTARTS * 10);
	return { attempts, problems, repeated };
}

const PROXIES = [
	{ name: 'a proxy that asks whether n8n is ready', start: startReverseProxy, runs: true },
	// If Caddy is installed.
	{ name: 'docs/Caddyfile', start: () => startCaddy(host().server.url), runs: hasCaddy },
	{
		// How many are lost depends on how long n8n takes to start: a figure to print in the long form, not to expect.
		name: 'a proxy that does not ask, in the long form',
		start: (ports: number[]) => startReverseProxy(ports, { asksReadiness: false }),
		runs: RESTARTS > 2,
		loses: true,
	},
];

for (const { name, start, runs, loses = false } of PROXIES) {
	const testIfStored = CAN.storeBeforeResponse && runs ? test : test.skip;
	testIfStored(
		`Behind ${name}, ${RESTARTS} restarts ${loses ? 'repeat no event' : 'lose no event, and repeat none'} but by a retry`,
		async () => {
			const proxy = await start([Number(new URL(host().server.url).port)]);
			const { attempts, problems, repeated } = await deliverAroundRestarts(name, proxy).finally(
				() => proxy.stop(),
			);
			expect(repeated).toEqual([]);
			if (loses) return;
			expect(problems).toEqual([]);
			// Deliveries did arrive while n8n was down.
			const unready = attempts.filter(({ status }) => status === 503);
			expect(unready.length).toBeGreaterThan(RESTARTS);
		},
	);
}

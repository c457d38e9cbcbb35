/** `npm run test:soak`: a long, steady stream of events through a real n8n. See docs/benchmarks/README.md. */
import { Command } from 'commander';
import { readOutcome } from '../bench/n8n/executionsInDatabase';
import { activateNewWorkflow, createServiceCredential, triggerWorkflow } from '../host/workflows';
import { freePort, startOutreachHost, type OutreachHost } from '../host';
import { runCheck } from '../terminal/check';
import { print } from '../terminal/print';
import { numberFrom } from '../terminal/numberOption';
import { countSucceeded, staticDataBytes } from './database';
import { Deliveries } from './deliveries';
import { Inspector } from './inspector';
import { readMemory } from './nodeState';
import { rowOf } from './tableRow';
import { judge, type Interval } from './verdict';

/** The durations of a run, in milliseconds. */
interface Durations {
	warmUpMs: number;
	capacityMs: number;
	/** Between two readings of the memory: a row of the table. */
	intervalMs: number;
}

const FULL: Durations = { warmUpMs: 10_000, capacityMs: 30_000, intervalMs: 60_000 };
/** Long enough for duplicates and forged deliveries, too short to tell a trend of the heap from noise. */
const SHORT: Durations = { warmUpMs: 3_000, capacityMs: 5_000, intervalMs: 8_000 };
const SHORT_INTERVALS = 4;

/** Concurrent deliveries while measuring the capacity, as in the benchmark. */
const CONCURRENCY = 30;

const { minutes, short } = new Command('npm run test:soak --')
	.description(
		"Sends events at half of n8n's capacity, and checks that none is lost, none runs more than once, and memory does not grow.",
	)
	// The trend over the second half needs at least two points.
	.option(
		'--minutes <n>',
		'duration; each minute takes about 50 MB of disk space',
		numberFrom(4),
		10,
	)
	.option(
		'--short',
		'take about a minute, with all checks but those of the pace and of the heap',
		false,
	)
	.parse()
	.opts<{ minutes: number; short: boolean }>();

const durations = short ? SHORT : FULL;
const intervals = short ? SHORT_INTERVALS : minutes;

/** Completed executions per second at full load. */
async function measureCapacity(
	host: OutreachHost,
	workflowId: string,
	events: Deliveries,
): Promise<number> {
	await events.atFullSpeed(durations.warmUpMs, CONCURRENCY);
	await host.server.client.executions.untilIdle(workflowId);
	const before = await countSucceeded(host, workflowId);
	const began = Date.now();
	await events.atFullSpeed(durations.capacityMs, CONCURRENCY);
	await host.server.client.executions.untilIdle(workflowId);
	const seconds = (Date.now() - began) / 1000;
	return ((await countSucceeded(host, workflowId)) - before) / seconds;
}

async function soak(host: OutreachHost, inspectorPort: number): Promise<boolean> {
	const inspector = await Inspector.connect(inspectorPort);
	const draft = triggerWorkflow(await createServiceCredential(host), { events: ['*'] });
	const { id } = await activateNewWorkflow(host, draft, 1);
	const events = new Deliveries(host.service, 'act_soak_');

	const capacity = await measureCapacity(host, id, events);
	const pace = Math.max(1, Math.floor(capacity / 2));
	const seconds = durations.intervalMs / 1000;
	print(
		`n8n completes ${capacity.toFixed(1)} executions per second. Sending ${pace} events per second, ${intervals} times for ${seconds} seconds:`,
	);

	const all: Interval[] = [];
	const began = performance.now();
	let runs = await countSucceeded(host, id);
	for (let interval = 1; interval <= intervals; interval++) {
		const sent = await events.atPace(pace, durations.intervalMs);
		await host.server.client.executions.untilIdle(id);
		const runsNow = await countSucceeded(host, id);
		const memory = await readMemory(inspector, host.server.userFolder);
		const bytes = await staticDataBytes(host, id);
		const timing = { at: (performance.now() - began) / 60_000, plannedMs: durations.intervalMs };
		all.push({ ...timing, sent, ran: runsNow - runs, memory, staticDataBytes: bytes });
		print(
			`  ${interval}: ${sent.authentic} sent, ${runsNow - runs} ran, heap ${memory.heapMb.toFixed(1)} MB`,
		);
		runs = runsNow;
	}
	const authenticOutcome = await readOutcome(host, id, 'act_soak_');
	const forgedOutcome = await readOutcome(host, id, 'act_forged');
	console.table(Object.fromEntries(all.map((one, index) => [index + 1, rowOf(one)])));
	inspector.close();
	await events.close();
	const verdicts = judge({
		intervals: all,
		isLong: !short,
		authentic: events.authentic,
		authenticOutcome,
		forgedOutcome,
	});
	for (const { holds, what } of verdicts) print(`${holds ? 'PASS' : 'FAIL'}  ${what}`);
	return verdicts.every(({ holds }) => holds);
}

void runCheck(async ({ cleanUp }) => {
	const inspectorPort = await freePort();
	const host = await startOutreachHost({
		service: {
			switches: { redeliveries: 5, redeliveryDelayMs: 200, deliveryTimeoutMs: 30_000 },
		},
		env: {
			N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true',
			// The outcome is read from the executions at the end, so n8n must not prune them.
			EXECUTIONS_DATA_PRUNE: 'false',
			NODE_OPTIONS: `--inspect=127.0.0.1:${inspectorPort}`,
		},
	});
	cleanUp.add('stop n8n', () => host.dispose());
	return await soak(host, inspectorPort);
});

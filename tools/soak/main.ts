/** `npm run test:soak`: a long, steady stream of events through a real n8n. See docs/testing.md. */
import { join } from 'node:path';
import { Command } from 'commander';
import { z } from 'zod';
import { deriveSecret } from '../load/deriveSecret';
import { freePort, packageFolder, startOutreachHost, type OutreachHost } from '../host';
import {
	activateNewWorkflow,
	createServiceCredential,
	NEXT_NODE,
	triggerWorkflow,
} from '../host/workflows';
import { mixed, newIds } from '../load/events';
import { judge, type Run } from '../load/judge';
import { inSqlite, readExecutions, runsAt } from '../load/runs';
import { send, senderTo, type Attempt } from '../load/send';
import { markdownTable, numberFrom, print, printChecks, runProgram } from '../terminal';
import { growthChecks, type Check, type Interval, type Memory } from './growth';

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
/** One event in 20 is sent as two simultaneous copies, one is sent again later, and one is followed by a forged delivery. */
const MIXTURE = {
	twiceEvery: 20,
	againEvery: 20,
	forgedEvery: 20,
	againAfter: [short ? 50 : 500],
};
/** Deliveries for each event, without simultaneous copies. */
const PER_EVENT = 1 + 1 / MIXTURE.againEvery + 1 / MIXTURE.forgedEvery;
const intervalCount = short ? SHORT_INTERVALS : minutes;

const lengthSchema = z.object({ bytes: z.number().nullable() });

const memorySchema: z.ZodType<Memory> = z.object({
	entries: z.record(z.number()),
	heapMb: z.number(),
	rssMb: z.number(),
});

async function soak(host: OutreachHost, probePort: number): Promise<boolean> {
	const readMemory = async () =>
		memorySchema.parse(await (await fetch(`http://127.0.0.1:${probePort}`)).json());
	const draft = triggerWorkflow(await createServiceCredential(host), { events: ['*'] });
	const { id } = await activateNewWorkflow(host, draft, 1);
	const url = host.service.hooks()[0]?.targetUrl ?? '';
	const secret = deriveSecret(host.service.apiKey, url);
	const { deliver, close } = senderTo({ url, secret, redeliveries: 5, connections: 64 });
	const query = inSqlite(host);

	const attempts: Attempt[] = [];
	const runs: Run[] = [];
	let lastExecution = 0;
	let failed = 0;
	/** Waits for all executions and reads the new ones. @returns how many events ran in them */
	const readRuns = async (): Promise<number> => {
		await host.server.client.executions.untilIdle(id);
		const before = runs.length;
		for await (const execution of readExecutions(query, [id], lastExecution)) {
			lastExecution = Number(execution.id);
			if (execution.status !== 'success') failed += 1;
			runs.push(...runsAt(NEXT_NODE, execution));
		}
		return runs.length - before;
	};

	const plain = mixed(newIds('act_full_'), {});
	const atFullSpeed = (forMs: number) => send(plain, deliver, { concurrency: CONCURRENCY, forMs });
	attempts.push(...(await atFullSpeed(durations.warmUpMs)));
	await readRuns();
	const beganFullSpeed = Date.now();
	attempts.push(...(await atFullSpeed(durations.capacityMs)));
	const capacity = ((await readRuns()) * 1000) / (Date.now() - beganFullSpeed);
	const pace = Math.max(1, Math.floor(capacity / 2));
	print(
		`n8n completes ${capacity.toFixed(1)} executions per second. Sending ${pace} events per second, ${intervalCount} times for ${durations.intervalMs / 1000} seconds.`,
	);

	const intervals: Interval[] = [];
	const rows: string[][] = [];
	const deliveries = mixed(newIds('act_soak_'), MIXTURE);
	const began = performance.now();
	const accepted = () =>
		new Set(attempts.filter(({ isForged }) => !isForged).map(({ event }) => event)).size;
	for (let number = 1; number <= intervalCount; number++) {
		const [startedAt, before] = [performance.now(), accepted()];
		const sent = await send(deliveries, deliver, {
			concurrency: 64,
			perSecond: pace * PER_EVENT,
			forMs: durations.intervalMs,
		});
		const tookMs = performance.now() - startedAt;
		attempts.push(...sent);
		const ran = await readRuns();
		const memory = await readMemory();
		const [staticData] = await query(
			lengthSchema,
			'SELECT LENGTH("staticData") AS bytes FROM workflow_entity WHERE id = $1',
			[id],
		);
		const staticDataBytes = staticData?.bytes ?? 0;
		const at = (performance.now() - began) / 60_000;
		intervals.push({ at, pace: tookMs / durations.intervalMs, memory, staticDataBytes });
		const events = accepted() - before;
		const forged = sent.filter(({ isForged }) => isForged).length;
		const row = [number, events, ran, sent.length - events - forged, forged];
		const { rememberedActivities = 0, claimedActivities = 0 } = memory.entries;
		rows.push([
			...[...row, rememberedActivities, claimedActivities].map(String),
			memory.heapMb.toFixed(1),
			memory.rssMb.toFixed(0),
			String(staticDataBytes),
		]);
		print(`  ${number}: ${events} sent, ${ran} ran, heap ${memory.heapMb.toFixed(1)} MB`);
	}
	await close();
	print(markdownTable(HEADING, rows));

	const { problems, repeated } = judge(attempts, runs);
	const checks: Check[] = [
		{
			what: `every event ran once (${accepted()} events, ${attempts.length} deliveries, ${runs.length} runs, ${repeated.length} repeated), and no forged one`,
			holds: problems.length === 0,
		},
		{ what: `no execution failed (${failed})`, holds: failed === 0 },
		...growthChecks(intervals, accepted(), !short),
	];
	for (const problem of problems.slice(0, 20)) print(`  ${problem}`);
	return printChecks(checks);
}

const HEADING = [
	'interval',
	'events',
	'ran',
	'duplicates',
	'forged',
	'remembered',
	'in progress',
	'heap MB',
	'process MB',
	'static data bytes',
];

void runProgram('soak', async ({ folder, atEnd }) => {
	const probePort = await freePort();
	const runtime = 'dist/nodes/OutreachService/runtime/runtime.js';
	const host = await startOutreachHost({
		folder,
		env: {
			N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true',
			// The outcome is read from the executions, so n8n must not prune them.
			EXECUTIONS_DATA_PRUNE: 'false',
			NODE_OPTIONS: `--require ${join(__dirname, 'probe.js')}`,
			PROBE_PORT: String(probePort),
			PROBE_RUNTIME: join(packageFolder(join(folder, 'n8n')), runtime),
		},
	});
	atEnd('stop n8n', () => host.dispose());
	return await soak(host, probePort);
});

/** `npm run test:soak`: a long steady stream of events through a real n8n; see docs/benchmarks/README.md. */
import { Command, InvalidArgumentError } from 'commander';
import { drained, fateOf } from '../bench/n8n/executionsInDatabase';
import { activateNewWorkflow, createServiceCredential, triggerWorkflow } from '../host/workflows';
import { freePort, startOutreachHost, type OutreachHost } from '../host';
import { runsSoFar, staticDataBytes } from './database';
import { Deliveries } from './deliveries';
import { Inspector } from './inspector';
import { readMemory } from './nodeState';
import { rowOf } from './row';
import { judge, type Minute } from './verdict';

const WARM_UP_MS = 10_000;
const CAPACITY_MS = 30_000;
const MINUTE_MS = 60_000;
/** Deliveries under way at a time while the capacity is measured, as in the bench. */
const CONCURRENCY = 30;

/** A trend over the second half needs two points of it at least. */
function toMinutes(text: string): number {
	const value = Number(text);
	if (Number.isInteger(value) && value >= 4) return value;
	throw new InvalidArgumentError('A whole number from 4 on.');
}

const { minutes } = new Command('npm run test:soak --')
	.description('Events at half of what n8n can take: none is lost, none runs twice, nothing grows.')
	.option('--minutes <n>', 'how long; each takes about 50 MB of disk', toMinutes, 10)
	.parse()
	.opts<{ minutes: number }>();

const print = (line: string) => process.stdout.write(`${line}\n`);

/** Completed executions a second while more events wait than n8n can take. */
async function measureCapacity(
	host: OutreachHost,
	workflowId: string,
	events: Deliveries,
): Promise<number> {
	await events.atFullSpeed(WARM_UP_MS, CONCURRENCY);
	await drained(host, workflowId);
	const before = await runsSoFar(host, workflowId);
	const began = Date.now();
	await events.atFullSpeed(CAPACITY_MS, CONCURRENCY);
	await drained(host, workflowId);
	const seconds = (Date.now() - began) / 1000;
	return ((await runsSoFar(host, workflowId)) - before) / seconds;
}

async function soak(host: OutreachHost, inspectorPort: number): Promise<boolean> {
	const inspector = await Inspector.connect(inspectorPort);
	const draft = triggerWorkflow(await createServiceCredential(host), { events: ['*'] });
	const { id } = await activateNewWorkflow(host, draft, 1);
	const events = new Deliveries(host.service, 'act_soak_');

	const capacity = await measureCapacity(host, id, events);
	const pace = Math.floor(capacity / 2);
	print(
		`n8n completes ${capacity.toFixed(1)} executions a second; ${pace} events a second for ${minutes} minutes:`,
	);

	const all: Minute[] = [];
	let runs = await runsSoFar(host, id);
	for (let minute = 1; minute <= minutes; minute++) {
		const sent = await events.atPace(pace, MINUTE_MS);
		await drained(host, id);
		const runsNow = await runsSoFar(host, id);
		const memory = await readMemory(inspector, host.server.userFolder);
		const bytes = await staticDataBytes(host, id);
		all.push({ sent, ran: runsNow - runs, memory, staticDataBytes: bytes });
		print(
			`  minute ${minute}: ${sent.genuine} sent, ${runsNow - runs} ran, heap ${memory.heapMb.toFixed(1)} MB`,
		);
		runs = runsNow;
	}
	const fate = await fateOf(host, id, 'act_soak_');
	const forged = await fateOf(host, id, 'act_forged');
	console.table(Object.fromEntries(all.map((one, place) => [place + 1, rowOf(one)])));
	inspector.close();
	await events.close();
	const verdicts = judge({ minutes: all, genuine: events.genuine, fate, forged });
	for (const { holds, what } of verdicts) print(`${holds ? 'PASS' : 'FAIL'}  ${what}`);
	return verdicts.every(({ holds }) => holds);
}

async function main(): Promise<boolean> {
	const inspectorPort = await freePort();
	const host = await startOutreachHost({
		service: {
			switches: { redeliveries: 5, redeliveryDelayMs: 200, deliveryTimeoutMs: 30_000 },
		},
		env: {
			N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true',
			// n8n would remove what shows in the end which events ran.
			EXECUTIONS_DATA_PRUNE: 'false',
			NODE_OPTIONS: `--inspect=127.0.0.1:${inspectorPort}`,
		},
	});
	try {
		return await soak(host, inspectorPort);
	} finally {
		await host.dispose();
	}
}

main().then(
	(isGood) => process.exit(isGood ? 0 : 1),
	(error: unknown) => {
		process.stderr.write(
			`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
		);
		process.exit(1);
	},
);

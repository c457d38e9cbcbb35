import { join } from 'node:path';
import { sentSchema, type Job, type Sent } from '../load/job';
import { separateProcessors } from '../measure/cpuAffinity';
import { Worker } from '../measure/worker';
import { startBenchHost, type BenchHost } from '../n8n/benchHost';
import type { BenchRow } from '../report/row';

export type Engine = 'default' | 'lazy';
export type Sender = Worker<Job, Sent>;

const ENVIRONMENT: Record<Engine, Record<string, string>> = {
	default: {},
	lazy: { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' },
};

/** Runs a measurement in a new n8n. */
export async function withHost(
	engine: Engine,
	measure: (host: BenchHost) => Promise<BenchRow[]>,
): Promise<BenchRow[]> {
	const host = await startBenchHost(ENVIRONMENT[engine]);
	try {
		return await measure(host);
	} finally {
		await host.dispose();
	}
}

/** Runs a measurement with a sender, each on processors of its own. n8n must not restart meanwhile. */
export async function withSender<Result>(
	host: BenchHost,
	measure: (sender: Sender) => Promise<Result>,
): Promise<Result> {
	const restore = await separateProcessors(host.server.process().pid);
	if (!restore) process.stderr.write('(n8n and the sender share all processors) ');
	const sender = new Worker<Job, Sent>(join(__dirname, '../load/sender.ts'), sentSchema);
	try {
		return await measure(sender);
	} finally {
		await sender.end();
		await restore?.();
	}
}

import { join } from 'node:path';
import { sentSchema, type Job, type Sent } from '../load/job';
import { separateProcessors } from '../measure/cpuAffinity';
import { Worker } from '../measure/worker';
import { startBenchHost, type BenchHost } from '../n8n/benchHost';
import { activateComparedWorkflows } from '../n8n/comparedWorkflows';
import type { BenchRow } from '../report/row';
import type { Scale } from '../scale';
import { activationRows } from './activation';
import { deletionRows } from './deletionRows';
import { deliveryRows, type Engine, type Sender } from './deliveries';
import { forgedRows } from './forgedCalls';

const ENVIRONMENT: Record<Engine, Record<string, string>> = {
	default: {},
	lazy: { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' },
};

/** Runs a measurement in a new n8n. */
async function withHost(
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

async function withSender(measure: (sender: Sender) => Promise<BenchRow[]>): Promise<BenchRow[]> {
	const sender = new Worker<Job, Sent>(join(__dirname, '../load/sender.ts'), sentSchema);
	try {
		return await measure(sender);
	} finally {
		await sender.end();
	}
}

async function measureReceiving(
	host: BenchHost,
	engine: Engine,
	scale: Scale,
): Promise<BenchRow[]> {
	const workflows = await activateComparedWorkflows(host);
	const restore = await separateProcessors(host.server.process().pid);
	if (!restore) process.stderr.write('(n8n and the sender share all processors) ');
	try {
		return await withSender(async (sender) => [
			...(await deliveryRows(host, sender, workflows, engine, scale)),
			...(await forgedRows(host, sender, workflows, engine, scale)),
		]);
	} finally {
		await restore?.();
	}
}

/** Deletions, registrations, deliveries and forged calls, in an n8n with default settings. */
export const defaultN8nRows = (scale: Scale): Promise<BenchRow[]> =>
	withHost('default', async (host) => [
		...(await deletionRows(host, scale)),
		...(await activationRows(host, scale)),
		...(await measureReceiving(host, 'default', scale)),
	]);

/** Deliveries and forged calls, in an n8n that acquires an expression engine only to evaluate an expression. */
export const lazyN8nRows = (scale: Scale): Promise<BenchRow[]> =>
	withHost('lazy', (host) => measureReceiving(host, 'lazy', scale));

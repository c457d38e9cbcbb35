import { join } from 'node:path';
import { sentSchema, type Job, type Sent } from '../load/job';
import { setApart } from '../measure/processors';
import { Worker } from '../measure/worker';
import { startBenchHost, type BenchHost } from '../n8n/benchHost';
import { setUpContestants } from '../n8n/contestants';
import type { BenchRow } from '../report/row';
import type { Scale } from '../scale';
import { activationRows } from './activation';
import { deletionRows } from './deletionRows';
import { deliveryRows, type Engine, type Sender } from './deliveries';
import { forgedRows } from './forged';

const ENVIRONMENT: Record<Engine, Record<string, string>> = {
	default: {},
	lazy: { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' },
};

/** Gives a new n8n to a measurement, and ends it afterwards. */
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

async function receiving(host: BenchHost, engine: Engine, scale: Scale): Promise<BenchRow[]> {
	const contestants = await setUpContestants(host);
	const bringTogether = await setApart(host.server.process().pid);
	if (!bringTogether) process.stderr.write('(n8n and the sender share their processors) ');
	try {
		return await withSender(async (sender) => [
			...(await deliveryRows(host, sender, contestants, engine, scale)),
			...(await forgedRows(host, sender, contestants, engine, scale)),
		]);
	} finally {
		await bringTogether?.();
	}
}

/** Deletions, registrations, deliveries and forged calls, in an n8n with default settings. */
export const defaultN8nRows = (scale: Scale): Promise<BenchRow[]> =>
	withHost('default', async (host) => [
		...(await deletionRows(host, scale)),
		...(await activationRows(host, scale)),
		...(await receiving(host, 'default', scale)),
	]);

/** Deliveries and forged calls, in an n8n that takes an expression engine only when an expression is evaluated. */
export const lazyN8nRows = (scale: Scale): Promise<BenchRow[]> =>
	withHost('lazy', (host) => receiving(host, 'lazy', scale));

import type { BenchHost } from '../n8n/benchHost';
import { activateComparedWorkflows } from '../n8n/comparedWorkflows';
import type { BenchRow } from '../report/row';
import type { Scale } from '../scale';
import { activationRows } from './activation';
import { deletionRows } from './deletionRows';
import { deliveryRows } from './deliveries';
import { forgedRows } from './forgedCalls';
import { withHost, withSender, type Engine } from './receivingN8n';

async function measureReceiving(
	host: BenchHost,
	engine: Engine,
	scale: Scale,
): Promise<BenchRow[]> {
	const workflows = await activateComparedWorkflows(host);
	return await withSender(host, async (sender) => [
		...(await deliveryRows(host, sender, workflows, engine, scale)),
		...(await forgedRows(host, sender, workflows, engine, scale)),
	]);
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

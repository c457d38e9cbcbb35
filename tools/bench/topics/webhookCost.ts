import { join } from 'node:path';
import { z } from 'zod';
import { installN8n } from '../../host';
import { pairedRounds } from '../measure/rounds';
import { Worker } from '../measure/worker';
import { row, type BenchRow } from '../report/row';
import type { Scale } from '../scale';

const TOPIC = 'webhook() of our trigger, a 2 KB activity, in n8n-core';
const CALLS = 2_000;

/** The time the node itself takes for a delivery, without n8n's web server, queue and database. */
export async function webhookCostRows({ rounds }: Scale): Promise<BenchRow[]> {
	const { node } = await installN8n();
	const worker = new Worker<{ calls: number; isForged: boolean }, number>(
		join(__dirname, '../core/webhookWorker.ts'),
		z.number(),
		{ execPath: node },
	);
	const variants = [
		['authentic', () => worker.run({ calls: CALLS, isForged: false })],
		['forged', () => worker.run({ calls: CALLS, isForged: true })],
	] as const;
	try {
		await pairedRounds(variants, 2);
		const samples = await pairedRounds(variants, rounds);
		const unit = 'µs';
		const target = { atMost: 100 };
		return [
			row({ topic: TOPIC, name: 'authentic: median', unit, target }, samples('authentic')),
			row({ topic: TOPIC, name: 'forged: median', unit, target }, samples('forged')),
		];
	} finally {
		await worker.end();
	}
}

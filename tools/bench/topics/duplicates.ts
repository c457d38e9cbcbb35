import { pairedRounds } from '../measure/rounds';
import { pairedRatios } from '../measure/statistics';
import { activateOurTrigger } from '../n8n/comparedWorkflows';
import { row, type BenchRow } from '../report/row';
import type { Scale } from '../scale';
import { measureDeliveries, type DeliverySample } from './deliveries';
import { withHost, withSender } from './receivingN8n';

const MEMORIES = ['process', 'database'] as const;
type Memory = (typeof MEMORIES)[number];

/**
 * _Duplicate Memory_ in n8n's database, compared with the default, with the memory of the node empty and full. Each event
 * is new, so each reaches the last node.
 */
export async function duplicateRows({ n8nRounds, deliveryMs }: Scale): Promise<BenchRow[]> {
	return await withHost('lazy', async (host) => {
		const workflows = {
			process: await activateOurTrigger(host, { duplicateMemory: 'process' }),
			database: await activateOurTrigger(host, { duplicateMemory: 'database' }),
		};
		return await withSender(host, async (sender) => {
			const variantsFor = (forMs: number) =>
				MEMORIES.map(
					(memory) =>
						[memory, () => measureDeliveries(host, sender, workflows[memory], forMs)] as const,
				);
			await pairedRounds(variantsFor(2_000), 1);
			const samples = await pairedRounds(variantsFor(deliveryMs), n8nRounds);
			const topic = 'Duplicate Memory, lazy expression engine';
			const of = (memory: Memory, field: 'perSecond' | 'cpuMs' | 'lost') =>
				samples(memory).flatMap((sample: DeliverySample) => sample[field] ?? []);
			return [
				...MEMORIES.map((memory) =>
					row({ topic, name: memory, unit: 'per second' }, of(memory, 'perSecond')),
				),
				row(
					{ topic, name: 'database ÷ process', unit: '×' },
					pairedRatios(of('database', 'perSecond'), of('process', 'perSecond')),
				),
				...MEMORIES.flatMap((memory) => {
					const costs = of(memory, 'cpuMs');
					const text = { topic, name: `${memory}: n8n's CPU time per execution`, unit: 'ms' };
					return costs.length === 0 ? [] : [row(text, costs)];
				}),
				row({ topic, name: 'events lost', unit: 'events', target: { atMost: 0 } }, [
					of('process', 'lost').reduce((a, b) => a + b, 0) +
						of('database', 'lost').reduce((a, b) => a + b, 0),
				]),
			];
		});
	});
}

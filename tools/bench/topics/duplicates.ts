import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MAX_VALUES } from '../../../nodes/OutreachService/runtime/recordedActivities';
import { databaseFile } from '../../host';
import { pairedRounds } from '../measure/rounds';
import { pairedRatios } from '../measure/statistics';
import type { BenchHost } from '../n8n/benchHost';
import { activateOurTrigger, type ComparedWorkflow } from '../n8n/comparedWorkflows';
import { row, type BenchRow } from '../report/row';
import type { Scale } from '../scale';
import { measureDeliveries, type DeliverySample } from './deliveries';
import { withHost, withSender } from './receivingN8n';

const run = promisify(execFile);

const VARIANTS = ['process', 'database', 'database, full'] as const;
type Variant = (typeof VARIANTS)[number];

/** A trigger whose memory in the database holds as much as it may. */
async function activateWithFullMemory(host: BenchHost): Promise<ComparedWorkflow> {
	const { server, installation } = host;
	const workflow = await activateOurTrigger(host, { duplicateMemory: 'database' });
	const { nodes } = await server.client.getWorkflow(workflow.workflowId);
	await run(installation.node, [
		...['--disable-warning=ExperimentalWarning', join(__dirname, '../n8n/fillProcessedData.mjs')],
		...[databaseFile(server.userFolder), workflow.workflowId],
		...[nodes[0]?.id ?? '', String(MAX_VALUES)],
	]);
	return workflow;
}

/** _Duplicate Memory_ in n8n's database, compared with the default. All activities are new. */
export async function duplicateRows({ n8nRounds, deliveryMs }: Scale): Promise<BenchRow[]> {
	return await withHost('lazy', async (host) => {
		const workflows: Record<Variant, ComparedWorkflow> = {
			process: await activateOurTrigger(host, { duplicateMemory: 'process' }),
			database: await activateOurTrigger(host, { duplicateMemory: 'database' }),
			'database, full': await activateWithFullMemory(host),
		};
		return await withSender(host, async (sender) => {
			const variantsFor = (forMs: number) =>
				VARIANTS.map(
					(name) => [name, () => measureDeliveries(host, sender, workflows[name], forMs)] as const,
				);
			await pairedRounds(variantsFor(2_000), 1);
			const samples = await pairedRounds(variantsFor(deliveryMs), n8nRounds);
			const topic = 'Duplicate Memory, lazy expression engine';
			const of = (name: Variant, field: 'perSecond' | 'cpuMs' | 'lost') =>
				samples(name).flatMap((sample: DeliverySample) => sample[field] ?? []);
			return VARIANTS.flatMap((name) => [
				row({ topic, name, unit: 'per second' }, of(name, 'perSecond')),
				...(name === 'process'
					? []
					: [
							row(
								{ topic, name: `${name} ÷ process`, unit: '×' },
								pairedRatios(of(name, 'perSecond'), of('process', 'perSecond')),
							),
						]),
				...(of(name, 'cpuMs').length === 0
					? []
					: [
							row(
								{ topic, name: `${name}: n8n's CPU time per execution`, unit: 'ms' },
								of(name, 'cpuMs'),
							),
						]),
				row({ topic, name: `${name}: events lost`, unit: 'events', target: { atMost: 0 } }, [
					of(name, 'lost').reduce((sum, lost) => sum + lost, 0),
				]),
			]);
		});
	});
}

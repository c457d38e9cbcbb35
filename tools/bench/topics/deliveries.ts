import { cpuTimeMs } from '../measure/cpuTime';
import { pairedRounds, type Samples } from '../measure/rounds';
import { pairedRatios } from '../measure/statistics';
import type { BenchHost } from '../n8n/benchHost';
import type { ComparedWorkflow, WorkflowName } from '../n8n/comparedWorkflows';
import { lostOf, readOutcome, waitUntilIdle } from '../n8n/executionsInDatabase';
import { row, type BenchRow, type Target } from '../report/row';
import type { Scale } from '../scale';
import type { Engine, Sender } from './receivingN8n';

const CONCURRENCY = 30;
const NAMES: readonly WorkflowName[] = [
	'our trigger',
	'bare trigger',
	'built-in trigger',
	'Webhook node',
	'chain',
];

/** The minimum ratio of our trigger to other workflows. */
const TARGETS: Record<Engine, ReadonlyArray<[other: WorkflowName, atLeast: number]>> = {
	default: [['bare trigger', 0.95]],
	lazy: [
		['Webhook node', 0.95],
		['chain', 4],
	],
};

/** One round of one workflow. */
export interface DeliverySample {
	/** Completed executions. */
	perSecond: number;
	/** n8n's CPU time per execution, in milliseconds; undefined if not available. */
	cpuMs: number | undefined;
	/** Accepted activities that did not run. */
	lost: number;
	activities: number;
}

let rounds = 0;

/** Sends deliveries, waits until n8n has finished, and reads which of them ran. */
export async function measureDeliveries(
	host: BenchHost,
	sender: Sender,
	{ workflowId, url, secret }: ComparedWorkflow,
	forMs: number,
): Promise<DeliverySample> {
	const prefix = `act_round${++rounds}_`;
	const job = { url, secret, forMs, concurrency: CONCURRENCY, prefix, redeliveries: 5 };
	const { pid } = host.server.process();
	const cpuBefore = cpuTimeMs(pid);
	const sent = await sender.run(job);
	const { activities, startedAt } = sent;
	await waitUntilIdle(host, workflowId);
	const cpuAfter = cpuTimeMs(pid);
	const outcome = await readOutcome(host, workflowId, prefix);
	const { succeeded, lastStoppedAt } = outcome;
	const seconds = ((lastStoppedAt ?? startedAt) - startedAt) / 1000;
	return {
		perSecond: seconds > 0 ? succeeded / seconds : 0,
		cpuMs:
			cpuBefore === undefined || cpuAfter === undefined || succeeded === 0
				? undefined
				: (cpuAfter - cpuBefore) / succeeded,
		lost: lostOf(sent, outcome),
		activities,
	};
}

/** Completed executions per second and lost events of each workflow. */
export async function deliveryRows(
	host: BenchHost,
	sender: Sender,
	workflows: Record<WorkflowName, ComparedWorkflow>,
	engine: Engine,
	{ n8nRounds, deliveryMs, quick }: Scale,
): Promise<BenchRow[]> {
	const variantsFor = (forMs: number) =>
		NAMES.map(
			(name) => [name, () => measureDeliveries(host, sender, workflows[name], forMs)] as const,
		);
	// Not timed: for its first few hundred executions n8n is still being compiled, and each takes half as long again. Events
	// lost here count.
	const warmUp = await pairedRounds(variantsFor(quick ? 2_000 : 12_000), 1);
	const timed = await pairedRounds(variantsFor(deliveryMs), n8nRounds);
	return [...speedRows(timed, engine), ...lossRows([warmUp, timed], engine)];
}

function speedRows(timed: Samples<WorkflowName, DeliverySample>, engine: Engine): BenchRow[] {
	const topic = `Completed executions, ${engine} expression engine`;
	const speeds = (name: WorkflowName) => timed(name).map(({ perSecond }) => perSecond);
	const ratio = (other: WorkflowName, target: Target | undefined) =>
		row(
			{ topic, name: `our trigger ÷ ${other}`, unit: '×', target },
			pairedRatios(speeds('our trigger'), speeds(other)),
		);
	return [
		...NAMES.map((name) => row({ topic, name, unit: 'per second' }, speeds(name))),
		...NAMES.filter((name) => name !== 'our trigger').map((other) => {
			const atLeast = TARGETS[engine].find(([name]) => name === other)?.[1];
			return ratio(other, atLeast === undefined ? undefined : { atLeast });
		}),
		...NAMES.flatMap((name) => {
			const costs = timed(name).flatMap(({ cpuMs }) => cpuMs ?? []);
			const text = { topic, name: `${name}: n8n's CPU time per execution`, unit: 'ms' };
			return costs.length === 0 ? [] : [row(text, costs)];
		}),
	];
}

function lossRows(
	all: ReadonlyArray<Samples<WorkflowName, DeliverySample>>,
	engine: Engine,
): BenchRow[] {
	const topic = `Events lost, ${engine} expression engine`;
	return NAMES.map((name) => {
		const samples = all.flatMap((samplesOf) => samplesOf(name));
		const sum = (field: 'lost' | 'activities') =>
			samples.reduce((total, sample) => total + sample[field], 0);
		const target = name === 'our trigger' ? { atMost: 0 } : undefined;
		return row({ topic, name: `${name}, of ${sum('activities')} events`, unit: 'events', target }, [
			sum('lost'),
		]);
	});
}

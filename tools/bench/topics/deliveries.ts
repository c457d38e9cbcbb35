import { cpuTimeMs } from '../measure/cpuTime';
import { pairedRounds, type Samples } from '../measure/rounds';
import { pairedRatios } from '../measure/statistics';
import type { BenchHost } from '../n8n/benchHost';
import type { ComparedWorkflow, WorkflowName } from '../n8n/comparedWorkflows';
import { lostOf, readOutcome } from '../n8n/executionsInDatabase';
import { row, type BenchRow, type Target } from '../report/row';
import type { Scale } from '../scale';
import type { Engine, Sender } from './receivingN8n';

const CONCURRENCY = 30;
const OURS = 'our trigger';

/**
 * What our trigger is compared with, one group after the other: the second evaluates expressions, each execution of which
 * takes four times as long and leaves n8n slower for whoever follows.
 */
const GROUPS: ReadonlyArray<{
	others: readonly WorkflowName[];
	rounds: (n8nRounds: number) => number;
}> = [
	// These differ by a few per cent.
	{
		others: ['bare trigger', 'Webhook node', 'Webhook node, Header Auth'],
		rounds: (n8nRounds) => 2 * n8nRounds,
	},
	{ others: ['built-in trigger', 'chain'], rounds: (n8nRounds) => Math.ceil(n8nRounds / 2) },
];

/** The minimum ratio of our trigger to other workflows. */
const TARGETS: Record<Engine, ReadonlyArray<[other: WorkflowName, atLeast: number]>> = {
	default: [['bare trigger', 0.95]],
	lazy: [
		['Webhook node', 0.95],
		['Webhook node, Header Auth', 1],
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
	{ workflowId, url, secret, headers }: ComparedWorkflow,
	forMs: number,
): Promise<DeliverySample> {
	const prefix = `act_round${++rounds}_`;
	const job = {
		url,
		secret,
		...(headers && { headers }),
		forMs,
		concurrency: CONCURRENCY,
		prefix,
		redeliveries: 5,
	};
	const { pid } = host.server.process();
	const cpuBefore = cpuTimeMs(pid);
	const sent = await sender.run(job);
	const { activities, startedAt } = sent;
	await host.server.client.executions.untilIdle(workflowId);
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

const namesOf = (others: readonly WorkflowName[]): WorkflowName[] => [OURS, ...others];

type Compared = { others: readonly WorkflowName[]; timed: Samples<WorkflowName, DeliverySample> };

/** Completed executions per second and lost events of each workflow. */
export async function deliveryRows(
	host: BenchHost,
	sender: Sender,
	workflows: Record<WorkflowName, ComparedWorkflow>,
	engine: Engine,
	{ n8nRounds, deliveryMs, quick }: Scale,
): Promise<BenchRow[]> {
	const compared: Compared[] = [];
	const all: Array<Samples<WorkflowName, DeliverySample>> = [];
	for (const { others, rounds } of GROUPS) {
		const variantsFor = (forMs: number) =>
			namesOf(others).map(
				(name) => [name, () => measureDeliveries(host, sender, workflows[name], forMs)] as const,
			);
		// Not timed: for its first few hundred executions n8n is still being compiled, and each takes half as long again.
		// Events lost here count.
		const warmUp = await pairedRounds(variantsFor(quick ? 2_000 : 12_000), 1);
		const timed = await pairedRounds(variantsFor(deliveryMs), rounds(n8nRounds));
		compared.push({ others, timed });
		all.push(warmUp, timed);
	}
	return [...speedRows(compared, engine), ...lossRows(all, engine)];
}

function speedRows(compared: readonly Compared[], engine: Engine): BenchRow[] {
	const topic = `Completed executions, ${engine} expression engine`;
	// Our trigger as in the first group.
	const named = compared.flatMap(({ others, timed }, index) =>
		(index === 0 ? namesOf(others) : others).map((name) => ({ name, samples: timed(name) })),
	);
	const speeds = (samples: readonly DeliverySample[]) => samples.map(({ perSecond }) => perSecond);
	return [
		...named.map(({ name, samples }) => row({ topic, name, unit: 'per second' }, speeds(samples))),
		...compared.flatMap(({ others, timed }) =>
			others.map((other) => {
				const atLeast = TARGETS[engine].find(([name]) => name === other)?.[1];
				const target: Target | undefined = atLeast === undefined ? undefined : { atLeast };
				return row(
					{ topic, name: `${OURS} ÷ ${other}`, unit: '×', target },
					pairedRatios(speeds(timed(OURS)), speeds(timed(other))),
				);
			}),
		),
		...named.flatMap(({ name, samples }) => {
			const costs = samples.flatMap(({ cpuMs }) => cpuMs ?? []);
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
	return namesOf(GROUPS.flatMap(({ others }) => others)).map((name) => {
		const samples = all.flatMap((samplesOf) => samplesOf(name));
		const sum = (field: 'lost' | 'activities') =>
			samples.reduce((total, sample) => total + sample[field], 0);
		const target = name === OURS ? { atMost: 0 } : undefined;
		return row({ topic, name: `${name}, of ${sum('activities')} events`, unit: 'events', target }, [
			sum('lost'),
		]);
	});
}

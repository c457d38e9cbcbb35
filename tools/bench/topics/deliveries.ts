import type { Worker } from '../measure/worker';
import type { Job, Sent } from '../load/job';
import { processorTimeMs } from '../measure/processorTime';
import { pairedRounds, type Samples } from '../measure/rounds';
import { pairedRatios } from '../measure/statistics';
import type { BenchHost } from '../n8n/benchHost';
import type { Contestant, ContestantName } from '../n8n/contestants';
import { drained, fateOf } from '../n8n/executionsInDatabase';
import { row, type BenchRow, type Wanted } from '../report/row';
import type { Scale } from '../scale';

export type Engine = 'default' | 'lazy';
export type Sender = Worker<Job, Sent>;

const CONCURRENCY = 30;
const NAMES: readonly ContestantName[] = ['our trigger', 'bare trigger', 'Webhook node', 'chain'];

/** What our trigger has to reach, as a multiple of another. */
const WANTED: Record<Engine, ReadonlyArray<[other: ContestantName, atLeast: number]>> = {
	default: [['bare trigger', 0.95]],
	lazy: [
		['Webhook node', 0.95],
		['chain', 4],
	],
};

/** One round of one contestant. */
interface Sample {
	/** Completed executions. */
	perSecond: number;
	/** n8n's processor time for each of them, in milliseconds; undefined where it cannot be told. */
	processorMs: number | undefined;
	/** Accepted activities that did not run. */
	lost: number;
	activities: number;
}

let rounds = 0;

/** Sends deliveries for some time, waits until n8n is done with them, and looks which ran. */
async function measure(
	host: BenchHost,
	sender: Sender,
	{ workflowId, url, secret }: Contestant,
	forMs: number,
): Promise<Sample> {
	const prefix = `act_round${++rounds}_`;
	const job = { url, secret, forMs, concurrency: CONCURRENCY, prefix, redeliveries: 5 };
	const { pid } = host.server.process();
	const processorBefore = processorTimeMs(pid);
	const { activities, accepted, beganAt } = await sender.run(job);
	await drained(host, workflowId);
	const processorAfter = processorTimeMs(pid);
	const { ran, succeeded, lastStoppedAt } = await fateOf(host, workflowId, prefix);
	const seconds = ((lastStoppedAt ?? beganAt) - beganAt) / 1000;
	return {
		perSecond: seconds > 0 ? succeeded / seconds : 0,
		processorMs:
			processorBefore === undefined || processorAfter === undefined || succeeded === 0
				? undefined
				: (processorAfter - processorBefore) / succeeded,
		lost: accepted - ran,
		activities,
	};
}

/** Completed executions a second of each contestant, and what each lost. */
export async function deliveryRows(
	host: BenchHost,
	sender: Sender,
	contestants: Record<ContestantName, Contestant>,
	engine: Engine,
	{ n8nRounds, deliveryMs, quick }: Scale,
): Promise<BenchRow[]> {
	const variantsFor = (forMs: number) =>
		NAMES.map((name) => [name, () => measure(host, sender, contestants[name], forMs)] as const);
	// Not timed, because n8n and the nodes are still being compiled; but what is lost here is lost.
	const warmUp = await pairedRounds(variantsFor(quick ? 2_000 : 4_000), 1);
	const timed = await pairedRounds(variantsFor(deliveryMs), n8nRounds);
	return [...speedRows(timed, engine), ...lossRows([warmUp, timed], engine)];
}

function speedRows(timed: Samples<ContestantName, Sample>, engine: Engine): BenchRow[] {
	const topic = `Completed executions, ${engine} expression engine`;
	const speeds = (name: ContestantName) => timed(name).map(({ perSecond }) => perSecond);
	const ratio = (other: ContestantName, wanted: Wanted | undefined) =>
		row(
			{ topic, name: `our trigger ÷ ${other}`, unit: '×', wanted },
			pairedRatios(speeds('our trigger'), speeds(other)),
		);
	return [
		...NAMES.map((name) => row({ topic, name, unit: 'a second' }, speeds(name))),
		...NAMES.filter((name) => name !== 'our trigger').map((other) => {
			const atLeast = WANTED[engine].find(([name]) => name === other)?.[1];
			return ratio(other, atLeast === undefined ? undefined : { atLeast });
		}),
		...NAMES.flatMap((name) => {
			const costs = timed(name).flatMap(({ processorMs }) => processorMs ?? []);
			const text = { topic, name: `${name}: n8n's processor time for one`, unit: 'ms' };
			return costs.length === 0 ? [] : [row(text, costs)];
		}),
	];
}

function lossRows(all: ReadonlyArray<Samples<ContestantName, Sample>>, engine: Engine): BenchRow[] {
	const topic = `Events lost, ${engine} expression engine`;
	return NAMES.map((name) => {
		const samples = all.flatMap((samplesOf) => samplesOf(name));
		const sum = (field: 'lost' | 'activities') =>
			samples.reduce((total, sample) => total + sample[field], 0);
		const wanted = name === 'our trigger' ? { atMost: 0 } : undefined;
		return row({ topic, name: `${name}, of ${sum('activities')} events`, unit: 'events', wanted }, [
			sum('lost'),
		]);
	});
}

import { cpuTimeMs } from '../measure/cpuTime';
import { highWaterMark, resetHighWaterMark } from '../measure/highWaterMark';
import { pairedRounds, type Samples } from '../measure/rounds';
import { pairedRatios } from '../measure/statistics';
import type { BenchHost } from '../n8n/benchHost';
import {
	activateOurTrigger,
	activateWebhookNode,
	type ComparedWorkflow,
} from '../n8n/comparedWorkflows';
import { readOutcome, waitUntilIdle } from '../n8n/executionsInDatabase';
import { row, type BenchRow, type Target } from '../report/row';
import type { Scale } from '../scale';
import { withHost, withSender, type Engine, type Sender } from './receivingN8n';

const SENDERS = 200;
const LIMITS = { maxEvents: 100, maxSeconds: 1 };
const WARM_UP_MS = 2_000;
const MB = 1024 * 1024;

type Name = 'batched' | 'unbatched' | 'Webhook node';
const NAMES: readonly Name[] = ['batched', 'unbatched', 'Webhook node'];

/** Each default-engine delivery occupies an expression engine, so its batches fill slowly. */
const TARGETS: Record<Engine, { speed: Target; executions?: Target; memory: Target }> = {
	default: { speed: { atLeast: 1.1 }, memory: { atMost: 400 } },
	lazy: { speed: { atLeast: 4 }, executions: { atMost: 0.1 }, memory: { atMost: 400 } },
};

/** One round of one workflow. */
interface Sample {
	/** Events in successful executions per second, from the first delivery to the end of the last execution. */
	perSecond: number;
	executionsPerEvent: number;
	/** n8n's CPU time per event, in milliseconds; undefined if not available. */
	cpuMs: number | undefined;
	/** Accepted activities that did not run. */
	lost: number;
	/** Items beyond the first of each activity. */
	repeated: number;
	activities: number;
	/** n8n's peak memory, in MB; undefined if not available. */
	peakMb: number | undefined;
}

let rounds = 0;

/** Sends deliveries, waits until n8n has finished, and reads which of them ran. */
async function measure(
	host: BenchHost,
	sender: Sender,
	{ workflowId, url, secret }: ComparedWorkflow,
	forMs: number,
): Promise<Sample> {
	const prefix = `act_batch${++rounds}_`;
	const job = { url, secret, forMs, concurrency: SENDERS, prefix, redeliveries: 5 };
	const { pid } = host.server.process();
	resetHighWaterMark(pid);
	const cpuBefore = cpuTimeMs(pid);
	const { activities, accepted, startedAt } = await sender.run(job);
	await waitUntilIdle(host, workflowId);
	const cpuAfter = cpuTimeMs(pid);
	const peak = highWaterMark(pid);
	const { ran, items, succeeded, lastStoppedAt } = await readOutcome(host, workflowId, prefix);
	const seconds = ((lastStoppedAt ?? startedAt) - startedAt) / 1000;
	return {
		perSecond: seconds > 0 ? ran / seconds : 0,
		executionsPerEvent: ran > 0 ? succeeded / ran : 0,
		cpuMs:
			cpuBefore === undefined || cpuAfter === undefined || ran === 0
				? undefined
				: (cpuAfter - cpuBefore) / ran,
		lost: accepted - ran,
		repeated: items - ran,
		activities,
		peakMb: peak === undefined ? undefined : peak / MB,
	};
}

/** A burst from many senders: our trigger with and without batches, and n8n's Webhook node. */
export const batchRows =
	(engine: Engine) =>
	({ batchRounds, batchMs, memoryRestarts }: Scale): Promise<BenchRow[]> =>
		withHost(engine, async (host) => {
			const workflows: Record<Name, ComparedWorkflow> = {
				batched: await activateOurTrigger(host, { batch: { values: LIMITS } }),
				unbatched: await activateOurTrigger(host),
				'Webhook node': await activateWebhookNode(host),
			};
			const { warmUp, timed } = await withSender(host, async (sender) => {
				const variantsFor = (forMs: number) =>
					NAMES.map((name) => [name, () => measure(host, sender, workflows[name], forMs)] as const);
				return {
					// Not timed, because n8n and the nodes are still being compiled. Events lost here count.
					warmUp: await pairedRounds(variantsFor(WARM_UP_MS), 1),
					timed: await pairedRounds(variantsFor(batchMs), batchRounds),
				};
			});
			const inNewProcess = async (name: Name): Promise<Sample> => {
				await host.server.restart();
				return await withSender(host, (sender) => measure(host, sender, workflows[name], batchMs));
			};
			const restarted = await pairedRounds(
				(['batched', 'unbatched'] satisfies Name[]).map((name): [Name, () => Promise<Sample>] => [
					name,
					() => inNewProcess(name),
				]),
				memoryRestarts,
			);
			return [
				...speedRows(timed, engine),
				...lossRows([warmUp, timed, restarted], engine),
				...memoryRows(restarted, engine),
			];
		});

const topicFor = (engine: Engine): string =>
	`Batches of ${LIMITS.maxEvents} events or ${LIMITS.maxSeconds} s, ${SENDERS} senders, ${engine} expression engine`;

function speedRows(timed: Samples<Name, Sample>, engine: Engine): BenchRow[] {
	const topic = topicFor(engine);
	const speeds = (name: Name) => timed(name).map(({ perSecond }) => perSecond);
	const { speed, executions } = TARGETS[engine];
	const ratio = (name: Name, other: Name, target?: Target) =>
		row(
			{ topic, name: `${name} ÷ ${other}`, unit: '×', target },
			pairedRatios(speeds(name), speeds(other)),
		);
	return [
		...NAMES.map((name) => row({ topic, name, unit: 'events per second' }, speeds(name))),
		ratio('batched', 'Webhook node', speed),
		ratio('batched', 'unbatched'),
		ratio('unbatched', 'Webhook node'),
		row(
			{ topic, name: 'batched: executions per event', unit: 'executions', target: executions },
			timed('batched').map(({ executionsPerEvent }) => executionsPerEvent),
		),
		...NAMES.flatMap((name) => {
			const costs = timed(name).flatMap(({ cpuMs }) => cpuMs ?? []);
			const text = { topic, name: `${name}: n8n's CPU time per event`, unit: 'ms' };
			return costs.length === 0 ? [] : [row(text, costs)];
		}),
	];
}

function lossRows(all: ReadonlyArray<Samples<Name, Sample>>, engine: Engine): BenchRow[] {
	const topic = topicFor(engine);
	return NAMES.flatMap((name) => {
		const samples = all.flatMap((samplesOf) => samplesOf(name));
		const sum = (field: 'lost' | 'repeated' | 'activities') =>
			samples.reduce((total, sample) => total + sample[field], 0);
		const target = name === 'Webhook node' ? undefined : { atMost: 0 };
		const text = { topic, unit: 'events', target };
		return [
			row({ ...text, name: `${name}: lost, of ${sum('activities')}` }, [sum('lost')]),
			row({ ...text, name: `${name}: ran again` }, [sum('repeated')]),
		];
	});
}

function memoryRows(restarted: Samples<Name, Sample>, engine: Engine): BenchRow[] {
	const topic = `n8n's peak memory under this load, ${engine} expression engine`;
	const peaks = (name: Name) => restarted(name).map(({ peakMb }) => peakMb);
	const batched = peaks('batched');
	const unbatched = peaks('unbatched');
	const known = (values: ReadonlyArray<number | undefined>) =>
		values.flatMap((value) => value ?? []);
	if (known(batched).length === 0 || known(unbatched).length === 0) return [];
	const differences = batched.flatMap((peak, round) => {
		const other = unbatched[round];
		return peak === undefined || other === undefined ? [] : [peak - other];
	});
	const unit = 'MB';
	const target = TARGETS[engine].memory;
	return [
		row({ topic, name: 'batched', unit }, known(batched)),
		row({ topic, name: 'unbatched', unit }, known(unbatched)),
		row({ topic, name: 'batched − unbatched', unit, target }, differences),
	];
}

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
import { lostOf, readOutcome } from '../n8n/executionsInDatabase';
import { row, type BenchRow, type Target } from '../report/row';
import type { Scale } from '../scale';
import { withHost, withSender, type Engine, type Sender } from './receivingN8n';

const SENDERS = 200;
const LIMITS = { maxEvents: 100, maxSeconds: 1 };
/** With the default engine, a response takes long when nothing is batched. */
const TIMEOUT_MS = 180_000;
/** As many senders as fill a batch: otherwise it would mostly wait. */
const WARM_UP = { senders: LIMITS.maxEvents, forMs: 1_000 };
const MB = 1024 * 1024;

type Name = 'batched' | 'unbatched' | 'Webhook node';
const NAMES: readonly Name[] = ['batched', 'unbatched', 'Webhook node'];
/** Compared in the same process, and in a process of their own. */
const BESIDE: readonly Name[] = ['batched', 'Webhook node'];
const ALONE: readonly Name[] = ['batched', 'unbatched'];

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
	{ senders = SENDERS, forMs }: { senders?: number; forMs: number },
): Promise<Sample> {
	const prefix = `act_batch${++rounds}_`;
	const job = {
		...{ url, secret, forMs, concurrency: senders, prefix, redeliveries: 5 },
		timeoutMs: TIMEOUT_MS,
	};
	const { pid } = host.server.process();
	resetHighWaterMark(pid);
	const cpuBefore = cpuTimeMs(pid);
	const sent = await sender.run(job);
	const { activities, startedAt } = sent;
	await host.server.client.executions.untilIdle(workflowId);
	const cpuAfter = cpuTimeMs(pid);
	const peak = highWaterMark(pid);
	const outcome = await readOutcome(host, workflowId, prefix);
	const { ran, items, succeeded, lastStoppedAt } = outcome;
	const seconds = ((lastStoppedAt ?? startedAt) - startedAt) / 1000;
	return {
		perSecond: seconds > 0 ? ran / seconds : 0,
		executionsPerEvent: ran > 0 ? succeeded / ran : 0,
		cpuMs:
			cpuBefore === undefined || cpuAfter === undefined || ran === 0
				? undefined
				: (cpuAfter - cpuBefore) / ran,
		lost: lostOf(sent, outcome),
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
				const variantsFor = (load: { senders?: number; forMs: number }) =>
					BESIDE.map((name) => [name, () => measure(host, sender, workflows[name], load)] as const);
				return {
					// Not timed, because n8n and the nodes are still being compiled. Events lost here count.
					warmUp: await pairedRounds(variantsFor(WARM_UP), 1),
					timed: await pairedRounds(variantsFor({ forMs: batchMs }), batchRounds),
				};
			});
			// A process hardly returns memory, so the first variant would determine the peak of the second one.
			const inNewProcess = async (name: Name): Promise<Sample> => {
				await host.server.restart();
				return await withSender(host, async (sender) => {
					await measure(host, sender, workflows[name], WARM_UP);
					return await measure(host, sender, workflows[name], { forMs: batchMs });
				});
			};
			const alone = await pairedRounds(
				ALONE.map((name) => [name, () => inNewProcess(name)] as const),
				memoryRestarts,
			);
			return [
				...speedRows(timed, alone, engine),
				...lossRows([warmUp, timed, alone], engine),
				...memoryRows(alone, engine),
			];
		});

const topicFor = (engine: Engine): string =>
	`Batches of ${LIMITS.maxEvents} events or ${LIMITS.maxSeconds} s, ${SENDERS} senders, ${engine} expression engine`;

function speedRows(
	beside: Samples<Name, Sample>,
	alone: Samples<Name, Sample>,
	engine: Engine,
): BenchRow[] {
	const topic = topicFor(engine);
	const { speed, executions } = TARGETS[engine];
	const speeds = (samples: Sample[]) => samples.map(({ perSecond }) => perSecond);
	const [batched, webhookNode] = [speeds(beside('batched')), speeds(beside('Webhook node'))];
	const [batchedAlone, unbatched] = [speeds(alone('batched')), speeds(alone('unbatched'))];
	const unit = 'events per second';
	const rowOfCpu = (name: string, samples: Sample[]): BenchRow[] => {
		const costs = samples.flatMap(({ cpuMs }) => cpuMs ?? []);
		const text = { topic, name: `${name}: n8n's CPU time per event`, unit: 'ms' };
		return costs.length === 0 ? [] : [row(text, costs)];
	};
	return [
		row({ topic, name: 'batched', unit }, batched),
		row({ topic, name: 'Webhook node', unit }, webhookNode),
		row(
			{ topic, name: 'batched ÷ Webhook node', unit: '×', target: speed },
			pairedRatios(batched, webhookNode),
		),
		row({ topic, name: 'batched, n8n just started', unit }, batchedAlone),
		row({ topic, name: 'unbatched, n8n just started', unit }, unbatched),
		row(
			{ topic, name: 'batched ÷ unbatched, n8n just started', unit: '×' },
			pairedRatios(batchedAlone, unbatched),
		),
		row(
			{ topic, name: 'batched: executions per event', unit: 'executions', target: executions },
			beside('batched').map(({ executionsPerEvent }) => executionsPerEvent),
		),
		...rowOfCpu('batched', beside('batched')),
		...rowOfCpu('Webhook node', beside('Webhook node')),
		...rowOfCpu('unbatched', alone('unbatched')),
		...cpuRatioRows(beside, topic),
	];
}

/** On a busy machine, more reliable than the speeds. */
function cpuRatioRows(samplesOf: Samples<Name, Sample>, topic: string): BenchRow[] {
	const costs = (name: Name) => samplesOf(name).flatMap(({ cpuMs }) => cpuMs ?? []);
	const ratios = pairedRatios(costs('Webhook node'), costs('batched'));
	const name = "Webhook node ÷ batched: n8n's CPU time per event";
	return ratios.length === 0 ? [] : [row({ topic, name, unit: '×' }, ratios)];
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

function memoryRows(alone: Samples<Name, Sample>, engine: Engine): BenchRow[] {
	const topic = `n8n's peak memory under this load, ${engine} expression engine`;
	const peaks = (name: Name) => alone(name).map(({ peakMb }) => peakMb);
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

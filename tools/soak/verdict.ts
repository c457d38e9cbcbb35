import { MAX_REMEMBERED } from '../../nodes/OutreachService/runtime/limits';
import { slope } from '../bench/measure/statistics';
import type { Outcome } from '../bench/n8n/executionsInDatabase';
import type { Sent } from './deliveries';
import type { Memory, NodeState } from './nodeState';

/** The maximum size of a remembered activity in bytes, including heap fragmentation. */
const BYTES_PER_ACTIVITY = 200;
/** How much n8n's own caches and statistics may grow, in MB per minute. */
const N8N_GROWTH_MB = 0.5;
/** How much longer than planned the events of an interval may take. */
const MAX_SLOWDOWN = 1.1;
const MB = 1024 * 1024;

/** The figures of one interval, read at its end, when no execution is in progress. */
export interface Interval {
	/** When they were read, in minutes. */
	at: number;
	/** How long its events were to take, in milliseconds. */
	plannedMs: number;
	sent: Sent;
	/** The number of successful executions. */
	ran: number;
	memory: Memory;
	staticDataBytes: number;
}

export interface Figures {
	intervals: Interval[];
	/** Whether the run was long enough to tell a trend of the heap, and a lower pace, from noise. */
	isLong: boolean;
	/** The number of distinct authentic activities, including the warm-up. */
	authentic: number;
	authenticOutcome: Outcome;
	forgedOutcome: Outcome;
}

export interface Verdict {
	what: string;
	holds: boolean;
}

/** The slope per minute, over the second half. */
function trend(intervals: Interval[], of: (interval: Interval) => number): number {
	const points = intervals.map((interval): [number, number] => [interval.at, of(interval)]);
	return slope(points.slice(Math.floor(points.length / 2)));
}

function checkExecutions({
	intervals,
	isLong,
	authentic,
	authenticOutcome,
	forgedOutcome,
}: Figures): Verdict[] {
	const sum = (of: (interval: Interval) => number) =>
		intervals.reduce((total, interval) => total + of(interval), 0);
	const notAccepted = sum(({ sent }) => sent.summary.failed);
	const duplicates = sum(({ sent }) => sent.duplicates);
	const rejections = intervals.flatMap(({ sent }) => Object.entries(sent.forged));
	const forgedSent = rejections.reduce((total, [, count]) => total + count, 0);
	const not401 = rejections.filter(([status]) => status !== '401').length;
	const slowest = Math.max(...intervals.map(({ sent, plannedMs }) => sent.summary.ms / plannedMs));
	const paceVerdict = {
		what: `the pace was held (the slowest interval took ${(slowest * 100).toFixed(0)} % of its time)`,
		holds: slowest <= MAX_SLOWDOWN,
	};
	return [
		...(isLong ? [paceVerdict] : []),
		{ what: `every event was accepted (${notAccepted} were not)`, holds: notAccepted === 0 },
		{
			what: `every event ran (${authenticOutcome.ran} of ${authentic}, ${authenticOutcome.failed} failed)`,
			holds: authenticOutcome.ran === authentic && authenticOutcome.failed === 0,
		},
		{
			what: `no event ran more than once (${authenticOutcome.succeeded} executions, ${duplicates} duplicates)`,
			holds: authenticOutcome.succeeded === authenticOutcome.ran && duplicates > 0,
		},
		{
			what: `${forgedSent} forged deliveries were rejected with 401, and none ran`,
			holds: forgedSent > 0 && not401 === 0 && forgedOutcome.succeeded + forgedOutcome.failed === 0,
		},
	];
}

/** All state except the remembered activities, as text: it must stay the same. */
const restOf = (state: NodeState): string =>
	JSON.stringify({ ...state, rememberedActivities: undefined });

function checkGrowth({ intervals, isLong, authentic }: Figures): Verdict[] {
	const memories = intervals.map(({ memory }) => memory);
	const last = memories.at(-1)?.state;
	const rests = new Set(memories.map(({ state }) => restOf(state)));
	const sizes = new Set(intervals.map(({ staticDataBytes }) => staticDataBytes));
	const inHalf = Math.floor(intervals.length / 2);
	const heap = trend(intervals, ({ memory }) => memory.heapMb);
	const remembered = trend(intervals, ({ memory }) => memory.state.rememberedActivities);
	const explained = (remembered * BYTES_PER_ACTIVITY) / MB;
	const heapVerdict = {
		what: `from interval ${inHalf + 1} on, n8n's heap grows by ${heap.toFixed(2)} MB per minute; remembered activities account for up to ${explained.toFixed(2)}, and n8n for ${N8N_GROWTH_MB}`,
		holds: heap <= explained + N8N_GROWTH_MB,
	};
	return [
		{
			what: `the node remembers ${last?.rememberedActivities ?? 0} activities: all of them, at most ${MAX_REMEMBERED}`,
			holds: last?.rememberedActivities === Math.min(authentic, MAX_REMEMBERED),
		},
		{
			what: `no other state grows: ${[...rests].join(' | ')}`,
			holds: rests.size === 1 && last?.claimedActivities === 0 && last.locks === 0,
		},
		{
			what: `the size of the static data stays the same (${[...sizes].join(', ')} bytes)`,
			holds: sizes.size === 1 && !sizes.has(0),
		},
		...(isLong ? [heapVerdict] : []),
	];
}

/** Everything that a soak test must show. */
export const judge = (figures: Figures): Verdict[] => [
	...checkExecutions(figures),
	...checkGrowth(figures),
];

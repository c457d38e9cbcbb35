import { MAX_REMEMBERED } from '../../nodes/OutreachService/runtime/limits';
import { slope } from '../bench/measure/statistics';
import type { Outcome } from '../bench/n8n/executionsInDatabase';
import type { Sent } from './deliveries';
import type { Memory, NodeState } from './nodeState';

/** The maximum size of a remembered activity in bytes, including heap fragmentation. */
const BYTES_PER_ACTIVITY = 200;
/** How much n8n's own caches and statistics may grow, in MB per minute. */
const N8N_GROWTH_MB = 0.5;
const MB = 1024 * 1024;

/** The figures of one minute, read at its end, when no execution is in progress. */
export interface Minute {
	sent: Sent;
	/** The number of successful executions. */
	ran: number;
	memory: Memory;
	staticDataBytes: number;
}

export interface Figures {
	minutes: Minute[];
	/** Whether the run was long enough to tell a trend of the heap from noise. */
	isHeapJudged: boolean;
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
function trend(minutes: Minute[], of: (minute: Minute) => number): number {
	const points = minutes.map((minute, index): [number, number] => [index, of(minute)]);
	return slope(points.slice(Math.floor(points.length / 2)));
}

function checkExecutions({
	minutes,
	authentic,
	authenticOutcome,
	forgedOutcome,
}: Figures): Verdict[] {
	const sum = (of: (minute: Minute) => number) =>
		minutes.reduce((total, minute) => total + of(minute), 0);
	const notAccepted = sum(({ sent }) => sent.summary.failed);
	const duplicates = sum(({ sent }) => sent.duplicates);
	const rejections = minutes.flatMap(({ sent }) => Object.entries(sent.forged));
	const forgedSent = rejections.reduce((total, [, count]) => total + count, 0);
	const not401 = rejections.filter(([status]) => status !== '401').length;
	return [
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

function checkGrowth({ minutes, isHeapJudged, authentic }: Figures): Verdict[] {
	const memories = minutes.map(({ memory }) => memory);
	const last = memories.at(-1)?.state;
	const rests = new Set(memories.map(({ state }) => restOf(state)));
	const sizes = new Set(minutes.map(({ staticDataBytes }) => staticDataBytes));
	const inHalf = Math.floor(minutes.length / 2);
	const heap = trend(minutes, ({ memory }) => memory.heapMb);
	const remembered = trend(minutes, ({ memory }) => memory.state.rememberedActivities);
	const explained = (remembered * BYTES_PER_ACTIVITY) / MB;
	const heapVerdict = {
		what: `from minute ${inHalf + 1} on, n8n's heap grows by ${heap.toFixed(2)} MB per minute; remembered activities account for up to ${explained.toFixed(2)}, and n8n for ${N8N_GROWTH_MB}`,
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
		...(isHeapJudged ? [heapVerdict] : []),
	];
}

/** Everything that a soak test must show. */
export const judge = (figures: Figures): Verdict[] => [
	...checkExecutions(figures),
	...checkGrowth(figures),
];

import { slope } from '../bench/measure/statistics';
import type { Fate } from '../bench/n8n/executionsInDatabase';
import type { Sent } from './deliveries';
import type { Memory, NodeState } from './nodeState';

/** What docs/trigger.md says of the activities that a process remembers. */
const MOST_REMEMBERED = 50_000;
/** The maximum size of one of them, in bytes, with what n8n's heap loses to fragmentation. */
const BYTES_FOR_EACH = 200;
/** How much n8n's heap may grow in a minute besides: its own caches and statistics, in MB. */
const N8N_OWN_MB = 0.5;
const MB = 1024 * 1024;

/** The figures of one minute; what is read is read at its end, when nothing is under way. */
export interface Minute {
	sent: Sent;
	/** Executions that succeeded. */
	ran: number;
	memory: Memory;
	staticDataBytes: number;
}

export interface Figures {
	minutes: Minute[];
	/** Different genuine activities, those of the warm-up included. */
	genuine: number;
	/** Their outcome. */
	fate: Fate;
	/** The outcome of the forged ones. */
	forged: Fate;
}

export interface Verdict {
	what: string;
	holds: boolean;
}

/** In MB for each minute, over the second half. */
function trend(minutes: Minute[], of: (minute: Minute) => number): number {
	const points = minutes.map((minute, place): [number, number] => [place, of(minute)]);
	return slope(points.slice(Math.floor(points.length / 2)));
}

function whatRan({ minutes, genuine, fate, forged }: Figures): Verdict[] {
	const sum = (of: (minute: Minute) => number) =>
		minutes.reduce((total, minute) => total + of(minute), 0);
	const notTaken = sum(({ sent }) => sent.summary.failed);
	const duplicates = sum(({ sent }) => sent.duplicates);
	const answers = minutes.flatMap(({ sent }) => Object.entries(sent.forged));
	const forgedSent = answers.reduce((total, [, count]) => total + count, 0);
	const otherwise = answers.filter(([status]) => status !== '401').length;
	return [
		{ what: `every event was taken (${notTaken} were not)`, holds: notTaken === 0 },
		{
			what: `every event ran (${fate.ran} of ${genuine}, ${fate.failed} failed)`,
			holds: fate.ran === genuine && fate.failed === 0,
		},
		{
			what: `none ran twice (${fate.succeeded} runs), with ${duplicates} duplicates among them`,
			holds: fate.succeeded === fate.ran && duplicates > 0,
		},
		{
			what: `${forgedSent} forged ones were refused with 401, and none ran`,
			holds: forgedSent > 0 && otherwise === 0 && forged.succeeded + forged.failed === 0,
		},
	];
}

/** Everything the node keeps but the activities, as text: it must be the same all the time. */
const restOf = (state: NodeState): string => JSON.stringify({ ...state, remembered: undefined });

function whatGrew({ minutes, genuine }: Figures): Verdict[] {
	const memories = minutes.map(({ memory }) => memory);
	const last = memories.at(-1)?.state;
	const rests = new Set(memories.map(({ state }) => restOf(state)));
	const sizes = new Set(minutes.map(({ staticDataBytes }) => staticDataBytes));
	const inHalf = Math.floor(minutes.length / 2);
	const heap = trend(minutes, ({ memory }) => memory.heapMb);
	const remembered = trend(minutes, ({ memory }) => memory.state.remembered);
	const explained = (remembered * BYTES_FOR_EACH) / MB;
	return [
		{
			what: `the node remembers ${last?.remembered ?? 0} activities: as many as came, at most ${MOST_REMEMBERED}`,
			holds: last?.remembered === Math.min(genuine, MOST_REMEMBERED),
		},
		{
			what: `and keeps nothing else that grows: ${[...rests].join(' | ')}`,
			holds: rests.size === 1 && last?.underWay === 0 && last.locks === 0,
		},
		{
			what: `static data has ${[...sizes].join(', ')} bytes, all the time`,
			holds: sizes.size === 1,
		},
		{
			what: `from minute ${inHalf + 1} on, n8n's heap grows by ${heap.toFixed(2)} MB a minute; the activities explain up to ${explained.toFixed(2)}, n8n may add ${N8N_OWN_MB}`,
			holds: heap <= explained + N8N_OWN_MB,
		},
	];
}

/** What has to be true of a long run. */
export const judge = (figures: Figures): Verdict[] => [...whatRan(figures), ...whatGrew(figures)];

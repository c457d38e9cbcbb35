import { MIN_REMEMBERED } from '../../nodes/OutreachService/runtime/duplicates';

/** The maximum size of a remembered activity in bytes, including heap fragmentation. */
const BYTES_PER_ACTIVITY = 200;
/** How much n8n's own caches and statistics may grow, in MB per minute. */
const N8N_GROWTH_MB = 0.5;
/** How much longer than planned the events of an interval may take. */
const MAX_SLOWDOWN = 1.1;
const MB = 1024 * 1024;

/** What n8n and the package keep in memory (`probe.js`). */
export interface Memory {
	/** What the package's runtime says of itself: the number of entries of each kind. */
	entries: Readonly<Record<string, number>>;
	/** Heap used after a garbage collection, in MB. */
	heapMb: number;
	/** Resident memory of the process, in MB. */
	rssMb: number;
}

/** What was read at the end of an interval, when no execution was in progress. */
export interface Interval {
	/** When it was read, in minutes. */
	at: number;
	/** How long its events took, as a share of the planned time. */
	pace: number;
	memory: Memory;
	staticDataBytes: number;
}

export interface Check {
	what: string;
	holds: boolean;
}

/**
 * Whether nothing grows without end.
 *
 * @param accepted the number of distinct activities that n8n has accepted so far
 * @param isLong whether the run was long enough to tell a trend of the heap, and a lower pace, from noise
 */
export function growthChecks(
	intervals: readonly Interval[],
	accepted: number,
	isLong: boolean,
): Check[] {
	const last = intervals.at(-1)?.memory.entries ?? {};
	const { rememberedActivities: remembered = 0 } = last;
	const others = new Set(
		intervals.map(({ memory: { entries } }) =>
			JSON.stringify({ ...entries, rememberedActivities: undefined }),
		),
	);
	const sizes = new Set(intervals.map(({ staticDataBytes }) => staticDataBytes));
	return [
		{
			what: `the node remembers ${remembered} activities: all of them, at most ${2 * MIN_REMEMBERED}`,
			holds:
				remembered >= Math.min(accepted, MIN_REMEMBERED) &&
				remembered <= Math.min(accepted, 2 * MIN_REMEMBERED),
		},
		{
			what: `no other state grows: ${[...others].join(' | ')}`,
			holds: others.size === 1 && last.claimedActivities === 0 && last.locks === 0,
		},
		{
			what: `the node stores nothing in the static data (${[...sizes].join(', ')} bytes)`,
			// n8n may write `null` or an empty object.
			holds: Math.max(...sizes) <= 'null'.length,
		},
		...(isLong ? trendChecks(intervals) : []),
	];
}

function trendChecks(intervals: readonly Interval[]): Check[] {
	const inHalf = Math.floor(intervals.length / 2);
	/** The slope per minute, over the second half. */
	const trend = (of: (memory: Memory) => number) =>
		slope(intervals.slice(inHalf).map(({ at, memory }) => [at, of(memory)]));
	const heap = trend(({ heapMb }) => heapMb);
	const remembered = trend(({ entries }) => entries.rememberedActivities ?? 0);
	const explained = (remembered * BYTES_PER_ACTIVITY) / MB;
	const slowest = Math.max(...intervals.map(({ pace }) => pace));
	return [
		{
			what: `from interval ${inHalf + 1} on, n8n's heap grows by ${heap.toFixed(2)} MB per minute; remembered activities account for up to ${explained.toFixed(2)}, and n8n for ${N8N_GROWTH_MB}`,
			holds: heap <= explained + N8N_GROWTH_MB,
		},
		{
			what: `the pace was held (the slowest interval took ${(slowest * 100).toFixed(0)} % of its time)`,
			holds: slowest <= MAX_SLOWDOWN,
		},
	];
}

/** The slope of the line of best fit (least squares), through at least two points. */
function slope(points: ReadonlyArray<readonly [x: number, y: number]>): number {
	const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
	const meanX = mean(points.map(([x]) => x));
	const meanY = mean(points.map(([, y]) => y));
	const spread = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
	return points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / spread;
}

/**
 * An activity in the database is passed on once, by whichever execution and process. On jest's clock, with a simulated
 * database.
 */
import fc from 'fast-check';

import {
	RecordedActivities,
	type RecordedValues,
} from '../../../nodes/OutreachService/runtime/recordedActivities';
import { DeduplicationHelper, ProcessedData, type Gap } from '../../processedData';
import { tries } from '../../propertyRuns';

/** Two for each of the last 5,000 activities, and one for each of 1,000 duplicates. */
const MAX_VALUES = 11_000;
/** Longer than recording takes, in milliseconds. */
const DECIDED_MS = 180_000;

let table: ProcessedData;
beforeEach(() => {
	jest.useFakeTimers();
	table = new ProcessedData();
});
afterEach(() => {
	jest.useRealTimers();
});

const wait = async (ms: number) => await new Promise<void>((resolve) => setTimeout(resolve, ms));

/** A process of n8n. */
class Process {
	readonly recorded = new RecordedActivities();

	/** When each call that records something began, in milliseconds, and of how many deliveries. */
	readonly calls: Array<{ atMs: number; deliveries: number }> = [];

	private readonly values: RecordedValues;

	constructor(
		private readonly isOnlyProcess: boolean,
		gap?: Gap,
	) {
		const helper = new DeduplicationHelper(table, gap);
		const context = { workflow: { id: '1', active: true } };
		const options = { mode: 'entries', maxEntries: MAX_VALUES } as const;
		this.values = {
			record: async (values) => {
				this.calls.push({ atMs: performance.now(), deliveries: values.length / 2 });
				const result = await helper.checkProcessedAndRecord(values, 'node', context, options);
				return result.new.map(String);
			},
			remove: async (values) => await helper.removeProcessed(values, 'node', context),
		};
	}

	/**
	 * @param execution the same text stands for the same deliveries, as in a retry
	 * @returns the keys that the execution passes on, or the error
	 */
	async record(execution: string, ...keys: string[]): Promise<string[] | Error> {
		const { values, isOnlyProcess } = this;
		const run = { nodeKey: 'node', values, isOnlyProcess };
		const deliveries = keys.map((key, n) => `${key}@${execution}/${n}`);
		return await this.recorded.record(run, deliveries).then(
			(own) => [...own].map((delivery) => delivery.replace(/@.*/, '')),
			(error: unknown) => (error instanceof Error ? error : new Error(String(error))),
		);
	}
}

/** The result of a promise for which the clock must pass. */
async function inTime<T>(promise: Promise<T>): Promise<T> {
	const state = { isDone: false };
	const result = promise.finally(() => {
		state.isDone = true;
	});
	for (let ms = 0; ms < DECIDED_MS && !state.isDone; ms += 10)
		await jest.advanceTimersByTimeAsync(10);
	return await result;
}

describe.each([
	['in the only process', true],
	['beside other processes', false],
])('An activity, %s', (_, isOnlyProcess) => {
	const start = () => new Process(isOnlyProcess);

	it('is passed on again when the execution is retried, and only then', async () => {
		expect(await inTime(start().record('1', 'a', 'b'))).toEqual(['a', 'b']);
		expect(await inTime(start().record('2', 'b', 'c'))).toEqual(['c']);
		expect(await inTime(start().record('1', 'a', 'b'))).toEqual(['a', 'b']);
		// A copy is still one when its execution is retried.
		expect(await inTime(start().record('2', 'b', 'c'))).toEqual(['c']);
	});

	it('is passed on when the first write fails, or only its response is lost', async () => {
		let failures = 1;
		const failOnce = () => {
			if (failures-- > 0) throw new Error('UNIQUE constraint failed');
		};
		table.beforeWrite = failOnce;
		expect(await inTime(start().record('1', 'a'))).toEqual(['a']);
		failures = 1;
		table.beforeWrite = () => undefined;
		table.afterWrite = failOnce;
		expect(await inTime(start().record('2', 'b'))).toEqual(['b']);
		expect(await inTime(start().record('3', 'a', 'b'))).toEqual([]);
	});

	describe('is passed on once when a write succeeds whose response is lost', () => {
		/** Loses the responses to some of the writes from now on: the first is number 1. */
		const loseResponses = (...lost: number[]) => {
			let writes = 0;
			table.afterWrite = () => {
				writes += 1;
				if (lost.includes(writes)) throw new Error('Connection terminated unexpectedly');
			};
		};

		it.each([[[2]], [[2, 3]], [[2, 4]], [[2, 3, 4, 5]]])(
			'that has a copy in it, too: the writes %j',
			async (lost) => {
				const one = new Process(isOnlyProcess, async () => await wait(5));
				loseResponses(...lost);
				// The next two wait while the first write is under way.
				const records = [one.record('0', 'b'), one.record('1', 'a'), one.record('2', 'a')];
				expect((await inTime(Promise.all(records))).flat().sort()).toEqual(['a', 'b']);
			},
		);

		it('that is the write of a later copy', async () => {
			const one = new Process(isOnlyProcess);
			expect(await inTime(one.record('1', 'a'))).toEqual(['a']);
			loseResponses(1);
			expect(await inTime(one.record('2', 'a'))).toEqual([]);
			// The first one still is when its execution is retried.
			expect(await inTime(one.record('1', 'a'))).toEqual(['a']);
		});
	});

	it('stays a duplicate when only the second write fails', async () => {
		expect(await inTime(start().record('1', 'a'))).toEqual(['a']);
		let writes = 0;
		table.beforeWrite = () => {
			writes += 1;
			if (writes === 2) throw new Error('database is locked');
		};
		expect(await inTime(start().record('2', 'a'))).toEqual([]);
		expect(writes).toBe(2);
	});

	it('is passed on by one of several executions at the same moment', async () => {
		const gap = async () => await wait(5);
		const one = new Process(isOnlyProcess, gap);
		const records = Array.from({ length: 20 }, async (_item, n) => await one.record(`${n}`, 'a'));
		expect((await inTime(Promise.all(records))).flat()).toEqual(['a']);
	});
});

/** The times between calls, in milliseconds. */
const pausesOf = ({ calls }: Process) =>
	calls.slice(1).map(({ atMs }, index) => atMs - (calls[index]?.atMs ?? 0));

describe('With other processes, an execution checks again', () => {
	it('half a second to a second after it has recorded its activities', async () => {
		const process = new Process(false);
		for (let key = 0; key < 20; key += 1) await inTime(process.record(`${key}`, `${key}`));
		const pauses = pausesOf(process).filter((_, index) => index % 2 === 0);
		expect(Math.min(...pauses)).toBeGreaterThanOrEqual(500);
		expect(Math.max(...pauses)).toBeLessThan(1_000);
		// Not at the same time as the other processes, which may have begun together.
		expect(new Set(pauses).size).toBeGreaterThan(1);
	});

	it('twenty times at most, and fails if it never finds its activity recorded, instead of losing it', async () => {
		const process = new Process(false);
		table.afterWrite = () => table.rows.clear();
		expect(await inTime(process.record('1', 'a'))).toEqual(
			new Error('Other processes kept overwriting the recorded activities'),
		);
		expect(process.calls).toHaveLength(20);
	});
});

describe('Executions that wait at the same time', () => {
	const deliveriesOf = ({ calls }: Process) => calls.map(({ deliveries }) => deliveries);
	const keys = (prefix: string, count: number) =>
		Array.from({ length: count }, (_, index) => `${prefix}${index}`);

	it('share a call', async () => {
		const process = new Process(true, async () => await wait(5));
		const sizes = [1, 400, 600, 1, 1_500, 2];
		const records = sizes.map(
			async (size, index) => await process.record(`${index}`, ...keys(`${index}-`, size)),
		);
		const passed = await inTime(Promise.all(records));
		expect(passed.map((own) => (own instanceof Error ? own : own.length))).toEqual(sizes);
		expect(deliveriesOf(process)).toEqual([1, 2_503]);
	});

	it.each([
		['without a pause in the only process', true, 0, 0],
		[
			'with a pause beside other processes, which otherwise would never get their turn',
			false,
			40,
			120,
		],
	])('call %s', async (_, isOnlyProcess, atLeastMs, atMostMs) => {
		const process = new Process(isOnlyProcess);
		const records = [process.record('1', 'a')];
		records.push(process.record('2', 'b'));
		await inTime(Promise.all(records));
		const [pause] = pausesOf(process);
		expect(pause).toBeGreaterThanOrEqual(atLeastMs);
		expect(pause).toBeLessThanOrEqual(atMostMs);
	});
});

it('The last 5,000 activities are duplicates, even if a full batch of duplicates has just been one call', async () => {
	const keysFrom = (from: number, to: number) =>
		Array.from({ length: to - from }, (_, index) => `${from + index}`);
	expect(await inTime(new Process(true).record('1', ...keysFrom(0, 5_000)))).toHaveLength(5_000);
	expect(await inTime(new Process(true).record('2', ...keysFrom(4_000, 5_000)))).toEqual([]);
	expect(await inTime(new Process(true).record('3', ...keysFrom(0, 1_000)))).toEqual([]);
});

it('What a process remembers beside the database does not grow without end', async () => {
	const process = new Process(true);
	const keys = Array.from({ length: 12_000 }, (_, index) => `${index}`);
	expect(await inTime(process.record('1', ...keys))).toHaveLength(keys.length);
	expect(process.recorded.stats()).toEqual({ recordingNodes: 0, passedOnActivities: 10_000 });
});

/** How long a process takes between its read and its write, at most, in milliseconds: on PostgreSQL it is 1 to 5. */
const LONGEST_GAP_MS = 15;

type Copy = { process: number; key: number; atMs: number };

/** Executions in several processes: two to four copies of each activity, often at the same moment. */
const copies = fc
	.array(
		fc.record({ atMs: fc.nat(200), copies: fc.integer({ min: 2, max: 4 }), spreadMs: fc.nat(40) }),
		{ minLength: 1, maxLength: 12 },
	)
	.chain((activities) =>
		fc.tuple(
			...activities.flatMap(({ atMs, spreadMs, ...one }, key) =>
				Array.from({ length: one.copies }, () =>
					fc.record<Copy>({
						process: fc.nat(3),
						key: fc.constant(key),
						atMs: fc.nat(spreadMs).map((ms) => atMs + ms),
					}),
				),
			),
		),
	);

it('Of the copies in several processes exactly one is passed on, whenever each reads and writes', async () => {
	await fc.assert(
		fc.asyncProperty(copies, fc.infiniteStream(fc.nat(LONGEST_GAP_MS)), async (given, gaps) => {
			table = new ProcessedData();
			const gap = async () => await wait(Number(gaps.next().value));
			const processes = Array.from({ length: 4 }, () => new Process(false, gap));
			const passed = await inTime(
				Promise.all(
					given.map(async ({ process, key, atMs }, index) => {
						await wait(atMs);
						return await processes[process]?.record(`${index}`, `key${key}`);
					}),
				),
			);
			const keys = [...new Set(given.map(({ key }) => `key${key}`))].sort();
			expect(passed.flat().sort()).toEqual(keys);
			// Nothing is forgotten: in a process that starts later, all of them are duplicates.
			expect(await inTime(new Process(false).record('later', ...keys))).toEqual([]);
		}),
		{ numRuns: tries(50) },
	);
});

/** An activity in the database is passed on once in a process, and at least once by several. With a simulated database. */
import fc from 'fast-check';

import { recordDeliveries } from '../../../nodes/OutreachService/trigger/execution/recordedActivities';
import { Mutex } from '../../../nodes/OutreachService/utils/mutex';
import { DeduplicationHelper, ProcessedData, type Gap } from '../../processedData';
import { tries } from '../../propertyRuns';

let table: ProcessedData;
beforeEach(() => {
	jest.useFakeTimers();
	table = new ProcessedData();
});
afterEach(() => {
	jest.useRealTimers();
});

/** A process of n8n. @param gap the time between its reads and its writes */
function startProcess(gap?: Gap) {
	const mutex = new Mutex();
	const helper = new DeduplicationHelper(table, gap);
	const context = { workflow: { id: '1', active: true } };
	// Two for each of the last 5,000 activities, and one for each of 1,000 duplicates.
	const options = { mode: 'entries', maxEntries: 11_000 } as const;
	const values = {
		record: async (all: string[]) => {
			const result = await helper.checkProcessedAndRecord(all, 'node', context, options);
			return result.new.map(String);
		},
		remove: async (all: string[]) => await helper.removeProcessed(all, 'node', context),
	};
	/**
	 * @param execution the same text stands for the same deliveries, as in a retry
	 * @returns the keys that the execution passes on
	 */
	return async (execution: string, ...keys: string[]): Promise<string[]> => {
		const names = keys.map((key, n) => `${key}@${execution}/${n}`);
		const passedOn = recordDeliveries(mutex, 'node', values, names);
		// A failed call is sent again half a second later, at the most.
		const [own] = await Promise.all([passedOn, jest.advanceTimersByTimeAsync(2_000)]);
		return [...own].map((name) => name.replace(/@.*/, ''));
	};
}

const failNext = (times: number) => () => {
	if (times-- > 0) throw new Error('UNIQUE constraint failed');
};

it('An activity is passed on again when its execution is retried, and only then', async () => {
	expect(await startProcess()('1', 'a', 'b', 'a')).toEqual(['a', 'b']);
	expect(await startProcess()('2', 'b', 'c')).toEqual(['c']);
	expect(await startProcess()('1', 'a', 'b', 'a')).toEqual(['a', 'b']);
	// A copy is still one when its execution is retried.
	expect(await startProcess()('2', 'b', 'c')).toEqual(['c']);
});

it('An activity is passed on when writes fail, or only their responses are lost', async () => {
	table.beforeWrite = failNext(2);
	expect(await startProcess()('1', 'a')).toEqual(['a']);
	table.afterWrite = failNext(1);
	expect(await startProcess()('2', 'b')).toEqual(['b']);
	expect(await startProcess()('3', 'a', 'b')).toEqual([]);
	table.beforeWrite = failNext(3);
	await expect(startProcess()('4', 'c')).rejects.toThrow('UNIQUE constraint failed');
});

it('A failed call is sent again after a twentieth of a second, and then after half a second', async () => {
	const times: number[] = [];
	const from = Date.now();
	table.beforeWrite = () => {
		times.push(Date.now() - from);
		failNext(1)();
	};
	await expect(startProcess()('1', 'a')).rejects.toThrow('UNIQUE constraint failed');
	expect(times).toEqual([0, 50, 550]);
});

it('The removal of a duplicate takes nothing from what the next execution records meanwhile', async () => {
	const gaps = [0, 0, 9];
	const run = startProcess(
		async () => await new Promise<void>((end) => setTimeout(end, gaps.shift() ?? 0)),
	);
	await Promise.all([run('1', 'a'), run('2', 'a'), run('3', 'b')]);
	expect(await run('4', 'b')).toEqual([]);
});

it('The last 5,000 activities are duplicates, even if a full batch of duplicates has just been one call', async () => {
	const keysFrom = (from: number, to: number) =>
		Array.from({ length: to - from }, (_, index) => `${from + index}`);
	expect(await startProcess()('1', ...keysFrom(0, 5_000))).toHaveLength(5_000);
	expect(await startProcess()('2', ...keysFrom(4_000, 5_000))).toEqual([]);
	expect(await startProcess()('3', ...keysFrom(0, 1_000))).toEqual([]);
});

it('Of copies at the same moment, one process passes on one, and several processes at least one', async () => {
	const copies = fc.array(fc.record({ process: fc.nat(3), key: fc.constantFrom('a', 'b', 'c') }), {
		minLength: 1,
		maxLength: 12,
	});
	await fc.assert(
		fc.asyncProperty(copies, fc.infiniteStream(fc.nat(15)), async (given, gaps) => {
			table = new ProcessedData();
			const gap = async () =>
				await new Promise<void>((end) => setTimeout(end, Number(gaps.next().value)));
			const processes = Array.from({ length: 4 }, () => startProcess(gap));
			const passed = await Promise.all(
				given.map(async ({ process, key }, n) => (await processes[process]?.(`${n}`, key)) ?? []),
			);
			const keys = [...new Set(given.map(({ key }) => key))].sort();
			expect([...new Set(passed.flat())].sort()).toEqual(keys);
			for (const one of new Set(given.map(({ process }) => process))) {
				const own = passed.flatMap((all, n) => (given[n]?.process === one ? all : []));
				expect(own.length).toBe(new Set(own).size);
			}
		}),
		{ numRuns: tries(100) },
	);
});

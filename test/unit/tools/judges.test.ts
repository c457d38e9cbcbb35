/** What the long runs conclude from what they have seen: each must notice what it is for. */
import {
	conservation,
	type Attempt,
	type Period,
	type SettingsThen,
} from '../../../tools/chaos/conservation';
import type { Run, UnreadableRun } from '../../../tools/chaos/runs';
import type { Outcome } from '../../../tools/bench/n8n/executionsInDatabase';
import type { NodeState } from '../../../tools/soak/nodeState';
import { attribute } from '../../../tools/queue/lostEvents';
import { judge, type Figures, type Interval } from '../../../tools/soak/verdict';

const EVENT = {
	webhookUrl: 'http://n8n.test/webhook/1/webhook',
	subscription: 'paused',
	type: 'paused',
	id: 'act_1',
};
const attempt = (more: Partial<Attempt> = {}): Attempt => ({
	...{ ...EVENT, from: 1_000, until: 1_100, status: 200 },
	...more,
});
const run = (more: Partial<Run> = {}): Run => ({
	...{ ...EVENT, execution: '1', at: 1_050, isPassedOn: true },
	...more,
});

const SELECTED: SettingsThen = { selected: () => 'yes', isRecorded: () => false };
/** n8n was killed and started again. */
const DOWN: Period = { from: 2_000, until: 3_000 };

function problems(
	given: { attempts?: Attempt[]; runs?: Run[]; unreadable?: UnreadableRun[]; down?: Period[] },
	settings: Partial<SettingsThen> = {},
): string[] {
	const { attempts = [attempt()], runs = [run()], unreadable = [], down = [] } = given;
	return conservation(attempts, { runs, unreadable }, down, { ...SELECTED, ...settings }).problems;
}

describe('The random run', () => {
	it('reports no problem for an event that ran once, however often it was delivered', () => {
		expect(problems({})).toEqual([]);
		expect(problems({ attempts: [attempt(), attempt({ status: undefined }), attempt()] })).toEqual(
			[],
		);
	});

	it('notices an accepted event that never ran', () => {
		expect(problems({ runs: [] })).toEqual([expect.stringMatching(/^lost: paused act_1/)]);
	});

	it('excuses it by an execution that cannot be read, of the same trigger and time, for one batch', () => {
		const own = { webhookUrls: [EVENT.webhookUrl], at: 1_050 };
		expect(problems({ runs: [], unreadable: [own] })).toEqual([]);
		for (const other of [
			{ ...own, at: 5_000 },
			{ ...own, webhookUrls: ['http://n8n.test/webhook/2/webhook'] },
		]) {
			expect(problems({ runs: [], unreadable: [other] })).toHaveLength(1);
		}
		const four = ['a', 'b', 'c', 'd'].map((id) => attempt({ id }));
		expect(problems({ attempts: four, runs: [], unreadable: [own] })).toHaveLength(1);
	});

	it('does not count what was refused, not selected, or accepted by an n8n that was starting', () => {
		expect(problems({ attempts: [attempt({ status: 503 })], runs: [] })).toEqual([]);
		expect(problems({ runs: [] }, { selected: () => 'no' })).toEqual([]);
		const starting = attempt({ from: 2_500, until: 2_600 });
		expect(problems({ attempts: [starting], runs: [], down: [DOWN] })).toEqual([]);
	});

	it('notices an event that ran twice in one process', () => {
		expect(problems({ runs: [run(), run({ execution: '2' })] })).toEqual([
			expect.stringMatching(/^ran 2 times: paused act_1/),
		]);
	});

	it('notices an event that ran again after a restart, if the database remembers duplicates', () => {
		const runs = [run(), run({ execution: '2', at: 4_000 })];
		expect(problems({ runs, down: [DOWN] })).toEqual([]);
		expect(problems({ runs, down: [DOWN] }, { isRecorded: () => true })).toEqual([
			expect.stringMatching(/^ran again after a restart: paused act_1/),
		]);
		const interrupted = [run({ isPassedOn: false }), run({ execution: '2', at: 4_000 })];
		expect(problems({ runs: interrupted, down: [DOWN] }, { isRecorded: () => true })).toEqual([]);
	});

	it('notices an event that ran although it was not selected, or never delivered', () => {
		expect(problems({}, { selected: () => 'no' })).toEqual([
			expect.stringMatching(/^ran although not selected/),
		]);
		expect(problems({ attempts: [] })).toEqual([
			expect.stringMatching(/^ran although never delivered/),
		]);
	});
});

const STATE: NodeState = {
	...{ activeNodes: 1, checks: 0, testRuns: 0 },
	...{ locks: 0, limiters: 1, recentCreates: 0, selections: 1 },
	...{ derivedDigests: 1, rememberedActivities: 20, claimedActivities: 0, waitingDuplicates: 0 },
	...{ recordingNodes: 0, heldDeliveries: 0, happened: 0 },
};

const interval = (_: unknown, index: number): Interval => ({
	at: index + 1,
	plannedMs: 1_000,
	sent: {
		...{ authentic: 5, duplicates: 1, forged: { 401: 1 } },
		summary: {
			...{ events: 5, deliveries: 6, delivered: 6, failed: 0, attempts: 6 },
			...{ outcomes: { 200: 6 }, ms: 1_000, deliveriesPerSecond: 6 },
		},
	},
	ran: 5,
	memory: { state: { ...STATE }, heapMb: 100, rssMb: 300 },
	staticDataBytes: 300,
});

const outcome = (ran: number): Outcome => ({
	...{ succeeded: ran, failed: 0, ran, items: ran, ids: [], lastStoppedAt: null },
});

/** Four minutes without a problem. */
const figures = (): Figures => ({
	intervals: Array.from({ length: 4 }, interval),
	isLong: true,
	authentic: 20,
	authenticOutcome: outcome(20),
	forgedOutcome: outcome(0),
});

const objections = (given: Figures): number => judge(given).filter(({ holds }) => !holds).length;

describe('The long run', () => {
	it('reports no problem when every event ran once and nothing grows', () => {
		expect(objections(figures())).toBe(0);
	});

	it.each<[string, (given: Figures) => void]>([
		['an event that did not run', (given) => (given.authenticOutcome.ran = 19)],
		['an event that ran twice', (given) => (given.authenticOutcome.succeeded = 21)],
		['a forged event that ran', (given) => (given.forgedOutcome.succeeded = 1)],
		['an event that was not accepted', (given) => (given.intervals[0]!.sent.summary.failed = 1)],
		['static data that grows', (given) => (given.intervals[1]!.staticDataBytes = 301)],
		['entries that grow', (given) => (given.intervals[3]!.memory.state.locks = 1)],
		['an activity that is not remembered', (given) => (given.authentic = 21)],
		['a heap that grows', (given) => (given.intervals[3]!.memory.heapMb = 110)],
		['a pace that was not held', (given) => (given.intervals[1]!.sent.summary.ms = 1_200)],
	])('notices %s', (_, change) => {
		const given = figures();
		change(given);
		expect(objections(given)).toBeGreaterThan(0);
	});
});

describe('Events that did not run in queue mode', () => {
	const missing = new Set(['a', 'b', 'c']);

	it('are explained by the executions that n8n lost, each event once', () => {
		const lostRuns = [{ activities: ['a', 'b', 'ran'] }, { activities: ['b'] }];
		expect(attribute(missing, lostRuns, 50)).toEqual({ lost: 2, unexplained: 1 });
	});

	it('are explained by an execution without data, up to the events that one can have', () => {
		const lostRuns = [{ activities: [] }, { activities: ['a'] }];
		expect(attribute(missing, lostRuns, 1)).toEqual({ lost: 2, unexplained: 1 });
		expect(attribute(missing, lostRuns, 2)).toEqual({ lost: 3, unexplained: 0 });
	});

	it('are unexplained when n8n lost nothing', () => {
		expect(attribute(missing, [], 50)).toEqual({ lost: 0, unexplained: 3 });
	});
});

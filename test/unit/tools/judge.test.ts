/** What the long runs conclude from what they have seen: they must refuse every wrong history. */
import { judge, type Allowed, type Run } from '../../../tools/load/judge';
import type { Attempt } from '../../../tools/load/send';
import { growthOf, leftIn } from '../../../tools/chaos/memory';

const attempt = (more: Partial<Attempt> = {}): Attempt => ({
	event: 'a',
	isForged: false,
	from: 1_000,
	until: 1_100,
	status: 200,
	...more,
});
/** A forged delivery with this status. */
const forged = (status: number) => [attempt({ isForged: true, status })];
const run = (at = 1_050): Run => ({ event: 'a', execution: '1', at });

/** n8n was killed and started again. */
const DOWN = { from: 2_000, until: 3_000 };
const RAN_AGAIN = [run(), run(4_000)];

interface History {
	attempts?: Attempt[];
	runs?: Run[];
	allowed?: Allowed<Attempt>;
}

const problems = ({ attempts = [attempt()], runs = [run()], allowed }: History): string[] =>
	judge(attempts, runs, allowed).problems;

const TWICE = /^ran 2 times: a /;
const UNANSWERED = attempt({ status: undefined });
const [NOT_FOUND, BUSY] = [attempt({ status: 404 }), attempt({ status: 503 })];
const REFUSED = attempt({ status: 401 });
const WHILE_DOWN = attempt({ from: 2_500, until: 2_600 });
const RESTARTED: Allowed<Attempt> = { downTimes: [DOWN] };
const REFUSALS: Allowed<Attempt> = { mayBeRefused: true };
const selectedAs = (selected: 'no' | 'maybe'): Allowed<Attempt> => ({ selected: () => selected });

it.each<[string, History, RegExp]>([
	['an accepted event that never ran', { runs: [] }, /^lost: a /],
	['an event that ran twice in one process', { runs: [run(), run()] }, TWICE],
	['that ran twice in the second', { runs: [...RAN_AGAIN, run(5_000)], allowed: RESTARTED }, TWICE],
	['that ran, and was not selected', { allowed: selectedAs('no') }, /^ran although not selected/],
	['that ran, and was never delivered', { attempts: [] }, /^ran although never delivered/],
	[
		'that ran, and was refused',
		{ attempts: [REFUSED], allowed: REFUSALS },
		/^ran although refused/,
	],
	[
		'an authentic delivery that was refused',
		{ attempts: [REFUSED, attempt()] },
		/^rejected as forged: a/,
	],
	[
		'an event that was never accepted',
		{ attempts: [BUSY, UNANSWERED], runs: [] },
		/^never accepted: a \(503, no response\)/,
	],
	[
		'a forged one that was accepted',
		{ attempts: forged(200), runs: [] },
		/^accepted although forged/,
	],
	[
		'a forged one that failed otherwise',
		{ attempts: forged(500), runs: [] },
		/^not refused as forged/,
	],
	['a forged one that ran', { attempts: forged(401) }, /^ran although forged/],
])('The judge refuses %s', (_, history, problem) => {
	expect(problems(history)).toContainEqual(expect.stringMatching(problem));
});

it.each<[string, History]>([
	['an event that ran once', {}],
	['several copies of it', { attempts: [attempt(), UNANSWERED, attempt()] }],
	['an event that ran when it was sent again', { attempts: [BUSY, attempt()] }],
	['a forged delivery', { attempts: forged(401), runs: [] }],
	['refusals, where they may be', { attempts: [NOT_FOUND], runs: [], allowed: REFUSALS }],
	['an event that is not selected', { runs: [], allowed: selectedAs('no') }],
	['one that may be, while settings change', { runs: [], allowed: selectedAs('maybe') }],
	['one at a start of n8n', { attempts: [WHILE_DOWN], runs: [], allowed: RESTARTED }],
	['an event that runs again after a restart', { runs: RAN_AGAIN, allowed: RESTARTED }],
	['repetitions, where they may be', { runs: [run(), run()], allowed: { mayRepeat: true } }],
])('The judge allows %s', (_, history) => {
	expect(problems(history)).toEqual([]);
});

it('An execution that n8n has lost explains that one event was lost, if it can have been its own', () => {
	const attempts = ['a', 'b', 'c'].map((event) => attempt({ event }));
	const losses = [({ event }: Attempt) => event === 'b', ({ event }: Attempt) => event !== 'c'];
	expect(judge(attempts, [], { losses }).lost).toEqual(['c']);
	expect(judge(attempts, [], { losses: losses.slice(0, 1) }).lost).toEqual(['a', 'c']);
	const twice = [...attempts, attempt({ event: 'c' })];
	expect(judge(twice, [], { losses: [...losses, () => true] }).problems).toEqual([]);
});

describe('The check of the memory', () => {
	const ENTRIES = { locks: 0, rememberedActivities: 20 };
	const memories = (...heapMb: number[]) => heapMb.map((mb) => ({ entries: ENTRIES, heapMb: mb }));

	it('reports no problem when nothing grows', () => {
		expect(growthOf(memories(100, 150, 151, 150, 149, 151, 150, 150))).toEqual([]);
	});

	it('notices what is left of a history that is over, and a heap that grows', () => {
		expect(leftIn({ entries: ENTRIES, heapMb: 100 })).toEqual([]);
		expect(leftIn({ entries: { ...ENTRIES, locks: 1 }, heapMb: 100 })).toEqual([
			'left after all workflows have ended: 1 locks',
		]);
		expect(growthOf(memories(100, 100, 100, 100, 100, 102, 104, 106))).toEqual([
			'from history 5 on, the heap grows by 2.00 MB each',
		]);
	});
});

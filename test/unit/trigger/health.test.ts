/** When a check is due, however late or wrong the clock is, and what a user is told of which checks. */
import fc from 'fast-check';

import type { Health } from '../../../nodes/OutreachService/runtime/triggerNodes';
import { secondOf } from '../../../nodes/OutreachService/trigger/registration/checks';
import {
	afterReport,
	healthAtRest,
	isDue,
	nextHealth,
	reportsOf,
} from '../../../nodes/OutreachService/trigger/registration/health';
import type { ChangeResult } from '../../../nodes/OutreachService/trigger/registration/reconcile';
import { read } from './selections';

const MINUTE_MS = 60_000;

const usable = (repairMinutes: number) =>
	({ ok: true, value: read(['emailsReplied'], { repairMinutes }) }) as const;

/** Whether a check is due, when both clocks have gone on like this since nothing was left to do. */
const isDueAfter = (repairMinutes: number, passed: { date: number; clock: number }): boolean => {
	const [date, clock] = [24 * 60 * MINUTE_MS, 60 * MINUTE_MS];
	const health = { lost: [], idleSince: { date, clock } };
	const moment = { date: date + passed.date, clock: clock + passed.clock };
	return isDue({ selection: usable(repairMinutes), health }, moment);
};

describe('The periodic check of a node', () => {
	it('is due in every interval, however late in its minute the cron job runs', () => {
		const late = fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 300, maxLength: 300 });
		fc.assert(
			fc.property(fc.integer({ min: 1, max: 60 }), late, (repairMinutes, lateMs) => {
				let lastMs = 0;
				for (const [minute, ms] of lateMs.entries()) {
					const passed = minute * MINUTE_MS + ms - lastMs;
					if (!isDueAfter(repairMinutes, { date: passed, clock: passed })) continue;
					expect(passed).toBeLessThanOrEqual((repairMinutes + 1) * MINUTE_MS);
					expect(passed).toBeGreaterThanOrEqual((repairMinutes - 1) * MINUTE_MS);
					lastMs += passed;
				}
				expect(lastMs).toBeGreaterThan((lateMs.length - repairMinutes - 1) * MINUTE_MS);
			}),
		);
	});

	it.each([1, 10, 14, 60, 24 * 60])(
		'is due in its interval, and not before, after the date was set back by %d minutes',
		(setBackMinutes) => {
			const after = (minutes: number): boolean =>
				isDueAfter(15, {
					date: (minutes - setBackMinutes) * MINUTE_MS,
					clock: minutes * MINUTE_MS,
				});
			expect([after(1), after(13), after(14), after(15)]).toEqual([false, false, true, true]);
		},
	);

	it('is due when the machine wakes up after its interval: the clock of the process may have stood still', () => {
		expect(isDueAfter(15, { date: 8 * 60 * MINUTE_MS, clock: 1_000 })).toBe(true);
	});

	it('is never due with an interval of 0, unless something is left to do', () => {
		const passed = Number.MAX_SAFE_INTEGER / 2;
		expect(isDueAfter(0, { date: passed, clock: passed })).toBe(false);
		expect(isDue({ selection: usable(0), health: { lost: [] } }, { date: 0, clock: 0 })).toBe(true);
	});

	it('is spread over the seconds of a minute across many nodes', () => {
		const counts = Array.from({ length: 60 }, () => 0);
		for (let node = 0; node < 6_000; node++) counts[secondOf(`wf/${node}`)]! += 1;
		expect(Math.min(...counts)).toBeGreaterThan(50);
	});
});

const GOOD: ChangeResult = {
	missing: [],
	lost: [],
	unlisted: [],
	removalErrors: new Map(),
	isUnfinished: false,
};
const error = new Error('refused');

/** What one check finds. */
type Found = { result: Partial<ChangeResult>; listenerLost?: boolean };

const KINDS: Record<'failing' | 'incompleteList' | 'listenerLost', Found> = {
	failing: { result: { failure: error } },
	incompleteList: { result: { unlisted: ['emailsReplied'] } },
	listenerLost: { result: {}, listenerLost: true },
};

const repeated = (found: Found, times: number): Found[] => Array<Found>(times).fill(found);

/** Lets checks find one after the other. @returns what each tells, and the health in the end */
function told(found: readonly Found[]): { reports: string[][]; health: Health } {
	let health: Health = { lost: [] };
	const reports = found.map(({ result: part, listenerLost = false }, at) => {
		const result = { ...GOOD, ...part };
		health = nextHealth(health, result, { listenerLost, date: at, isCheck: true });
		const given = reportsOf(health);
		for (const report of given) health = afterReport(health, report);
		health = healthAtRest(health, result, { date: at, clock: at });
		return given;
	});
	return { reports, health };
}

describe('An incident', () => {
	it.each([
		['failing', 2],
		['listenerLost', 2],
		// Lists were seen that are minutes old.
		['incompleteList', 10],
	] as const)(
		'of the kind %s is told at check %d in a row, once, and again only after it was over',
		(kind, checks) => {
			const good = { result: {} };
			const rows = fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 6 });
			fc.assert(
				fc.property(rows, (lengths) => {
					const found = lengths.flatMap((length) => [...repeated(KINDS[kind], length), good]);
					const expected = lengths.flatMap((length) => [
						...Array.from({ length }, (_, at) => (at === checks - 1 ? [kind] : [])),
						[],
					]);
					expect(told(found).reports).toEqual(expected);
				}),
			);
		},
	);

	it('that is not confirmed has the next check come at once, and a told one waits for the interval', () => {
		const { incompleteList: found } = KINDS;
		expect(told(repeated(found, 9)).health.idleSince).toBeUndefined();
		expect(told(repeated(found, 10)).health.idleSince).toBeDefined();
	});

	it('of an incomplete list is neither over nor confirmed by a check that fails', () => {
		const { incompleteList, failing } = KINDS;
		const found = [
			...repeated(incompleteList, 9),
			failing,
			incompleteList,
			failing,
			incompleteList,
		];
		const { reports } = told(found);
		expect(reports.flat()).toEqual(['incompleteList']);
		expect(reports[10]).toEqual(['incompleteList']);
	});
});

it('A create that stays open is a failure; what an activation, a start or a publication finds does not count towards a report', () => {
	const result = { ...GOOD, openCreate: error };
	const after = { listenerLost: false, date: 0 };
	const started = nextHealth({ lost: [] }, result, { ...after, isCheck: false });
	const checked = nextHealth(started, result, { ...after, isCheck: true });
	const checkedAgain = nextHealth(checked, result, { ...after, isCheck: true });
	expect([checked, checkedAgain].map(reportsOf)).toEqual([[], ['failing']]);
});

it('Lost events are told at once, also beside a failure; and until somebody was told, a check is due', () => {
	const lost = { result: { lost: ['smsReplied'], failure: error } };
	expect(told([lost]).reports).toEqual([['restored']]);
	const untold = nextHealth(
		{ lost: ['a'] },
		{ ...GOOD, lost: ['a', 'b'] },
		{ listenerLost: false, date: 1, isCheck: true },
	);
	expect(untold.lost).toEqual(['a', 'b']);
	expect(healthAtRest(untold, GOOD, { date: 1, clock: 1 })).toMatchObject({
		completeAt: undefined,
		idleSince: undefined,
	});
});

it('The webhooks were last complete when the last check without a failure ended', () => {
	const good = { result: {} };
	expect(told([good, good, KINDS.failing, KINDS.failing]).health.completeAt).toBe(1);
});

/** What follows from a check of a node's webhooks, for the next check and for the user. Pure. */
import type { Health, ProblemStreak } from '../../runtime/activeNodes';
import type { Reconciled } from './reconcile';

/** What a check found. */
export type Checked = Pick<Reconciled, 'failure' | 'missing' | 'lost'> & {
	/** Events whose webhooks the list does not show (D82). */
	unlisted?: readonly string[];
	/** Whether another check must follow. */
	isUncertain?: boolean;
	/** Whether n8n has lost the node's route. */
	routeLost?: boolean;
};

/** What the user is to be told after a check. */
export type Report =
	| FailingReport
	| { kind: 'restored'; events: readonly string[]; goodAt: number | undefined }
	| { kind: 'unlisted'; events: readonly string[] }
	| { kind: 'routeLost' };

/** Several checks in a row have failed. */
export type FailingReport = {
	kind: 'failing';
	/** When the first of them failed, in milliseconds since 1970. */
	since: number;
	/** See {@link Health}. */
	goodAt: number | undefined;
	/** Why the latest of them has failed. */
	failure: Error;
	/** The events of missing webhooks, one for each webhook. */
	missing: readonly string[];
};

/** How many checks in a row have to find a problem before the user is told: a single one says little (D32). */
const TIMES_TO_REPORT = 2;

/** The checks in a row that have found a problem, after one more check. @param isFound whether that check has found it */
function nextStreak(
	streak: ProblemStreak | undefined,
	isFound: boolean,
	now: number,
): ProblemStreak | undefined {
	if (!isFound) return undefined;
	return { since: streak?.since ?? now, times: (streak?.times ?? 0) + 1 };
}

/**
 * The health of a node after a change of its webhooks.
 * @param now in milliseconds since 1970
 * @param isReported true after a check. After anything else, nobody is told, so lost events are kept for the next check.
 * @returns `isUnfinished`: whether the next minute's check has something to do or to report
 */
export function nextHealth(
	before: Health,
	{ failure, lost, unlisted = [], isUncertain = false, routeLost = false }: Checked,
	now: number,
	isReported: boolean,
): { health: Health; isUnfinished: boolean } {
	const withoutRoute = nextStreak(before.routeLost, routeLost, now);
	// A check that failed says nothing about the list.
	const notListed = failure
		? before.unlisted
		: nextStreak(before.unlisted, unlisted.length > 0, now);
	const lostEvents = [...new Set([...before.lost, ...lost])];
	const isDone = failure === undefined && (isReported || lostEvents.length === 0);
	const isToBeConfirmed = withoutRoute?.times === 1 || notListed?.times === 1;
	return {
		health: {
			failing: nextStreak(before.failing, failure !== undefined, now),
			routeLost: withoutRoute,
			unlisted: notListed,
			goodAt: isDone ? now : before.goodAt,
			lost: isDone ? [] : lostEvents,
		},
		isUnfinished: !isDone || isUncertain || isToBeConfirmed,
	};
}

/**
 * What the user is to be told after a check.
 *
 * - Failing checks, a lost route (D78) and an incomplete list (D82) are reported once in a row of checks that find them.
 * - Lost events are reported as soon as a check has restored all webhooks (D32).
 * @param after the health after this check, see {@link nextHealth}
 */
export function reportsOf(
	before: Health,
	{ failing, routeLost, unlisted }: Health,
	checked: Checked,
): Report[] {
	const { goodAt } = before;
	const { failure, missing } = checked;
	const reports: Report[] = [];
	if (routeLost?.times === TIMES_TO_REPORT) reports.push({ kind: 'routeLost' });
	if (failure) {
		if (failing?.times === TIMES_TO_REPORT) {
			reports.push({ kind: 'failing', since: failing.since, goodAt, failure, missing });
		}
		return reports;
	}
	if (unlisted?.times === TIMES_TO_REPORT) {
		reports.push({ kind: 'unlisted', events: checked.unlisted ?? [] });
	}
	const lost = [...new Set([...before.lost, ...checked.lost])];
	if (lost.length > 0) reports.push({ kind: 'restored', events: lost, goodAt });
	return reports;
}

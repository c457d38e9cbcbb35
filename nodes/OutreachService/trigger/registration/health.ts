/** What follows from a change of a node's webhooks for the next check. Pure. */
import type { Health, Moment, ProblemStreak } from '../../runtime/activeNodes';
import type { Reconciled } from './reconcile';

/** What a change has found. Only a check finds out whether n8n has lost the node's route (D78). */
export type Checked = Reconciled & { routeLost?: boolean };

/** The lost events that the user has not been told of: those that a change has found, and earlier ones. */
export const untoldAfter = (
	untold: readonly string[],
	lost: readonly string[],
): readonly string[] => [...new Set([...untold, ...lost])];

/**
 * The checks in a row that have found a problem, after one more change.
 * @param isFound whether that change has found it
 * @param tellsUser whether the user is told. If not, the count stays what it was: otherwise, no check would be the one after
 *   which the problem is reported.
 */
function nextStreak(
	streak: ProblemStreak | undefined,
	isFound: boolean,
	{ date: now }: Moment,
	tellsUser: boolean,
): ProblemStreak | undefined {
	if (!isFound) return undefined;
	if (streak === undefined) return { since: now, times: 1 };
	return { since: streak.since, times: tellsUser ? streak.times + 1 : streak.times };
}

/**
 * The health of a node after a change of its webhooks.
 * @param tellsUser whether the user is told. If not, lost events are kept for the next check.
 * @returns `isUnfinished`: whether the next minute's check has something to do or to report
 */
export function nextHealth(
	before: Health,
	checked: Checked,
	now: Moment,
	tellsUser: boolean,
): { health: Health; isUnfinished: boolean } {
	const { failure, hidden, routeLost = false } = checked;
	const withoutRoute = nextStreak(before.routeLost, routeLost, now, tellsUser);
	// A check that failed says nothing about the list.
	const someHidden = failure
		? before.hidden
		: nextStreak(before.hidden, hidden.length > 0, now, tellsUser);
	const untold = untoldAfter(before.untold, checked.lost);
	const isDone = failure === undefined && (tellsUser || untold.length === 0);
	const isToBeConfirmed = withoutRoute?.times === 1 || someHidden?.times === 1;
	return {
		health: {
			failing: nextStreak(before.failing, failure !== undefined, now, tellsUser),
			routeLost: withoutRoute,
			hidden: someHidden,
			completeAt: isDone ? now : before.completeAt,
			untold: isDone ? [] : untold,
		},
		isUnfinished: !isDone || checked.needsCheck || isToBeConfirmed,
	};
}

/** What follows from a change of a node's webhooks for the next check. Pure. */
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

/**
 * The checks in a row that have found a problem, after one more change.
 * @param isFound whether that change has found it
 * @param isCheck whether it is a check. Other changes report nothing, so after them, the count is what it was: otherwise, no
 *   check would be the one after which the problem is reported.
 */
function nextStreak(
	streak: ProblemStreak | undefined,
	isFound: boolean,
	now: number,
	isCheck: boolean,
): ProblemStreak | undefined {
	if (!isFound) return undefined;
	if (streak === undefined) return { since: now, times: 1 };
	return { since: streak.since, times: isCheck ? streak.times + 1 : streak.times };
}

/**
 * The health of a node after a change of its webhooks.
 * @param now in milliseconds since 1970
 * @param isCheck whether the change is a check. After anything else, nobody is told, so lost events are kept for the next check.
 * @returns `isUnfinished`: whether the next minute's check has something to do or to report
 */
export function nextHealth(
	before: Health,
	{ failure, lost, unlisted = [], isUncertain = false, routeLost = false }: Checked,
	now: number,
	isCheck: boolean,
): { health: Health; isUnfinished: boolean } {
	const withoutRoute = nextStreak(before.routeLost, routeLost, now, isCheck);
	// A check that failed says nothing about the list.
	const notListed = failure
		? before.unlisted
		: nextStreak(before.unlisted, unlisted.length > 0, now, isCheck);
	const lostEvents = [...new Set([...before.lost, ...lost])];
	const isDone = failure === undefined && (isCheck || lostEvents.length === 0);
	const isToBeConfirmed = withoutRoute?.times === 1 || notListed?.times === 1;
	return {
		health: {
			failing: nextStreak(before.failing, failure !== undefined, now, isCheck),
			routeLost: withoutRoute,
			unlisted: notListed,
			goodAt: isDone ? now : before.goodAt,
			lost: isDone ? [] : lostEvents,
		},
		isUnfinished: !isDone || isUncertain || isToBeConfirmed,
	};
}

/** What follows from a change of a node's webhooks for the next check. Pure. */
import type { ActiveNode, Health } from '../../runtime/activeNodes';
import type { Reconciled } from './reconcile';

/**
 * Whether a node's check is due when its cron job runs, once a minute: at every run while something is left to do, and
 * else at the last run before the repair interval is over, as the first of two clocks tells it. Somebody may set back the
 * date, and the clock of the process stops while a machine sleeps.
 * @param date in milliseconds since 1970
 * @param clock as `performance.now()` tells it
 */
export function isDue(
	{ selection, health: { idleSince } }: DueNode,
	date: number,
	clock: number,
): boolean {
	if (!idleSince) return true;
	const everyMinutes = selection.ok ? Math.ceil(selection.value.repairMinutes) : 0;
	const sinceMs = Math.max(date - idleSince.date, clock - idleSince.clock);
	return everyMinutes >= 1 && sinceMs >= (everyMinutes - 1) * 60_000;
}

/** What tells when a node's next check is due. */
type DueNode = Pick<ActiveNode, 'selection' | 'health'>;

/** The lost events of which the user has not been told: earlier ones, and those that a change has found. */
export const allLost = (
	earlier: readonly string[],
	found: readonly string[],
): readonly string[] => [...new Set([...earlier, ...found])];

/**
 * How many checks in a row have found a problem, after one more change.
 * @param isFound whether that change has found it
 * @param tellsUser whether the user is told. If not, the count stays what it was: otherwise, no check would be the one after
 *   which the problem is reported.
 */
function nextCount(count: number, isFound: boolean, tellsUser: boolean): number {
	if (!isFound) return 0;
	return count === 0 || tellsUser ? count + 1 : count;
}

/**
 * The health of a node after a change of its webhooks.
 * @param tellsUser whether the user is told. If not, lost events are kept for the next check.
 * @param date, clock when the change ended, see {@link isDue}
 */
export function nextHealth(
	before: Health,
	result: Reconciled,
	tellsUser: boolean,
	date: number,
	clock: number,
): Health {
	const hasFailed = result.failure !== undefined;
	const routeLost = nextCount(before.routeLost, result.routeLost, tellsUser);
	// A check that failed says nothing about the list.
	const hidden = hasFailed
		? before.hidden
		: nextCount(before.hidden, result.hidden.length > 0, tellsUser);
	const lost = allLost(before.lost, result.lost);
	const isDone = !hasFailed && (tellsUser || lost.length === 0);
	// The user is told of these two when a second check has found them.
	const isToBeConfirmed = routeLost === 1 || hidden === 1;
	const isIdle = isDone && !result.isUnfinished && !isToBeConfirmed;
	return {
		completeAt: isDone ? date : before.completeAt,
		idleSince: isIdle ? { date, clock } : undefined,
		failing: nextCount(before.failing, hasFailed, tellsUser),
		failingSince: hasFailed ? (before.failingSince ?? date) : undefined,
		routeLost,
		hidden,
		lost: isDone ? [] : lost,
	};
}

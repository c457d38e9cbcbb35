/** The health of a node: what follows from a change of its webhooks for the next check, and what the user is told. Pure. */
import { NEW_NODE, type TriggerNode, type Health } from '../../runtime/triggerNodes';
import { msSince, type Moment } from '../../utils/moment';
import type { ChangeResult } from './changeResult';

/**
 * Whether a node's check is due when its cron job runs, once a minute: at every run while something is left to do, and
 * else at the last run before the repair interval is over.
 * @param moment now
 */
export function isDue({ selection, health: { idleSince } }: DueNode, moment: Moment): boolean {
	// While the parameters cannot be used, each check fails, so something is always left to do.
	if (!idleSince || !selection.ok) return true;
	const everyMinutes = Math.ceil(selection.value.repairMinutes);
	// With the interval 0, nothing is checked regularly.
	if (everyMinutes === 0) return false;
	return msSince(idleSince, moment) >= (everyMinutes - 1) * 60_000;
}

/** What tells when a node's next check is due. */
type DueNode = Pick<TriggerNode, 'selection' | 'health'>;

/** The lost events of which the user has not been told: earlier ones, and those that a change has found. */
export const allLost = (
	earlier: readonly string[],
	found: readonly string[],
): readonly string[] => [...new Set([...earlier, ...found])];

/** How many checks in a row have to find a problem before the user is told: a single one says little (D32). */
const TIMES_TO_REPORT = 2;

/**
 * How many checks in a row have found a problem, after one more change. A change of which the user is told nothing begins a row,
 * and does not continue one: it could be the one after which the problem must be reported.
 * @param isFound whether that change has found it
 */
function nextCount(count: number, isFound: boolean, tellsUser: boolean): number {
	if (!isFound) return 0;
	if (count === 0) return 1;
	return tellsUser ? count + 1 : count;
}

/** The health of a node while a change is under way: a check stays due until the change has ended. */
export const dueAtOnce = (health: Health): Health => ({ ...health, idleSince: undefined });

/** Whether the latest check has failed. */
export const isFailing = ({ timesFailed }: Health): boolean => timesFailed > 0;

/**
 * The health of a node when n8n starts. If n8n starts its triggers again in the same process, what the checks have found is
 * still to be reported, and reported only once. After another main process has led, only lost events are.
 * @param before undefined if this process does not know the node
 * @param lost the lost events that n8n has saved
 */
export function healthAtStart(
	before: Health | undefined,
	lost: readonly string[],
	{ hasOtherLed }: { hasOtherLed: boolean },
): Health {
	const health = before === undefined || hasOtherLed ? NEW_NODE.health : before;
	return dueAtOnce({ ...health, timesListenerLost: 0, lost: allLost(before?.lost ?? [], lost) });
}

/** What is known of a change that has just ended, beside its result. */
type Ended = Moment & {
	/** Whether the user is told. If not, lost events are kept for the next check. */
	tellsUser: boolean;
	/** Whether n8n no longer listens at the node's base (D78). */
	listenerLost: boolean;
};

/** The health of a node after a change of its webhooks. */
export function nextHealth(before: Health, result: ChangeResult, ended: Ended): Health {
	const { tellsUser, date, clock } = ended;
	const hasFailed = result.failure !== undefined;
	const timesListenerLost = nextCount(before.timesListenerLost, ended.listenerLost, tellsUser);
	// A check that failed says nothing about the list.
	const timesHidden = hasFailed
		? before.timesHidden
		: nextCount(before.timesHidden, result.hidden.length > 0, tellsUser);
	// What the user is told now need not be kept.
	const lost = tellsUser ? [] : allLost(before.lost, result.lost);
	const isAllWell = !hasFailed && lost.length === 0;
	// The check a minute later shows whether these two are to be reported.
	const isToBeConfirmed = [timesListenerLost, timesHidden].some(
		(times) => times > 0 && times < TIMES_TO_REPORT,
	);
	const isIdle = isAllWell && !result.isUnfinished && !isToBeConfirmed;
	return {
		completeAt: isAllWell ? date : before.completeAt,
		idleSince: isIdle ? { date, clock } : undefined,
		timesFailed: nextCount(before.timesFailed, hasFailed, tellsUser),
		failingSince: hasFailed ? (before.failingSince ?? date) : undefined,
		timesListenerLost,
		timesHidden,
		lost,
	};
}

/**
 * The health of a node after an activation: no failure counts, lost events of before are kept, and the next check is due unless
 * nothing is left to do.
 */
export function healthAfterActivation(
	before: Health,
	result: ChangeResult,
	moment: Moment,
): Health {
	// Lost events are not reported: the user has just activated the workflow, and knows that it was not active before.
	const found = { ...result, lost: [] };
	return {
		...nextHealth(before, found, { tellsUser: false, listenerLost: false, ...moment }),
		// An activation that only waits for creates is no failed check: a report takes two checks that have failed.
		timesFailed: 0,
		failingSince: undefined,
	};
}

/** What the user is to be told after a check. */
export type Report =
	| FailingReport
	| RestoredReport
	| { kind: 'hidden'; events: readonly string[] }
	| { kind: 'listenerLost' };

/** Missing webhooks have been created again, and their events may be lost. */
export type RestoredReport = {
	kind: 'restored';
	events: readonly string[];
	/** See `Health`. */
	completeAt: number | undefined;
	/** Whether all other webhooks exist, too. */
	isComplete: boolean;
};

/** Several checks in a row have failed. */
export type FailingReport = {
	kind: 'failing';
	/** When the first of them failed, in milliseconds since 1970. */
	since: number;
	/** See `Health`. */
	completeAt: number | undefined;
	/** Why the latest of them has failed. */
	error: Error;
	/** The events of missing webhooks, one for each webhook. */
	missing: readonly string[];
};

/**
 * What the user is to be told after a check.
 *
 * - Failing checks, a lost listener (D78) and an incomplete list (D82) are reported once in a row of checks that find them.
 * - Lost events are reported by the check that has created their webhooks again (D32), even if it could not create others: n8n saves
 *   nothing after a check, and a process that is killed could not report them later.
 * @param after the health after this check, see {@link nextHealth}
 */
export function reportsOf(
	before: Health,
	{ timesFailed, failingSince, timesListenerLost, timesHidden }: Health,
	result: ChangeResult,
): Report[] {
	const { completeAt } = before;
	const { failure } = result;
	const reports: Report[] = [];
	if (timesListenerLost === TIMES_TO_REPORT) reports.push({ kind: 'listenerLost' });
	if (failure && timesFailed === TIMES_TO_REPORT && failingSince !== undefined) {
		const { error } = failure;
		const missing = result.missing.map(({ event }) => event);
		reports.push({ kind: 'failing', since: failingSince, completeAt, error, missing });
	}
	// A check that failed says nothing about the list.
	if (!failure && timesHidden === TIMES_TO_REPORT) {
		reports.push({ kind: 'hidden', events: result.hidden });
	}
	const lost = allLost(before.lost, result.lost);
	if (lost.length > 0) {
		reports.push({ kind: 'restored', events: lost, completeAt, isComplete: !failure });
	}
	return reports;
}

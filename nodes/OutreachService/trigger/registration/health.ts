/** What follows from a change of a node's webhooks: when the next check is due, and what the user is told. Pure. */
import type { Health, Incident, TriggerNode } from '../../runtime/triggerNodes';
import { msSince, type Moment } from '../../utils/moment';
import type { ChangeResult } from './reconcile';

/**
 * Whether a node's check is due when its cron job runs, once a minute: at every run while something is left to do, and
 * else at the last run before the repair interval is over.
 * @param moment now
 */
export function isDue(
	{ selection, health: { idleSince } }: Pick<TriggerNode, 'selection' | 'health'>,
	moment: Moment,
): boolean {
	// While the parameters cannot be used, each check fails, so something is always left to do.
	if (!idleSince || !selection.ok) return true;
	const everyMinutes = Math.ceil(selection.value.repairMinutes);
	// With the interval 0, nothing is checked regularly.
	if (everyMinutes === 0) return false;
	return msSince(idleSince, moment) >= (everyMinutes - 1) * 60_000;
}

/** What the user is told of once several checks in a row have found it; and that missing webhooks have been created again. */
const PROBLEMS = ['listenerLost', 'failing', 'incompleteList'] as const;
export type Report = (typeof PROBLEMS)[number] | 'restored';

/**
 * How many checks in a row have to find a problem before the user is told: a single one says little, and a list may be minutes
 * old (D32).
 */
const CHECKS_TO_REPORT = { listenerLost: 2, failing: 2, incompleteList: 10 };

/** An incident after one more change or check: it begins, goes on, or is over. Only checks count: they are a minute apart. */
function nextIncident(
	before: Incident | undefined,
	isFound: boolean,
	{ date, isCheck }: { date: number; isCheck: boolean },
): Incident | undefined {
	if (!isFound) return undefined;
	const { checks, since, isTold } = before ?? { checks: 0, since: date, isTold: false };
	return { checks: checks + (isCheck ? 1 : 0), since, isTold };
}

/** Why a desired webhook does not exist, or may not: a create that stays open is a failure for the user, too. */
export const failureOf = ({ failure, openCreate }: ChangeResult): Error | undefined =>
	failure ?? openCreate;

/**
 * The health of a node after a change of its webhooks, before the user is told of anything.
 * @param options.date now, in milliseconds since 1970
 */
export function nextHealth(
	before: Health,
	result: ChangeResult,
	{ listenerLost, ...when }: { listenerLost: boolean; date: number; isCheck: boolean },
): Health {
	const isFailing = failureOf(result) !== undefined;
	return {
		...before,
		failing: nextIncident(before.failing, isFailing, when),
		listenerLost: nextIncident(before.listenerLost, listenerLost, when),
		// A check that failed says nothing about the list.
		incompleteList: isFailing
			? before.incompleteList
			: nextIncident(before.incompleteList, result.unlisted.length > 0, when),
		lost: [...new Set([...before.lost, ...result.lost])],
	};
}

/**
 * What the user is to be told after a check: each problem once, until it is over; and lost events once their webhooks exist again,
 * even if others could not be created.
 */
export function reportsOf(health: Health): Report[] {
	const problems = PROBLEMS.filter((problem) => {
		const { checks = 0, isTold = false } = health[problem] ?? {};
		return checks >= CHECKS_TO_REPORT[problem] && !isTold;
	});
	return health.lost.length > 0 ? [...problems, 'restored'] : problems;
}

/** The health of a node after the user was told of something. */
export function afterReport(health: Health, report: Report): Health {
	if (report === 'restored') return { ...health, lost: [] };
	const incident = health[report];
	return { ...health, [report]: incident && { ...incident, isTold: true } };
}

/** The health of a node once the user was told of what there was to tell: nothing is due if nothing is left to do. */
export function healthAtRest(health: Health, result: ChangeResult, moment: Moment): Health {
	const isComplete = health.failing === undefined && health.lost.length === 0;
	// Another check is to confirm a problem.
	const isUnconfirmed = PROBLEMS.some(
		(problem) => (health[problem]?.checks ?? Infinity) < CHECKS_TO_REPORT[problem],
	);
	return {
		...health,
		completeAt: isComplete ? moment.date : health.completeAt,
		idleSince: isComplete && !isUnconfirmed && !result.isUnfinished ? moment : undefined,
	};
}

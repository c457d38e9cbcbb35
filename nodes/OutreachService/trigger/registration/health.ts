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

/** How many checks in a row have to find a problem before the user is told: a single one says little (D32). */
const CHECKS_TO_REPORT = 2;

const isToReport = (incident: Incident | undefined): incident is Incident =>
	incident !== undefined && incident.checks >= CHECKS_TO_REPORT && !incident.isTold;

const isUnconfirmed = (incident: Incident | undefined): boolean =>
	incident !== undefined && incident.checks < CHECKS_TO_REPORT;

const told = (incident: Incident | undefined): Incident | undefined =>
	incident && { ...incident, isTold: true };

/** An incident after one more check: it begins, goes on, or is over. */
function nextIncident(
	before: Incident | undefined,
	isFound: boolean,
	date: number,
): Incident | undefined {
	if (!isFound) return undefined;
	const { checks, since, isTold } = before ?? { checks: 0, since: date, isTold: false };
	return { checks: checks + 1, since, isTold };
}

/** Why a desired webhook does not exist, or may not: a create that stays open is a failure for the user, too. */
const failureOf = ({ failure, openCreate }: ChangeResult): Error | undefined =>
	failure ?? openCreate;

/**
 * The health of a node after a change of its webhooks, before the user is told of anything.
 * @param options.date now, in milliseconds since 1970
 */
export function nextHealth(
	before: Health,
	result: ChangeResult,
	{ listenerLost, date }: { listenerLost: boolean; date: number },
): Health {
	const isFailing = failureOf(result) !== undefined;
	return {
		...before,
		idleSince: undefined,
		failing: nextIncident(before.failing, isFailing, date),
		listenerLost: nextIncident(before.listenerLost, listenerLost, date),
		// A check that failed says nothing about the list.
		incompleteList: isFailing
			? before.incompleteList
			: nextIncident(before.incompleteList, result.hidden.length > 0, date),
		lost: [...new Set([...before.lost, ...result.lost])],
	};
}

/** The health of a node once the user was told of what there was to tell: nothing is due if nothing is left to do. */
export function healthAtRest(health: Health, result: ChangeResult, moment: Moment): Health {
	const { failing, listenerLost, incompleteList, lost } = health;
	const isComplete = failing === undefined && lost.length === 0;
	const isIdle =
		isComplete && !result.isUnfinished && ![listenerLost, incompleteList].some(isUnconfirmed);
	return {
		...health,
		completeAt: isComplete ? moment.date : health.completeAt,
		idleSince: isIdle ? moment : undefined,
	};
}

/** What the user is to be told after a check. */
export type Report =
	| FailingReport
	| RestoredReport
	| { kind: 'incompleteList'; events: readonly string[] }
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
	/** The events that no webhook delivers, one for each webhook. */
	missing: readonly string[];
};

/**
 * What the user is to be told after a check: each incident once, until it is over; and lost events once their webhooks exist again,
 * even if others could not be created.
 */
export function reportsOf(health: Health, result: ChangeResult): Report[] {
	const { completeAt, failing, listenerLost, incompleteList, lost } = health;
	const reports: Report[] = [];
	if (isToReport(listenerLost)) reports.push({ kind: 'listenerLost' });
	const error = failureOf(result);
	if (error && isToReport(failing)) {
		const { since } = failing;
		reports.push({ kind: 'failing', since, completeAt, error, missing: result.missing });
	}
	if (!error && isToReport(incompleteList)) {
		reports.push({ kind: 'incompleteList', events: result.hidden });
	}
	if (lost.length > 0) {
		reports.push({ kind: 'restored', events: lost, completeAt, isComplete: !error });
	}
	return reports;
}

/** The health of a node after the user was told of something. */
export function afterReport(health: Health, report: Report): Health {
	if (report.kind === 'restored') return { ...health, lost: [] };
	return { ...health, [report.kind]: told(health[report.kind]) };
}

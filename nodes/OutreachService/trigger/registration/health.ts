/** What follows from a check of a node's webhooks, for the next check and for the user. Pure. */
import type { DesiredWebhook } from '../../domain/registration';
import type { Health, ProblemStreak } from '../../runtime/activeNodes';
import type { Reconciled } from './reconcile';

/** What a check found. */
export type Checked = Pick<Reconciled, 'failure' | 'missing' | 'lost'> & {
	/** Events whose webhooks the list does not show (D82). */
	unlisted?: readonly string[];
	/** Whether the next check must look again. */
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
	/** When the first of them failed, and when a check last found all webhooks, in milliseconds since 1970. */
	since: number;
	goodAt: number | undefined;
	failure: Error;
	missing: readonly DesiredWebhook[];
};

/** How many checks in a row have to find a problem before the user is told: a single one says little (D32). */
const TIMES_TO_REPORT = 2;

function nextStreak(
	streak: ProblemStreak | undefined,
	isFound: boolean,
	now: number,
): ProblemStreak | undefined {
	if (!isFound) return undefined;
	return { since: streak?.since ?? now, times: (streak?.times ?? 0) + 1 };
}

/**
 * What follows from a check. Failing checks in a row are reported once, what was created again once no webhook is missing
 * (D32), and a lost route (D78) or an incomplete list (D82) once in a row of checks that find it.
 * @param now in milliseconds since 1970
 * @param canReport a start of n8n cannot: the check after it does
 * @returns `isUnfinished`: the next minute's check has something to do, or to tell
 */
export function afterCheck(
	before: Health,
	{ failure, missing, lost, unlisted = [], isUncertain = false, routeLost = false }: Checked,
	now: number,
	canReport = true,
): { health: Health; reports: Report[]; isUnfinished: boolean } {
	const { goodAt } = before;
	const failing = nextStreak(before.failing, failure !== undefined, now);
	const withoutRoute = nextStreak(before.routeLost, routeLost, now);
	// A check that failed says nothing about the list.
	const notListed = failure
		? before.unlisted
		: nextStreak(before.unlisted, unlisted.length > 0, now);
	const lostEvents = [...new Set([...before.lost, ...lost])];
	const isDone = failure === undefined && (canReport || lostEvents.length === 0);

	const reports: Report[] = [];
	if (withoutRoute?.times === TIMES_TO_REPORT) reports.push({ kind: 'routeLost' });
	if (!failure && notListed?.times === TIMES_TO_REPORT) {
		reports.push({ kind: 'unlisted', events: unlisted });
	}
	if (failure && failing?.times === TIMES_TO_REPORT) {
		reports.push({ kind: 'failing', since: failing.since, goodAt, failure, missing });
	}
	if (isDone && lostEvents.length > 0) {
		reports.push({ kind: 'restored', events: lostEvents, goodAt });
	}

	const isToBeConfirmed = withoutRoute?.times === 1 || notListed?.times === 1;
	return {
		health: {
			failing,
			routeLost: withoutRoute,
			unlisted: notListed,
			goodAt: isDone ? now : goodAt,
			lost: isDone ? [] : lostEvents,
		},
		reports,
		isUnfinished: !isDone || isUncertain || isToBeConfirmed,
	};
}

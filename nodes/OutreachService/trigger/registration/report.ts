import type { ExecutionError } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import type { ErrorText } from '../../api/errors';
import { eventName } from '../../domain/eventTypes';
import type { DesiredWebhook } from '../../domain/registration';
import type { ActiveNode, Health, Row } from '../../runtime/activeNodes';
import type { Reconciled } from './reconcile';
import type { Context } from './situation';

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
	| {
			kind: 'failing';
			since: number;
			goodAt: number | undefined;
			failure: Error;
			missing: readonly DesiredWebhook[];
	  }
	| { kind: 'restored'; events: readonly string[]; goodAt: number | undefined }
	| { kind: 'unlisted'; events: readonly string[] }
	| { kind: 'routeLost' };

/** How many checks in a row have to find a problem before the user is told: a single one says little (D32). */
const TIMES_TO_REPORT = 2;

const nextInRow = (row: Row | undefined, isFound: boolean, now: number): Row | undefined =>
	isFound ? { since: row?.since ?? now, times: (row?.times ?? 0) + 1 } : undefined;

/**
 * What follows from a check. A row of failing checks is reported once, what was created again once all webhooks are
 * complete (D32), and a lost route (D78) or an incomplete list (D82) once in a row of checks that find it. Pure.
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
	const failing = nextInRow(before.failing, failure !== undefined, now);
	const route = nextInRow(before.routeLost, routeLost, now);
	// A check that failed says nothing about the list.
	const hidden = failure ? before.unlisted : nextInRow(before.unlisted, unlisted.length > 0, now);
	const events = [...new Set([...before.lost, ...lost])];
	const isDone = failure === undefined && (canReport || events.length === 0);
	const reports: Report[] = [];
	if (route?.times === TIMES_TO_REPORT) reports.push({ kind: 'routeLost' });
	if (!failure && hidden?.times === TIMES_TO_REPORT) {
		reports.push({ kind: 'unlisted', events: unlisted });
	}
	if (failure && failing?.times === TIMES_TO_REPORT) {
		reports.push({ kind: 'failing', since: failing.since, goodAt, failure, missing });
	}
	if (isDone && events.length > 0) reports.push({ kind: 'restored', events, goodAt });
	return {
		health: {
			failing,
			routeLost: route,
			unlisted: hidden,
			goodAt: isDone ? now : goodAt,
			lost: isDone ? [] : events,
		},
		reports,
		isUnfinished: !isDone || isUncertain || route?.times === 1 || hidden?.times === 1,
	};
}

/** n8n 1 cannot save a failed execution. */
type Reporter = Context & {
	saveFailedExecution?: (error: ExecutionError) => void;
};

/** How many events are named; a list of all 75 would hide the rest of the text. */
const MAX_NAMES = 5;

/** The names of events for a sentence; only the first of many. */
export function namesOf(events: readonly string[]): string {
	const names = [...new Set(events)].map(eventName);
	const rest = names.length - MAX_NAMES;
	if (rest <= 0) return names.join(', ');
	return `${names.slice(0, MAX_NAMES).join(', ')} and ${rest} more`;
}

/** A time as the owner of the workflow writes it: '22 Nov 2026, 14:05 (Europe/Berlin)'. */
const timeIn = (timeZone: string, time: number): string => {
	const format = { dateStyle: 'medium', timeStyle: 'short', timeZone } as const;
	return `${new Intl.DateTimeFormat('en-GB', format).format(time)} (${timeZone})`;
};

/** What to do about an error. */
const remedyOf = (failure: Error): string =>
	'description' in failure && typeof failure.description === 'string' ? failure.description : '';

/** @param when writes a time */
function describe(
	name: string,
	{ base, selection }: ActiveNode,
	report: Report,
	now: number,
	when: (time: number) => string,
): ErrorText {
	if (report.kind === 'routeLost') {
		return {
			message: `n8n has lost the webhook of "${name}": deactivate (unpublish) the workflow, then activate (publish) it again`,
			description: `The workflow is active, and the service has its webhooks. But n8n responds at ${base} that no such webhook is registered, so each event is lost. Deactivate (unpublish) the workflow and activate (publish) it again: n8n registers the webhook anew. Check the service for replies and other activities of this period.`,
		};
	}
	if (report.kind === 'unlisted') {
		return {
			message: `The service does not list all webhooks of "${name}": ${namesOf(report.events)}`,
			description:
				'n8n has created them, and the service has said that they exist. But its list does not show them, so n8n cannot tell whether they still work, and does not replace them again. They may deliver as they should. Ask the provider whether the list of webhooks is complete. If their events do not arrive, unpublish (deactivate) the workflow and publish (activate) it again.',
		};
	}
	const { goodAt } = report;
	if (report.kind === 'restored') {
		const period =
			goodAt === undefined
				? `before ${when(now)}, perhaps while n8n was not running,`
				: `between ${when(goodAt)} and ${when(now)}`;
		const advice = `The workflow works again. Events that happened ${period} may be lost: the service does not deliver them later. Check the service for replies and other activities of that period. If this happens again, find out who deletes or disables webhooks at the service.`;
		const names = namesOf(report.events);
		// An event has a webhook for each campaign.
		const hasCampaigns = selection.ok && selection.value.campaignIds.length > 1;
		if (report.events.length === 1 && !hasCampaigns) {
			return {
				message: `A webhook of "${name}" was missing at the service and has been created again: ${names}`,
				description: advice,
			};
		}
		return {
			message: `Webhooks of "${name}" were missing at the service and have been created again: ${names}`,
			description: advice,
		};
	}
	const { missing } = report;
	const remedy = remedyOf(report.failure);
	const last = goodAt === undefined ? '' : `; the webhooks were last complete on ${when(goodAt)}`;
	const begin = `The checks have not succeeded since ${when(report.since)}${last}.`;
	const end = 'n8n keeps checking, and reports this again only after a check has succeeded.';
	if (!selection.ok && report.failure === selection.error) {
		return {
			message: `The parameters of "${name}" cannot be used: ${report.failure.message}`,
			description: `${remedy || 'Correct the trigger.'} Then publish the workflow again. Until then, the webhooks stay as they were, and their deliveries are refused. ${begin}`,
		};
	}
	const reason = `${report.failure.message}. ${remedy}`.trim();
	if (missing.length === 0) {
		return {
			message: `The webhooks of "${name}" can no longer be checked`,
			description: `${reason} ${begin} Webhooks that still exist at the service keep starting the workflow; if one is gone, its events are lost until a check succeeds. ${end}`,
		};
	}
	const webhooks = `${missing.length} webhook${missing.length === 1 ? '' : 's'}`;
	return {
		message: `${webhooks} of "${name}" cannot be created at the service: ${namesOf(missing.map(({ event }) => event))}`,
		description: `${reason} ${begin} Until a check succeeds, ${missing.length === 1 ? 'its' : 'their'} events are lost. ${end}`,
	};
}

/**
 * Tells the user what follows from a check (D32): a failed execution, which starts the workflow's error workflow, unless
 * it is switched off or n8n has no such function (n8n 1); and in any case the log.
 * @param node as the check left it
 */
export function reportProblem(
	ctx: Reporter,
	node: ActiveNode,
	report: Report,
	{ asExecution, now }: { asExecution: boolean; now: number },
): void {
	const { name } = ctx.getNode();
	const { id: workflowId } = ctx.getWorkflow();
	const when = (time: number): string => timeIn(ctx.getTimezone(), time);
	const link = `${ctx.getInstanceBaseUrl()}workflow/${workflowId ?? ''}`;
	const { message, description } = describe(name, node, report, now, when);
	const log = report.kind === 'restored' ? ctx.logger.warn : ctx.logger.error;
	log.call(ctx.logger, `${message}. ${description} ${link}`, { workflowId });
	if (!asExecution || ctx.saveFailedExecution === undefined) return;
	ctx.saveFailedExecution(new NodeOperationError(ctx.getNode(), message, { description }));
}

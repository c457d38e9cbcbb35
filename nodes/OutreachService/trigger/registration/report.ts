/** How the user learns what a check has found (D32): in a failed execution and in n8n's log. */
import type { ExecutionError } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import type { ErrorText } from '../../api/errors';
import { eventName } from '../../domain/eventTypes';
import { baseIn } from '../../domain/triggerUrl';
import type { TriggerNode } from '../../runtime/triggerNodes';
import type { Context } from './base';
import { failureOf, type Report } from './health';
import type { ChangeResult } from './reconcile';

/** n8n 1 cannot save a failed execution. */
type Reporter = Context & {
	saveFailedExecution?: (error: ExecutionError) => void;
};

/** How many events are named; a list of all events would hide the rest of the text. */
const MAX_NAMES = 5;

/** The names of events for a sentence; only the first of many. */
export function namesOf(events: readonly string[]): string {
	const names = [...new Set(events)].map(eventName);
	const rest = names.length - MAX_NAMES;
	if (rest <= 0) return names.join(', ');
	return `${names.slice(0, MAX_NAMES).join(', ')} and ${rest} more`;
}

/**
 * A time in the time zone of the workflow: '22 Nov 2026, 14:05 (Europe/Berlin)'. n8n stores the time zone as it comes, such as
 * `DEFAULT` or `UTC+2`: one that cannot be formatted is replaced by UTC.
 */
function timeIn(timeZone: string, time: number): string {
	const write = (zone: string): string =>
		`${new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: zone }).format(time)} (${zone})`;
	try {
		return write(timeZone);
	} catch {
		return write('UTC');
	}
}

/** What to do about an error. */
const remedyOf = (error: Error): string =>
	'description' in error && typeof error.description === 'string' ? error.description : '';

/** What the texts of a report need to know. */
type Told = {
	/** The name of the node. */
	name: string;
	node: TriggerNode;
	result: ChangeResult;
	/** When the report is made, in milliseconds since 1970. */
	now: number;
	/** When the webhooks were last complete; undefined also if a clock that was wrong says so. */
	completeAt: number | undefined;
	/** Writes a time. */
	when: (time: number) => string;
};

const TEXTS: Readonly<Record<Report, (told: Told) => ErrorText>> = {
	listenerLost: ({ name, node }) => ({
		message: `n8n no longer accepts the events of "${name}": unpublish (deactivate) the workflow, then publish (activate) it again`,
		description: `The workflow is active, and the service has its webhooks. But n8n responds at ${baseIn(node.base)} that no such webhook is registered, so each event is lost. Unpublish (deactivate) the workflow and publish (activate) it again: n8n registers the webhook anew. Check the service for replies and other activities of this period.`,
	}),
	incompleteList: ({ name, result }) => ({
		message: `The service does not list all webhooks of "${name}": ${namesOf(result.unlisted)}`,
		description:
			'n8n has created them, and the service has confirmed that. But its list does not show them, so n8n cannot tell whether they still work. They may deliver as they should. Ask the provider whether the list of webhooks is complete. If their events do not arrive, unpublish (deactivate) the workflow and publish (activate) it again.',
	}),
	restored: restoredText,
	failing: failingText,
};

function restoredText({ name, node, result, now, completeAt, when }: Told): ErrorText {
	const period =
		completeAt === undefined
			? `before ${when(now)}, perhaps while n8n was not running,`
			: `between ${when(completeAt)} and ${when(now)}`;
	const state = failureOf(result) ? '' : 'The workflow works again. ';
	return {
		message: `Webhooks of "${name}" were missing at the service, and n8n has created them again. Their events: ${namesOf(node.health.lost)}`,
		description: `${state}Events that happened ${period} may be lost: the service may not deliver them later. Check the service for replies and other activities of that period. If this happens again, find out who deletes or disables webhooks at the service.`,
	};
}

function failingText({ name, node, result, now, completeAt, when }: Told): ErrorText {
	const { selection, health } = node;
	const error = failureOf(result) ?? new Error('');
	const remedy = remedyOf(error);
	const since = when(Math.min(health.failing?.since ?? now, now));
	const last =
		completeAt === undefined ? '' : `; the webhooks were last complete on ${when(completeAt)}`;
	const begin = `The checks have not succeeded since ${since}${last}.`;
	const end = 'n8n keeps checking, and reports this again only after a check has succeeded.';
	// Then a check has tried nothing else.
	if (!selection.ok) {
		return {
			message: `The trigger "${name}" cannot be used: ${error.message}`,
			description: `${remedy || 'Correct the trigger.'} Then publish the workflow again. Until then, the webhooks stay as they were, and the events that they deliver may be lost. ${begin}`,
		};
	}
	const reason = `${error.message}. ${remedy}`.trim();
	const { missing } = result;
	if (missing.length === 0) {
		return {
			message: `The webhooks of "${name}" cannot be checked or changed`,
			description: `${reason} ${begin} Webhooks that exist at the service keep starting the workflow; if one is gone, its events are lost until a check succeeds. ${end}`,
		};
	}
	const isOne = missing.length === 1;
	return {
		message: `${isOne ? '1 webhook' : `${missing.length} webhooks`} of "${name}" cannot be created at the service: ${namesOf(missing)}`,
		description: `${reason} ${begin} Until a check succeeds, ${isOne ? 'its' : 'their'} events are lost. ${end}`,
	};
}

/**
 * Tells the user what a check has found: in the log, and in a failed execution, which starts the error workflow. There is no failed
 * execution if the option is off, or on n8n 1, which cannot save one.
 * @throws what n8n throws if it cannot save the execution
 */
export function tell(ctx: Reporter, node: TriggerNode, result: ChangeResult, report: Report): void {
	const { selection, health } = node;
	const asExecution = selection.ok ? selection.value.reportProblems : true;
	const { name } = ctx.getNode();
	const { id: workflowId } = ctx.getWorkflow();
	const now = Date.now();
	const completeAt = (health.completeAt ?? Infinity) <= now ? health.completeAt : undefined;
	const when = (time: number): string => timeIn(ctx.getTimezone(), time);
	const { message, description } = TEXTS[report]({ name, node, result, now, completeAt, when });
	const link = `${ctx.getInstanceBaseUrl()}workflow/${workflowId ?? ''}`;
	// What the check has repaired is a warning.
	const level = report === 'restored' ? 'warn' : 'error';
	ctx.logger[level](`${message}. ${description} ${link}`, { workflowId });
	if (!asExecution || ctx.saveFailedExecution === undefined) return;
	ctx.saveFailedExecution(new NodeOperationError(ctx.getNode(), message, { description }));
}

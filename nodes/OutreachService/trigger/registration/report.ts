import type { ExecutionError, ITriggerFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import type { ErrorText } from '../../api/messages';
import { eventName } from '../../model/eventOptions';
import type { ActiveNode } from '../../runtime/activeNodes';
import type { Report } from '../../runtime/health';

/** n8n 1 cannot save a failed execution. */
type Reporter = Omit<ITriggerFunctions, 'saveFailedExecution'> & {
	saveFailedExecution?: (error: ExecutionError) => void;
};

/** How many events are named; a list of all 75 would hide the rest of the text. */
const MAX_NAMES = 5;

function namesOf(events: readonly string[]): string {
	const names = [...new Set(events)].map(eventName);
	const rest = names.length - MAX_NAMES;
	if (rest <= 0) return names.join(', ');
	return `${names.slice(0, MAX_NAMES).join(', ')} and ${rest} more`;
}

const counted = (count: number): string => `${count} webhook${count === 1 ? '' : 's'}`;

/** A time as the owner of the workflow writes it: '22 Nov 2026, 14:05 CET'. */
const timeIn = (timeZone: string, time: number): string =>
	new Intl.DateTimeFormat('en-GB', {
		day: 'numeric',
		month: 'short',
		year: 'numeric',
		hour: '2-digit',
		minute: '2-digit',
		timeZone,
		timeZoneName: 'short',
	}).format(time);

/** An error in a sentence or two: what happened, and what to do. */
function reasonOf(failure: Error): string {
	const description =
		'description' in failure && typeof failure.description === 'string' ? failure.description : '';
	return [`${failure.message}.`, description].filter((text) => text !== '').join(' ');
}

function describeFailing(
	name: string,
	{ missing, unusable }: ActiveNode,
	{ failure, since, goodAt }: Extract<Report, { kind: 'failing' }>,
	timeZone: string,
): ErrorText {
	const begin =
		`The checks have not succeeded since ${timeIn(timeZone, since)}` +
		(goodAt === undefined
			? '.'
			: `; the webhooks were last complete on ${timeIn(timeZone, goodAt)}.`);
	const end = 'n8n keeps checking, and reports this again only after a check has succeeded.';
	if (failure === unusable) {
		return {
			message: `The parameters of "${name}" cannot be used: ${failure.message}`,
			description: `${reasonOf(failure)} Correct the trigger, then publish the workflow again. Until then, the webhooks stay as they were, and their deliveries are refused. ${begin}`,
		};
	}
	return missing.length === 0
		? {
				message: `The webhooks of "${name}" can no longer be checked`,
				description: `${reasonOf(failure)} ${begin} Webhooks that still exist at the service keep starting the workflow; if one is gone, its events are lost until a check succeeds. ${end}`,
			}
		: {
				message: `${counted(missing.length)} of "${name}" cannot be created at the service: ${namesOf(missing.map(({ event }) => event))}`,
				description: `${reasonOf(failure)} ${begin} Until a check succeeds, their events are lost. ${end}`,
			};
}

function describeRestored(
	name: string,
	{ events, goodAt }: Extract<Report, { kind: 'restored' }>,
	now: number,
	timeZone: string,
): ErrorText {
	const period =
		goodAt === undefined
			? `before ${timeIn(timeZone, now)}, perhaps while n8n was not running,`
			: `between ${timeIn(timeZone, goodAt)} and ${timeIn(timeZone, now)}`;
	return {
		message: `Webhooks of "${name}" were missing at the service and have been created again: ${namesOf(events)}`,
		description: `The workflow works again. Events that happened ${period} may be lost: the service does not deliver them later. Check the service for replies and other activities of that period. If this happens again, find out who deletes or disables webhooks at the service.`,
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
	const timeZone = ctx.getTimezone();
	const link = `${ctx.getInstanceBaseUrl()}workflow/${workflowId ?? ''}`;
	if (report.kind === 'working') {
		ctx.logger.info(
			`The webhooks of "${name}" are complete. Checks had not succeeded since ${timeIn(timeZone, report.since)}.`,
			{ workflowId },
		);
		return;
	}
	const { message, description } =
		report.kind === 'failing'
			? describeFailing(name, node, report, timeZone)
			: describeRestored(name, report, now, timeZone);
	const log = report.kind === 'failing' ? ctx.logger.error : ctx.logger.warn;
	log.call(ctx.logger, `${message}. ${description} ${link}`, { workflowId });
	if (!asExecution || ctx.saveFailedExecution === undefined) return;
	ctx.saveFailedExecution(new NodeOperationError(ctx.getNode(), message, { description }));
}

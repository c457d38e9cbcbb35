/** What n8n's log says of a change of a node's webhooks. */
import type { Health } from '../../runtime/triggerNodes';
import type { Runtime } from '../../runtime/runtime';
import type { Context } from './context';
import { isFailing } from './health';
import type { ChangeResult } from './changeResult';
import { namesOf } from './report';

/**
 * Logs what a change could not do, each problem once.
 * @param before the health of the node before the change
 */
export function logProblems(
	ctx: Context,
	runtime: Runtime,
	before: Health,
	{ failure, removalErrors }: ChangeResult,
): void {
	const { name } = ctx.getNode();
	const { id: workflowId } = ctx.getWorkflow();
	if (failure && !isFailing(before)) {
		// Only the first failure in a row is logged: the second one is reported, and after that, the log need not repeat it.
		ctx.logger.warn(
			`The webhooks of "${name}" could not be checked or registered: ${failure.error.message}. The next check, in a minute, tries again.`,
			{ workflowId },
		);
	}
	// A webhook that cannot be removed costs nobody an event, so it is only logged, and only once.
	for (const [id, { message }] of removalErrors) {
		runtime.warnOnce(
			ctx,
			`not removed ${id}`,
			`The webhook ${id} of "${name}" could not be removed: ${message}. Each minute's check tries again.`,
		);
	}
}

/** Logs the lost events that a start or a publication has found, which the check a minute later reports. */
export function logLost(ctx: Context, lost: readonly string[]): void {
	if (lost.length === 0) return;
	ctx.logger.warn(
		`Webhooks of "${ctx.getNode().name}" were missing, and have been created again: ${namesOf(lost)}. Events may be lost. The next check reports it.`,
		{ workflowId: ctx.getWorkflow().id },
	);
}

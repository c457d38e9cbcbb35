/** What is noted of a change of a node's webhooks, for the next check and in the log. */
import type { ActiveNode, Health } from '../../runtime/activeNodes';
import type { Runtime } from '../../runtime/runtime';
import type { Context } from './context';
import { isFailing, nextHealth } from './health';
import type { Occasion } from './occasions';
import type { Reconciled } from './reconcile';
import { namesOf } from './report';

/**
 * Notes what a change has found, for the next check, and logs what went wrong.
 * @param node as it was before the change
 * @param options.tellsUser see `Occasion`
 * @param options.routeLost whether n8n has lost the node's route (D78), which only a check finds out. Default: false.
 * @returns the health of the node from now on
 */
export function noteResult(
	ctx: Context,
	runtime: Runtime,
	{ health: before }: ActiveNode,
	result: Reconciled,
	{ tellsUser, routeLost = false }: Pick<Occasion, 'tellsUser'> & { routeLost?: boolean },
): Health {
	logProblems(ctx, runtime, before, result, tellsUser);
	const ended = { tellsUser, routeLost, date: Date.now(), clock: performance.now() };
	const health = nextHealth(before, result, ended);
	runtime.activeNodes.update(ctx, { health });
	return health;
}

/** Logs what a change could not do, each problem once. */
function logProblems(
	ctx: Context,
	runtime: Runtime,
	before: Health,
	{ error, removalErrors, lost }: Reconciled,
	tellsUser: boolean,
): void {
	const { name } = ctx.getNode();
	const { id: workflowId } = ctx.getWorkflow();
	if (error && !isFailing(before)) {
		// Only the first failure in a row is logged: the second one is reported, and after that, the log need not repeat it.
		ctx.logger.warn(
			`The webhooks of "${name}" could not be checked or registered: ${error.message}. The next check, in a minute, tries again.`,
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
	if (!tellsUser && lost.length > 0) {
		// The check a minute later reports the lost events, unless this process ends before that.
		ctx.logger.warn(
			`Webhooks of "${name}" were missing, and have been created again: ${namesOf(lost)}. Events may be lost. The next check reports it.`,
			{ workflowId },
		);
	}
}

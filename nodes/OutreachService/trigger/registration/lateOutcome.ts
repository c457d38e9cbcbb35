/** The outcome of a create that arrives after its change has ended. */
import type { Client } from '../../api/client';
import type { WebhookBase } from '../../domain/triggerUrl';
import { progressOf } from '../../api/errors';
import { isSameAtService } from '../../domain/registration';
import type { Webhook } from '../../domain/webhook';
import type { ActiveNode } from '../../runtime/activeNodes';
import type { OpenCreate } from '../../runtime/openCreates';
import type { Runtime } from '../../runtime/runtime';
import type { Outcome } from '../../utils/settle';
import { registeredAs } from './createResults';
import { Removals } from './removals';
import { hasRoute, isRouteLost } from './routeCheck';
import { unregisterTestRun } from './unregister';
import type { Context } from './context';

/**
 * Handles the outcome of a create for which no change waits any more (D81). The webhook becomes one of the node's, or is
 * removed if the node is no longer active. If n8n only shuts down, or another main process runs the node now, the webhook stays
 * for the next start or check. Never throws.
 */
export async function handleLateOutcome(
	ctx: Context,
	runtime: Runtime,
	{ base, client, open, end }: LateOutcome,
): Promise<void> {
	const { activeNodes, leftBehind, openCreates, testRuns } = runtime;
	await activeNodes.exclusively(ctx, base, async (signal) => {
		// If the create is closed, another change has taken its outcome, or a list has shown its result.
		if (!openCreates.has(open)) return;
		const isOfTestRun = testRuns.isBaseOf(ctx, base);
		const isListening = testRuns.hasWebhooksAt(ctx, base);
		if (!end.ok && progressOf(end.error) !== 'notDone') {
			// There may be a webhook all the same: the create stays open, and the next list tells. After a test run, no other change
			// would list the webhooks, unless another process listens: then n8n has a route.
			if (isOfTestRun && !isListening && !(await hasRoute(ctx, base, signal))) {
				await unregisterTestRun(ctx, runtime, { base, webhooks: [] }, client);
			}
			return;
		}
		openCreates.close(open);
		if (!end.ok) return;
		const webhook = registeredAs(open, end.value);
		const node = activeNodes.known(ctx);
		// The service has returned a webhook that existed before, in place of a new one: the next check deals with it (D7).
		const isRegistered = node?.webhooks.some(({ id }) => id === webhook.id) === true;
		// A node that has the path of this one now may have registered the webhook that the service has updated in place.
		const isOfOther = activeNodes.webhooksOfOthers(ctx).has(webhook.id);
		if (isRegistered || isOfOther || open.listedBefore.has(webhook.id)) return;
		if (isOfTestRun) {
			// The webhook of a test run is removed when n8n no longer listens.
			if (isListening) return;
		} else {
			// After a failed activation, n8n may try again at once, and the webhook waits for that (D65).
			const isAwaited = activeNodes.stateOf(ctx) === 'leaving';
			if (node && isDesired(open, node) && (activeNodes.active(ctx) || isAwaited)) {
				activeNodes.update(ctx, { webhooks: [...node.webhooks, webhook] });
				return;
			}
			// n8n may have called `delete` in another main process, whose removal does not know of this create.
			const mayBeActive = activeNodes.stateOf(ctx) === 'ended';
			if (mayBeActive && !(await isRouteLost(ctx, base, signal))) return;
		}
		const removals = new Removals(client, leftBehind);
		await removals.removeAll([end.value]);
		for (const { message } of removals.errors.values()) {
			ctx.logger.warn(
				`The webhook ${webhook.id} of "${ctx.getNode().name}" was created after the workflow was deactivated, and could not be removed: ${message}. The next check or activation of a trigger with the same API key removes it.`,
				{ workflowId: ctx.getWorkflow().id },
			);
		}
	});
}

/** Whether the webhook of a create has the secret of the node's current API key, and is at the current service. */
const isDesired = (open: OpenCreate, { desired }: ActiveNode): boolean =>
	desired === undefined || desired.some((one) => isSameAtService(one, open.desired));

/** A create that has ended. */
export type LateOutcome = {
	base: WebhookBase;
	client: Client;
	open: OpenCreate;
	end: Outcome<Webhook>;
};

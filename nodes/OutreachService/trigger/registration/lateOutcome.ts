/** The outcome of a create for which no change waits any more. */
import type { Client } from '../../api/client';
import type { WebhookBase } from '../../domain/triggerUrl';
import { mayBeDone } from '../../api/errors';
import { isSameAtService } from '../../domain/registration';
import type { Webhook } from '../../domain/webhook';
import { isActive, type TriggerNode } from '../../runtime/triggerNodes';
import type { OpenCreate } from '../../runtime/openCreates';
import type { Runtime } from '../../runtime/runtime';
import { idsRegisteredBy, mayBeResultOf, registeredAs } from './createResults';
import { Removals } from './removals';
import { hasListener, isListenerLost } from './listenerCheck';
import { unregisterTestRun } from './unregister';
import type { Context } from './context';

/** A create for which no change waits any more. */
type LateCreate = {
	base: WebhookBase;
	/** It is never cancelled. */
	client: Client;
	open: OpenCreate;
};

/**
 * Waits for the end of a create for which no change waits any more, and handles its outcome (D81). The webhook becomes one of
 * the node's, or is removed if nobody needs it any more: the node is no longer active or has another key, or the test run is
 * over. If n8n only shuts down, or another main process runs the node now, the webhook stays for the next start or check. Never
 * throws.
 */
export async function handleLateOutcome(
	ctx: Context,
	runtime: Runtime,
	{ base, client, open }: LateCreate,
): Promise<void> {
	const { triggerNodes, openCreates, testRuns } = runtime;
	const end = await open.end;
	await triggerNodes.exclusively(ctx, base, async (signal) => {
		// If the create is closed, another change has taken its outcome, or a list has shown its result.
		if (!openCreates.has(open)) return;
		// There may be a webhook all the same: the create stays open, and the next list tells.
		if (!end.ok && mayBeDone(end.error)) {
			await unregisterEndedTestRun(ctx, runtime, { base, client }, signal);
			return;
		}
		openCreates.close(open);
		if (!end.ok) return;
		// If the service has returned a webhook that existed before in place of a new one, the next check deals with it (D7).
		const own = triggerNodes.known(ctx)?.webhooks ?? [];
		const registeredIds = idsRegisteredBy(ctx, runtime, own, open.desired.serviceId);
		if (!mayBeResultOf(open, end.value, registeredIds)) return;
		// The webhook of a test run is needed until n8n no longer listens.
		const stays = testRuns.isBaseOf(ctx, base)
			? testRuns.hasWebhooksAt(ctx, base)
			: await registerOrLeave(ctx, runtime, { base, open, webhook: end.value }, signal);
		if (!stays) await remove(ctx, runtime, client, end.value);
	});
}

/**
 * After a test run, no other change would list the webhooks: so they are listed and removed now, unless n8n listens, in this
 * process or in another one.
 */
async function unregisterEndedTestRun(
	ctx: Context,
	runtime: Runtime,
	{ base, client }: { base: WebhookBase; client: Client },
	signal: AbortSignal,
): Promise<void> {
	const { testRuns } = runtime;
	if (!testRuns.isBaseOf(ctx, base) || testRuns.hasWebhooksAt(ctx, base)) return;
	if (await hasListener(ctx, base, signal)) return;
	await unregisterTestRun(ctx, runtime, { base, webhooks: [] }, client);
}

/**
 * Makes the webhook one of the node's if the node desires it, or leaves it to another main process that may run the node.
 * @returns whether the webhook stays
 */
async function registerOrLeave(
	ctx: Context,
	{ triggerNodes }: Runtime,
	{ base, open, webhook }: { base: WebhookBase; open: OpenCreate; webhook: Webhook },
	signal: AbortSignal,
): Promise<boolean> {
	const node = triggerNodes.known(ctx);
	const state = triggerNodes.stateOf(ctx);
	// After a failed activation, n8n may try again at once, and the webhook waits for that (D65).
	const mayRunAgain = isActive(state) || state === 'leaving';
	if (node && mayRunAgain && isDesired(open, node)) {
		triggerNodes.update(ctx, { webhooks: [...node.webhooks, registeredAs(open, webhook)] });
		return true;
	}
	// n8n may have called `delete` in another main process, whose removal does not know of this create.
	return state === 'ended' && !(await isListenerLost(ctx, base, signal));
}

/** Whether the webhook of a create has the secret of the node's current API key, and is at the current service. */
const isDesired = (open: OpenCreate, { desired }: TriggerNode): boolean =>
	desired === 'notRead' || desired.some((one) => isSameAtService(one, open.desired));

/** Removes the webhook, which nobody needs any more. */
async function remove(
	ctx: Context,
	runtime: Runtime,
	client: Client,
	webhook: Webhook,
): Promise<void> {
	const removals = new Removals(ctx, runtime, client);
	await removals.removeAll([webhook]);
	for (const { message } of removals.errors.values()) {
		ctx.logger.warn(
			`The webhook ${webhook._id} of "${ctx.getNode().name}" was created when the trigger no longer needed it, and could not be removed: ${message}. The next check or activation of a trigger with the same API key removes it.`,
			{ workflowId: ctx.getWorkflow().id },
		);
	}
}

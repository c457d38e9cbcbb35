/**
 * n8n calls `delete`, and does not say whether the workflow ends or a change of it is published (D103). So the webhooks are
 * removed in the background, a moment later, unless n8n has called `create` by then.
 */
import type { IHookFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { createClient, type Client } from '../../api/client';
import { ITEM } from '../../api/policy';
import { asLeaving, type RegisteredWebhook } from '../../domain/registration';
import type { WebhookBase } from '../../domain/triggerUrl';
import { allWebhooksOf, nodeKey } from '../../runtime/triggerNodes';
import type { Runtime } from '../../runtime/runtime';
import { settle } from '../../utils/settle';
import { writeRegistration } from '../staticData';
import { removeOfEarlierCredentials } from './credentialChange';
import { unregister } from './unregister';
import { readNodeBefore, type NodeBefore } from './nodeBefore';
import { hasListener } from './listenerCheck';
import { baseOf } from './base';

/** What is to be removed of a node for which n8n has called `delete`. */
type Removal = {
	base: WebhookBase;
	/** The webhooks that were registered until then. */
	webhooks: readonly RegisteredWebhook[];
	client: Client;
	/**
	 * Whether the node was live in this process until then. If not, another main process may run it now, or n8n has ended its
	 * `trigger()` a moment before, as n8n 2 may do.
	 */
	wasLive: boolean;
	/** Whether it is still to be done: n8n has called neither `create` nor `delete` since. */
	isPending: () => boolean;
};

/** How long the removal waits for a `create`, in milliseconds. While a change is published, `create` follows at once. */
const GRACE_MS = 2_000;

/** How long the removal waits before it lists the webhooks again, to find the result of an open create, in ms (D81). */
const LIST_AGAIN_MS = 60_000;

/**
 * Notes that the node is no longer active, and has its webhooks removed in the background, unless n8n calls `create` by
 * then. Never throws: n8n would go on listening at the base.
 * @param url the base that n8n gives the node now; undefined when it gives none
 */
export async function deactivate(
	ctx: IHookFunctions,
	runtime: Runtime,
	url: WebhookBase | undefined,
): Promise<void> {
	const { triggerNodes } = runtime;
	const before = readNodeBefore(ctx, runtime);
	const { webhooks } = before;
	// What the node was registered with comes first. It is empty if n8n gave the node no URL then.
	const registeredBase = before.node?.base === '' ? undefined : before.node?.base;
	const base = registeredBase ?? url ?? baseOf(webhooks);
	triggerNodes.cancel(ctx, base);
	const wasLive = triggerNodes.live(ctx) !== undefined;
	// If n8n is killed before it has called `create` again, the next process reports the lost events.
	const { lost } = before.node?.health ?? before.stored;
	const stored = { webhooks: storedAtEnd(before), lost };
	writeRegistration(ctx, ctx.getWorkflowStaticData('node'), stored);
	// If n8n has called `delete` before, and a `create` has failed before it made the node active, the node may have another
	// credential than when its webhooks were registered.
	const client = before.clientBefore ?? createClient(ctx, runtime, { policy: ITEM });
	let removal: Removal = {
		base,
		webhooks,
		client,
		wasLive,
		isPending: triggerNodes.leave(ctx, client),
	};

	// The credential is read now, because n8n evaluates its expressions only until this function returns.
	const isRead = (await settle(client.connect())).ok;
	if (!removal.isPending()) return;
	if (!isRead) {
		// A new client tries to read it once more when the removal begins.
		const later = createClient(ctx, runtime, { policy: ITEM });
		removal = { ...removal, client: later, isPending: triggerNodes.leave(ctx, later) };
	}
	void removeLater(ctx, runtime, removal);
}

/** What static data has of a node whose webhooks are to be removed, in case n8n is killed before that. */
function storedAtEnd(before: NodeBefore): RegisteredWebhook[] {
	// The activation has failed. n8n 2 calls the next attempt an update, and stored webhooks would mean that the workflow was
	// active before.
	if (before.node?.wasActivated === false) return [];
	return allWebhooksOf(before).map(asLeaving);
}

/** Removes the webhooks of a node that has not become active again. Never throws. */
async function removeLater(ctx: IHookFunctions, runtime: Runtime, removal: Removal): Promise<void> {
	// While n8n publishes a change, it calls `create` only once the `trigger()` has ended, which waits for open batches.
	await runtime.batches.close(nodeKey(ctx));
	await sleep(GRACE_MS);
	let isOver = await removeUnlessActive(ctx, runtime, removal, { isFirstAttempt: true });
	while (!isOver) {
		await sleep(LIST_AGAIN_MS);
		isOver = await removeUnlessActive(ctx, runtime, removal, { isFirstAttempt: false });
	}
}

/**
 * Removes the webhooks of a node, unless it is active again, in this process or in another one.
 * @param options.isFirstAttempt whether no other attempt has been made
 * @returns whether the removal is over: false if there is to be another attempt
 */
async function removeUnlessActive(
	ctx: IHookFunctions,
	runtime: Runtime,
	removal: Removal,
	{ isFirstAttempt }: { isFirstAttempt: boolean },
): Promise<boolean> {
	const { triggerNodes } = runtime;
	const { base, wasLive } = removal;
	return await triggerNodes.exclusively(ctx, base, async (signal) => {
		if (!removal.isPending()) return true;
		triggerNodes.beginRemoval(ctx);

		// This process has run the node until a moment ago, so no other one runs it.
		if (wasLive && isFirstAttempt) return await removeRegistered(ctx, runtime, removal, signal);

		// If n8n listens at the base, another main process may run it. A list cannot tell which webhooks are that
		// process's, and its checks remove the results of this one's creates.
		const mayRunElsewhere = await hasListener(ctx, base, signal);
		if (!mayRunElsewhere) return await removeRegistered(ctx, runtime, removal, signal);

		// n8n stops listening only once it has called `delete` of all triggers, which may take long: the next attempt tells.
		if (isFirstAttempt) return false;
		triggerNodes.forget(ctx);
		return true;
	});
}

/** Removes all webhooks of the node. @returns whether the removal is over: false while a create is still open */
async function removeRegistered(
	ctx: IHookFunctions,
	runtime: Runtime,
	removal: Removal,
	signal: AbortSignal,
): Promise<boolean> {
	const { triggerNodes, openCreates } = runtime;
	const { base, client } = removal;
	// Beside the others, because either service may hang.
	const ofEarlierCredentials = removeOfEarlierCredentials(ctx, runtime, signal);
	// A create that has ended since may have added a webhook. A process that has never known the node has only those of `removal`.
	const webhooks = triggerNodes.known(ctx)?.webhooks ?? removal.webhooks;
	const node = { base, webhooks };
	const { remaining, error } = await unregister(ctx, runtime, node, client.cancelledBy(signal));
	await ofEarlierCredentials;
	const remainingIds = new Set(remaining.map(({ id }) => id));
	if (!removal.isPending()) {
		// A change was published meanwhile. The node must not find webhooks lost that this removal has removed.
		const removed = new Set(webhooks.map(({ id }) => id).filter((id) => !remainingIds.has(id)));
		const current = triggerNodes.known(ctx)?.webhooks ?? [];
		triggerNodes.update(ctx, { webhooks: current.filter(({ id }) => !removed.has(id)) });
		return true;
	}
	triggerNodes.update(ctx, { webhooks: remaining });
	// If the webhooks could not be listed, expired creates are still open.
	openCreates.closeExpired();
	if (openCreates.of(ctx, base).length > 0) return false;
	if (!error || remaining.length === 0) {
		triggerNodes.forget(ctx);
		return true;
	}
	runtime.leftBehind.add(remaining);
	ctx.logger.warn(
		`The webhooks of "${ctx.getNode().name}" could not be removed after the workflow was deactivated: ${error.message}. They stay at the service: ${[...remainingIds].join(', ')}. The next check or activation of a trigger with the same API key removes them; or use the operation 'Delete'.`,
		{ workflowId: ctx.getWorkflow().id },
	);
	return true;
}

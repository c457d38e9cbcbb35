/** What happens to a node's webhooks when it has another credential than when they were registered (D103). */
import type { IHookFunctions } from 'n8n-workflow';

import { createClient } from '../../api/client';
import type { RegisteredWebhook } from '../../domain/registration';
import { webhooksOfEarlierCredentials, type EarlierCredential } from '../../runtime/activeNodes';
import type { Runtime } from '../../runtime/runtime';
import { settle } from '../../utils/settle';
import type { Context } from './context';
import type { NodeBefore } from './nodeBefore';
import { Removals } from './removals';

/**
 * Sets aside the webhooks of a node that has another credential now than when n8n called `delete`: its key may be that of
 * another team, whose list does not show them. Until all desired webhooks exist, they stay, and their deliveries are
 * accepted.
 */
export async function setAsideEarlierCredential(
	ctx: IHookFunctions,
	runtime: Runtime,
	{ leaving }: NodeBefore,
): Promise<void> {
	const { activeNodes } = runtime;
	if (!leaving) return;
	const idBefore = await settle(leaving.client.accountId());
	const id = await settle(createClient(ctx, runtime).accountId());
	if (!idBefore.ok || !id.ok || idBefore.value === id.value) return;
	const node = activeNodes.known(ctx);
	if (!node) return;
	// Not the webhooks that were known at the beginning: a change that was cancelled may have created others since.
	const { webhooks, earlierCredentials } = node;
	// The user may have gone back to an earlier credential, because the other one does not work.
	const same = await ofAccount(earlierCredentials, id.value);
	const others = earlierCredentials.filter((other) => other !== same);
	const before = { client: leaving.client, webhooks, isRemoving: false };
	activeNodes.update(ctx, {
		webhooks: same?.webhooks ?? [],
		desired: [],
		earlierCredentials: [...others, before],
	});
}

/** The webhooks of earlier credentials that are not being removed. */
export const stayingWebhooks = (
	credentials: readonly EarlierCredential[],
): readonly RegisteredWebhook[] =>
	webhooksOfEarlierCredentials(credentials.filter(({ isRemoving }) => !isRemoving));

/** The one of several credentials that is of an account, and whose webhooks are not being removed. */
async function ofAccount(
	credentials: readonly EarlierCredential[],
	accountId: string,
): Promise<EarlierCredential | undefined> {
	for (const earlier of credentials) {
		const found = await settle(earlier.client.accountId());
		if (found.ok && found.value === accountId && !earlier.isRemoving) return earlier;
	}
	return undefined;
}

/**
 * Removes the webhooks of earlier credentials, because all desired webhooks exist, or the node is no longer active. Never
 * throws.
 * @param signal cancels the removal, and the webhooks stay with the node
 */
export async function removeOfEarlierCredentials(
	ctx: Context,
	runtime: Runtime,
	signal?: AbortSignal,
): Promise<void> {
	const { earlierCredentials = [] } = runtime.activeNodes.known(ctx) ?? {};
	const remaining = earlierCredentials.filter(({ isRemoving }) => !isRemoving);
	await Promise.all(
		remaining.map(async (earlier) => await removeWith(ctx, runtime, earlier, signal)),
	);
}

/** Removes webhooks with the credential that registered them, and logs those that cannot be removed. Never throws. */
async function removeWith(
	ctx: Context,
	{ activeNodes, leftBehind }: Runtime,
	earlier: EarlierCredential,
	signal: AbortSignal | undefined,
): Promise<void> {
	earlier.isRemoving = true;
	// If the node has this credential again, its webhooks are desired again.
	const { desired = [] } = activeNodes.known(ctx) ?? {};
	const desiredDigests = new Set(desired.map(({ digest }) => digest));
	const others = earlier.webhooks.filter(({ digest }) => !desiredDigests.has(digest));
	const removals = new Removals(earlier.client.cancelledBy(signal), leftBehind);
	await removals.removeAll(others.map(({ id: _id, targetUrl }) => ({ _id, targetUrl })));
	if (signal?.aborted) {
		// If the node has this credential again, it must not find webhooks lost that this removal has removed.
		earlier.webhooks = earlier.webhooks.filter(({ id }) => !removals.done.has(id));
		earlier.isRemoving = false;
		return;
	}
	// Until now, this process has accepted their deliveries.
	const { earlierCredentials = [] } = activeNodes.known(ctx) ?? {};
	activeNodes.update(ctx, {
		earlierCredentials: earlierCredentials.filter((other) => other !== earlier),
	});
	const [error] = removals.errors.values();
	if (!error) return;
	ctx.logger.warn(
		`The webhooks of "${ctx.getNode().name}" could not be removed with the earlier credential: ${error.message}. They stay at the service: ${[...removals.errors.keys()].join(', ')}. Delete them with that credential.`,
		{ workflowId: ctx.getWorkflow().id },
	);
}

/** What happens to a node's webhooks when it has another credential than when they were registered (D103). */
import type { IHookFunctions } from 'n8n-workflow';

import { createClient } from '../../api/client';
import type { EarlierAccount } from '../../runtime/activeNodes';
import type { Runtime } from '../../runtime/runtime';
import { settle } from '../../utils/settle';
import type { Context } from './context';
import type { Earlier } from './earlier';
import { Removals } from './removals';

/**
 * Sets aside the webhooks of a node that has another credential now than when n8n called `delete`: its key may be that of
 * another team, whose list does not show them. Until all desired webhooks exist, they stay, and their deliveries are
 * accepted.
 */
export async function setAsideOtherAccount(
	ctx: IHookFunctions,
	runtime: Runtime,
	{ departure }: Earlier,
): Promise<void> {
	const { activeNodes } = runtime;
	if (!departure) return;
	const before = await settle(departure.client.account());
	const now = await settle(createClient(ctx, runtime).account());
	if (!before.ok || !now.ok || before.value === now.value) return;
	const { node } = activeNodes.entryOf(ctx) ?? {};
	if (!node) return;
	// Not the webhooks that were known at the beginning: a change that was cancelled may have created others since.
	const { webhooks, earlierAccounts } = node;
	const earlier = { client: departure.client, webhooks, isRemoving: false };
	activeNodes.update(ctx, {
		webhooks: [],
		desired: [],
		service: undefined,
		earlierAccounts: [...earlierAccounts, earlier],
	});
}

/**
 * Begins to remove the webhooks of earlier credentials, in the background: all desired webhooks exist, or the node is no
 * longer active. Never throws.
 */
export function removeOfEarlierAccounts(ctx: Context, runtime: Runtime): void {
	const { earlierAccounts = [] } = runtime.activeNodes.entryOf(ctx)?.node ?? {};
	for (const account of earlierAccounts) {
		if (account.isRemoving) continue;
		account.isRemoving = true;
		void removeAtAccount(ctx, runtime, account);
	}
}

/** Removes webhooks with the credential that registered them, and logs those that cannot be removed. Never throws. */
async function removeAtAccount(
	ctx: Context,
	{ activeNodes, leftBehind }: Runtime,
	account: EarlierAccount,
): Promise<void> {
	// If the node has its earlier credential again, it may have kept some of them.
	const { webhooks = [] } = activeNodes.entryOf(ctx)?.node ?? {};
	const inForce = new Set(webhooks.map(({ id }) => id));
	const others = account.webhooks.filter(({ id }) => !inForce.has(id));
	const removals = new Removals(account.client, leftBehind);
	await removals.removeAll(others.map(({ id: _id, targetUrl }) => ({ _id, targetUrl })));
	// Only now, their deliveries are no longer accepted.
	const { earlierAccounts = [] } = activeNodes.entryOf(ctx)?.node ?? {};
	activeNodes.update(ctx, {
		earlierAccounts: earlierAccounts.filter((other) => other !== account),
	});
	const [failure] = removals.failures.values();
	if (!failure) return;
	ctx.logger.warn(
		`The webhooks of "${ctx.getNode().name}" could not be removed with the earlier credential: ${failure.message}. They stay at the service: ${[...removals.failures.keys()].join(', ')}. Delete them with that credential.`,
		{ workflowId: ctx.getWorkflow().id },
	);
}

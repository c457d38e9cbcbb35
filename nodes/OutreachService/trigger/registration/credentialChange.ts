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
	const accountBefore = await settle(departure.client.account());
	const account = await settle(createClient(ctx, runtime).account());
	if (!accountBefore.ok || !account.ok || accountBefore.value === account.value) return;
	const { node } = activeNodes.entryOf(ctx) ?? {};
	if (!node) return;
	// Not the webhooks that were known at the beginning: a change that was cancelled may have created others since.
	const { webhooks, service, earlierAccounts } = node;
	// The user may have gone back to an earlier credential, because the other one does not work.
	const same = await accountIn(earlierAccounts, account.value);
	const others = earlierAccounts.filter((other) => other !== same);
	const before = { client: departure.client, webhooks, service, isRemoving: false };
	activeNodes.update(ctx, {
		webhooks: same?.webhooks ?? [],
		desired: [],
		service: same?.service,
		earlierAccounts: [...others, before],
	});
}

/** The one of several accounts that has an ID and whose webhooks are not being removed. @param id see `Client.account` */
async function accountIn(
	accounts: readonly EarlierAccount[],
	id: string,
): Promise<EarlierAccount | undefined> {
	for (const account of accounts) {
		const found = await settle(account.client.account());
		if (found.ok && found.value === id && !account.isRemoving) return account;
	}
	return undefined;
}

/**
 * Removes the webhooks of earlier credentials, because all desired webhooks exist, or the node is no longer active. Never
 * throws.
 * @param signal cancels the removal, and the webhooks stay with the node
 */
export async function removeOfEarlierAccounts(
	ctx: Context,
	runtime: Runtime,
	signal?: AbortSignal,
): Promise<void> {
	const { earlierAccounts = [] } = runtime.activeNodes.entryOf(ctx)?.node ?? {};
	const remaining = earlierAccounts.filter(({ isRemoving }) => !isRemoving);
	await Promise.all(
		remaining.map(async (account) => await removeAtAccount(ctx, runtime, account, signal)),
	);
}

/** Removes webhooks with the credential that registered them, and logs those that cannot be removed. Never throws. */
async function removeAtAccount(
	ctx: Context,
	{ activeNodes, leftBehind }: Runtime,
	account: EarlierAccount,
	signal: AbortSignal | undefined,
): Promise<void> {
	account.isRemoving = true;
	// If the node has this credential again, its webhooks are desired again.
	const { desired = [] } = activeNodes.entryOf(ctx)?.node ?? {};
	const desiredDigests = new Set(desired.map(({ digest }) => digest));
	const others = account.webhooks.filter(({ digest }) => !desiredDigests.has(digest));
	const removals = new Removals(account.client.cancelledBy(signal), leftBehind);
	await removals.removeAll(others.map(({ id: _id, targetUrl }) => ({ _id, targetUrl })));
	if (signal?.aborted) {
		account.isRemoving = false;
		return;
	}
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

/** What happens to a node's webhooks when it has another credential than when they were registered (D103). */
import type { IHookFunctions } from 'n8n-workflow';

import { createClient, type Client } from '../../api/client';
import type { RegisteredWebhook } from '../../domain/registration';
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
	{ departure, webhooks }: Earlier,
): Promise<void> {
	const { activeNodes } = runtime;
	if (!departure) return;
	const accountBefore = await settle(departure.client.account());
	const account = await settle(createClient(ctx, runtime).account());
	if (!accountBefore.ok || !account.ok || accountBefore.value === account.value) return;
	const { earlierAccounts = [] } = activeNodes.entryOf(ctx)?.node ?? {};
	activeNodes.update(ctx, {
		webhooks: [],
		service: undefined,
		earlierAccounts: [...earlierAccounts, { client: departure.client, webhooks }],
	});
}

/**
 * Removes, in the background, the webhooks of earlier credentials, once: all desired webhooks exist, or the node is no
 * longer active. Never throws.
 */
export function removeOfEarlierAccounts(ctx: Context, { activeNodes }: Runtime): void {
	const { earlierAccounts = [], webhooks = [] } = activeNodes.entryOf(ctx)?.node ?? {};
	if (earlierAccounts.length === 0) return;
	// The service may have sent deliveries just now: they are accepted until the next minute's check.
	const remaining = earlierAccounts.filter(({ client }) => client !== undefined);
	const accepted = remaining.map((account) => ({ ...account, client: undefined }));
	activeNodes.update(ctx, { earlierAccounts: accepted });
	if (accepted.length > 0) activeNodes.update(ctx, { isUnfinished: true });
	// If the node has its earlier credential again, it may have kept these webhooks.
	const inForce = new Set(webhooks.map(({ id }) => id));
	for (const { client, webhooks: earlier } of remaining) {
		const others = earlier.filter(({ id }) => !inForce.has(id));
		if (client) void removeWith(client, ctx, activeNodes, others);
	}
}

/** Removes webhooks with the credential that registered them, and logs those that cannot be removed. Never throws. */
async function removeWith(
	client: Client,
	ctx: Context,
	activeNodes: Runtime['activeNodes'],
	webhooks: readonly RegisteredWebhook[],
): Promise<void> {
	const removals = new Removals(client, activeNodes);
	await removals.removeAll(webhooks.map(({ id: _id, targetUrl }) => ({ _id, targetUrl })));
	const [failure] = removals.failures.values();
	if (!failure) return;
	ctx.logger.warn(
		`The webhooks of "${ctx.getNode().name}" could not be removed with the earlier credential: ${failure.message}. They stay at the service: ${[...removals.failures.keys()].join(', ')}. Delete them with that credential.`,
		{ workflowId: ctx.getWorkflow().id },
	);
}

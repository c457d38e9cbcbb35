/** What happens to a node's webhooks when it has another credential than when they were registered. */
import type { IHookFunctions } from 'n8n-workflow';

import { createClient } from '../../api/client';
import type { RegisteredWebhook } from '../../domain/registration';
import type { Departure } from '../../runtime/activeNodes';
import type { Runtime } from '../../runtime/runtime';
import { settle } from '../../utils/settle';
import type { Earlier } from './earlier';
import { Removals } from './removals';

/**
 * Gives up the webhooks of a node that has another credential now than when n8n called `delete`: its key may be that of
 * another team, whose list does not show them.
 * @returns a function that removes them, with the credential that registered them
 */
export async function giveUpOtherAccount(
	ctx: IHookFunctions,
	runtime: Runtime,
	{ departure, webhooks }: Earlier,
): Promise<() => void> {
	const nothing = (): void => undefined;
	if (!departure) return nothing;
	const accountBefore = await settle(departure.client.account());
	const account = await settle(createClient(ctx, runtime).account());
	if (!accountBefore.ok || !account.ok || accountBefore.value === account.value) return nothing;
	runtime.activeNodes.update(ctx, { webhooks: [], service: undefined });
	return () => void removeAtOtherAccount(ctx, runtime, departure, webhooks);
}

/** Removes webhooks with the credential that registered them, and logs those that cannot be removed. Never throws. */
async function removeAtOtherAccount(
	ctx: IHookFunctions,
	runtime: Runtime,
	{ client }: Departure,
	webhooks: readonly RegisteredWebhook[],
): Promise<void> {
	const removals = new Removals(client, runtime.activeNodes);
	await removals.removeAll(webhooks.map(({ id: _id, targetUrl }) => ({ _id, targetUrl })));
	const [failure] = removals.failures.values();
	if (!failure) return;
	ctx.logger.warn(
		`The webhooks of "${ctx.getNode().name}" could not be removed with the earlier credential: ${failure.message}. They stay at the service: ${[...removals.failures.keys()].join(', ')}. Delete them with that credential.`,
		{ workflowId: ctx.getWorkflow().id },
	);
}

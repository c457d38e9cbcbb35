/** What happens to a node's webhooks when it has another credential than when they were registered. */
import type { IHookFunctions } from 'n8n-workflow';

import { createClient } from '../../api/client';
import type { RegisteredWebhook } from '../../domain/registration';
import type { Departure } from '../../runtime/activeNodes';
import type { Runtime } from '../../runtime/runtime';
import { settle } from '../../utils/settle';
import type { Registered } from './earlier';
import { Removals } from './removals';

/** The webhooks that are registered with the credential that a node has now, and a function that removes all others. */
type TakenOver = Registered & { removeRest: () => void };

/**
 * Takes over the webhooks that were registered before `delete`. If the node has another credential now, it gives them up,
 * because the key may be that of another team, whose list does not show them. They are then removed with the credential
 * that registered them.
 */
export async function takeOver(
	ctx: IHookFunctions,
	runtime: Runtime,
	before: Registered,
): Promise<TakenOver> {
	const { webhooks, service } = before;
	const kept: TakenOver = { webhooks, service, removeRest: () => undefined };
	const departure = runtime.activeNodes.departure(ctx);
	if (!departure) return kept;
	const accountBefore = await settle(departure.client.account());
	const account = await settle(createClient(ctx, runtime).account());
	if (!accountBefore.ok || !account.ok || accountBefore.value === account.value) return kept;
	return {
		webhooks: [],
		service: undefined,
		removeRest: () => void removeAtEarlierAccount(ctx, runtime, departure, webhooks),
	};
}

/** Removes webhooks with the credential that registered them, and logs those that cannot be removed. Never throws. */
async function removeAtEarlierAccount(
	ctx: IHookFunctions,
	runtime: Runtime,
	{ client }: Departure,
	webhooks: readonly RegisteredWebhook[],
): Promise<void> {
	const removals = new Removals(client, runtime.activeNodes);
	await removals.send(webhooks);
	const [failure] = removals.failures.values();
	if (!failure) return;
	ctx.logger.warn(
		`The webhooks of "${ctx.getNode().name}" could not be removed with the earlier credential: ${failure.message}. They stay at the service: ${[...removals.failures.keys()].join(', ')}. Delete them with that credential.`,
		{ workflowId: ctx.getWorkflow().id },
	);
}

/** What happens to a node's webhooks when it has another credential than before (D103). */
import type { IHookFunctions } from 'n8n-workflow';

import { createClient } from '../../api/client';
import { asListed, isSameAtService } from '../../domain/registration';
import {
	knownDesired,
	registrationKey,
	webhooksOfEarlierCredentials,
	type EarlierCredential,
} from '../../runtime/triggerNodes';
import type { Runtime } from '../../runtime/runtime';
import { settle } from '../../utils/settle';
import type { Context } from './context';
import type { SelectedWebhook } from './desired';
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
	{ clientBefore }: NodeBefore,
): Promise<void> {
	const { triggerNodes } = runtime;
	if (!clientBefore) return;
	const idBefore = await settle(clientBefore.accountId());
	const id = await settle(createClient(ctx, runtime).accountId());
	if (!idBefore.ok || !id.ok || idBefore.value === id.value) return;
	const node = triggerNodes.known(ctx);
	if (!node) return;
	// Not the webhooks that were known at the beginning: a change that was cancelled may have created others since.
	const { webhooks, earlierCredentials } = node;
	// The user may have gone back to an earlier credential, because the other one does not work.
	const same = await ofAccount(earlierCredentials, id.value);
	const others = earlierCredentials.filter((other) => other !== same);
	triggerNodes.update(ctx, {
		webhooks: same?.webhooks ?? [],
		// The next change reads what the new credential desires. Until then, only the deliveries of earlier credentials are accepted.
		desired: [],
		earlierCredentials: [...others, { client: clientBefore, webhooks }],
	});
}

/** The one of several credentials that is of an account. */
async function ofAccount(
	credentials: readonly EarlierCredential[],
	accountId: string,
): Promise<EarlierCredential | undefined> {
	for (const earlier of credentials) {
		const found = await settle(earlier.client.accountId());
		if (found.ok && found.value === accountId) return earlier;
	}
	return undefined;
}

/** Those of the missing webhooks whose events no webhook of an earlier credential delivers. */
export function withoutServed(
	missing: readonly SelectedWebhook[],
	ctx: Context,
	{ triggerNodes }: Runtime,
): SelectedWebhook[] {
	const earlier = webhooksOfEarlierCredentials(triggerNodes.known(ctx)?.earlierCredentials);
	const servedUrls = new Set(earlier.map(({ targetUrl }) => targetUrl));
	return missing.filter(({ targetUrl }) => !servedUrls.has(targetUrl));
}

/**
 * Has the webhooks of earlier credentials removed, because all desired webhooks exist. From now on, they are not the node's any
 * more, although their deliveries are accepted for another minute. Nothing waits for their removal: neither n8n nor a check may
 * have to wait for another service.
 */
export function dropEarlierCredentials(ctx: Context, runtime: Runtime): void {
	const { triggerNodes, removedWebhooks } = runtime;
	const node = triggerNodes.known(ctx);
	if (!node) return;
	const { base, earlierCredentials } = node;
	triggerNodes.update(ctx, { earlierCredentials: [] });
	removedWebhooks.add(registrationKey(ctx, base), webhooksOfEarlierCredentials(earlierCredentials));
	void removeAllOf(earlierCredentials, ctx, runtime);
}

/**
 * Removes the webhooks of earlier credentials, because the node is no longer active. Never throws.
 *
 * If the current key is of the same team, its removal may remove webhooks of which this one has logged that they stay. This does
 * not wait for that removal: its service may hang, and two services may have the same IDs.
 * @param signal of the removal; if it is aborted, the webhooks that still exist stay with the node
 */
export async function removeOfEarlierCredentials(
	ctx: Context,
	runtime: Runtime,
	signal: AbortSignal,
): Promise<void> {
	const { earlierCredentials = [] } = runtime.triggerNodes.known(ctx) ?? {};
	await removeAllOf(earlierCredentials, ctx, runtime, signal);
	if (!signal.aborted) runtime.triggerNodes.update(ctx, { earlierCredentials: [] });
}

/**
 * Removes webhooks with the credentials that registered them. Those that cannot be removed are left behind, and named in n8n's
 * log. Never throws.
 */
async function removeAllOf(
	credentials: readonly EarlierCredential[],
	ctx: Context,
	runtime: Runtime,
	signal?: AbortSignal,
): Promise<void> {
	// If the node has one of these credentials again, its webhooks are desired again.
	const desired = knownDesired(runtime.triggerNodes.known(ctx));
	await Promise.all(
		credentials.map(async ({ client, webhooks }) => {
			const removals = new Removals(ctx, runtime, client.cancelledBy(signal));
			const others = webhooks.filter(
				(webhook) => !desired.some((one) => isSameAtService(one, webhook)),
			);
			await removals.removeAll(others.map(asListed));
			if (signal?.aborted !== true) logErrors(ctx, removals.errors);
		}),
	);
}

/** Logs why webhooks could not be removed. @param errors by the IDs of the webhooks */
function logErrors(ctx: Context, errors: ReadonlyMap<string, Error>): void {
	const [error] = errors.values();
	if (!error) return;
	ctx.logger.warn(
		`The webhooks of "${ctx.getNode().name}" could not be removed with the earlier credential: ${error.message}. They stay at the service: ${[...errors.keys()].join(', ')}. Delete them with that credential.`,
		{ workflowId: ctx.getWorkflow().id },
	);
}

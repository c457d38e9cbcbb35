/** Makes the service have exactly the desired webhooks of a node. */
import { createClient, type Client } from '../../api/client';
import type { RegisteredWebhook } from '../../domain/registration';
import { normalizeUrl } from '../../domain/targetUrl';
import type { Webhook } from '../../domain/webhook';
import type { Selection } from '../../parameters/selection';
import type { TriggerNode } from '../../runtime/triggerNodes';
import type { Runtime } from '../../runtime/runtime';
import { settle } from '../../utils/settle';
import { nothingDone, resultOf, type ChangeResult } from './changeResult';
import type { Context } from './context';
import { Creates } from './creates';
import { desiredWebhooks, selectedWebhooks } from './desired';
import type { Occasion } from './occasions';
import { warnOfOtherN8n } from './ownership';
import { keptIn, planRegistration, type Plan } from './plan';
import { Removals } from './removals';
import { findSituation } from './situation';
import { isUnneeded } from './unneeded';

/** What a change needs to know of its node. */
type NodeToChange = Pick<TriggerNode, 'base' | 'webhooks'> & { selection: Selection };

/**
 * Makes the service have exactly the desired webhooks (§4.1–4.3): creates before it removes, so that no event falls
 * into a gap. Never throws.
 *
 * The service may refuse a create because it has no room for another webhook, or because the target URL is taken. Then, except
 * at a start, the webhooks in the way are removed, and if any of them is gone now, the create is sent once more. Apart from
 * that, while a desired webhook is missing, only webhooks that have been replaced are removed.
 * @param signal cancels the change, except a create that was sent
 * @returns the result; the error of its `failure` is a RequestError, a NodeOperationError when the service cannot reach this n8n,
 *   or n8n's own error when it gives no credential
 */
export async function reconcile(
	ctx: Context,
	runtime: Runtime,
	node: NodeToChange,
	occasion: Occasion,
	signal?: AbortSignal,
): Promise<ChangeResult> {
	const client = createClient(ctx, runtime, { policy: occasion.policy, signal });
	const outcome = await settle(changeWebhooks(ctx, runtime, node, occasion, client));
	if (outcome.ok) return outcome.value;
	return nothingDone(node, selectedWebhooks(node.selection, node.base), outcome.error);
}

/** As {@link reconcile}. @throws RequestError, NodeOperationError when nothing was done */
async function changeWebhooks(
	ctx: Context,
	runtime: Runtime,
	node: NodeToChange,
	occasion: Occasion,
	client: Client,
): Promise<ChangeResult> {
	const { base, selection } = node;
	const { triggerNodes, openCreates, testRuns } = runtime;
	const desired = await desiredWebhooks(ctx, base, selection, client);
	// From now on, deliveries with these secrets are accepted: a webhook may deliver before the response to its create
	// arrives (D81). The webhooks of a test run are not those of the active node.
	if (!testRuns.isBaseOf(ctx, base)) triggerNodes.update(ctx, { desired });

	const situation = await findSituation(ctx, runtime, node, client, { isRemoval: false });
	const plan = planRegistration(desired, situation);
	warnOfOtherN8n(ctx, runtime, base, plan.ofOtherN8n);
	const removals = new Removals(ctx, runtime, client, { base, ...situation });
	const creates = new Creates({
		ctx,
		runtime,
		base,
		client,
		occasion,
		situation,
		removals,
	});

	// 1. Missing webhooks are created before any webhook is removed.
	await creates.createAll(plan.decisions.filter(({ kept }) => !kept));

	// 2. Refused creates may succeed once other webhooks are out of the way.
	const refused = plan.decisions.filter(
		(decision) => creates.notMade.get(decision)?.kind === 'refused',
	);
	if (refused.length > 0 && occasion.onRefusal !== 'keepOthers') {
		const removable = removableIn(plan, creates);
		// A person sees whether an activation or a test run works out, and no active workflow relies on any of these yet.
		const inTheWay =
			occasion.onRefusal === 'removeOthers' ? removable : removable.filter(isUnneeded(creates));
		await removals.removeAll(inTheWay);
		if (removals.done.size > 0) await creates.createAll(refused);
	}

	// 3. All other webhooks that are not kept are removed, also those that were left behind by other nodes. While a desired webhook
	// could not be created, only those are removed that have been replaced at their target URL: otherwise each event would be
	// delivered twice.
	const removable = removableIn(plan, creates);
	const isReplaced = atUrlOf([...keptIn(plan), ...creates.made.values()]);
	const areAllCreated = creates.notMade.size === 0;
	await removals.removeAll(areAllCreated ? removable : removable.filter(isReplaced));

	// The outcome of a create may still not be known.
	const isOpen = openCreates.of(ctx, base).length > 0;
	return resultOf({ situation, plan, creates, removals, isOpen });
}

/** The webhooks that may be removed, without those that turned out to be needed: a create has returned them. */
function removableIn(plan: Plan, { made }: Creates): Webhook[] {
	const neededIds = new Set([...made.values()].map(({ id }) => id));
	return plan.remove.filter(({ _id }) => !neededIds.has(_id));
}

/** Tells whether a webhook has the same target URL as one of these. */
function atUrlOf(webhooks: readonly RegisteredWebhook[]): (webhook: Webhook) => boolean {
	const urls = new Set(webhooks.map(({ targetUrl }) => normalizeUrl(targetUrl)));
	return ({ targetUrl }) => urls.has(normalizeUrl(targetUrl));
}

/** What is removed at the base of a node, also after its end or with an earlier credential (D103). */
import { sleep } from 'n8n-workflow';

import type { Client } from '../../api/client';
import { isOutage } from '../../api/errors';
import type { Runtime } from '../../runtime/runtime';
import type { TriggerNode } from '../../runtime/triggerNodes';
import { settle } from '../../utils/settle';
import type { Context } from './base';
import { Leftovers } from './leftovers';
import { hasListener } from './listenerCheck';
import { findAtBase } from './plan';

/** How long the removal waits for a `create`, in milliseconds. While a change is published, `create` follows at once. */
const GRACE_MS = 2_000;

/** How long it pauses before it tries again, in milliseconds. */
const AGAIN_MS = 60_000;

const NONE: ReadonlySet<string> = new Set();

/** Removes the webhooks that this process has created and no list has shown, except some. Never throws. */
export async function removeUnlisted(
	{ known }: TriggerNode,
	client: Client,
	keptIds: ReadonlySet<string>,
): Promise<Map<string, Error>> {
	const errors = new Map<string, Error>();
	for (const id of known.unlistedIds.filter((one) => !keptIds.has(one))) {
		const removal = await settle(client.deleteWebhook(id, { wasListed: false }));
		if (removal.ok) known.forget({ _id: id });
		else errors.set(id, removal.error);
	}
	return errors;
}

/** Removes everything at the base of a node that a credential shows, except some webhooks. @throws the first failure */
async function removeAllAt(
	node: TriggerNode,
	client: Client,
	keptIds: ReadonlySet<string>,
): Promise<void> {
	const { atBase } = findAtBase(node.base, await client.listAgain());
	node.known.noteList(atBase);
	const others = atBase.filter(({ _id }) => !keptIds.has(_id));
	// The node must not find them lost if it comes back.
	for (const webhook of others) node.known.forget(webhook);
	const leftovers = new Leftovers(client, others);
	await leftovers.remove(others);
	const unlisted = await removeUnlisted(node, client, keptIds);
	const [error] = [...leftovers.errors.values(), ...unlisted.values()];
	if (error) throw error;
}

/**
 * Removes what there may be at the base of a node with its earlier credentials: the current one may be of another team, and not see it.
 * What fails for the time being is left to the next change. Never throws.
 * @param accountId of the credential whose webhooks are not meant; that of the latest change if it is left out
 */
export async function clearEarlier(
	ctx: Context,
	node: TriggerNode,
	signal: AbortSignal,
	accountId = [...node.clients.keys()].at(-1),
): Promise<void> {
	const isEnding = node.phase.name === 'ending';
	// An earlier credential may be of the same team, and see a webhook that was just created.
	if (!isEnding && node.known.hasOpenCreate) return;
	const keptIds = isEnding ? NONE : node.known.ids;
	for (const [id, client] of node.clients) {
		if (id === accountId) continue;
		const removal = await settle(removeAllAt(node, client.cancelledBy(signal), keptIds));
		if (signal.aborted) return;
		if (!removal.ok && isOutage(removal.error)) continue;
		node.clients.delete(id);
		if (removal.ok) continue;
		ctx.logger.warn(
			`The webhooks of "${ctx.getNode().name}" could not be removed with the earlier credential: ${removal.error.message}. Delete them with that credential.`,
			{ workflowId: ctx.getWorkflow().id },
		);
	}
}

/**
 * Removes everything at the base of a node for which n8n has called `delete`, unless `create` comes (D103): two seconds later, and
 * again each minute until nothing is left and no create is open. Never throws.
 */
export async function removeLater(
	ctx: Context,
	runtime: Runtime,
	node: TriggerNode,
): Promise<void> {
	const { triggerNodes } = runtime;
	const { phase } = node;
	if (phase.name !== 'ending') return;
	const { client, after } = phase;
	const isPending = (): boolean => node.phase === phase && triggerNodes.holds(node);
	// Otherwise, another main process may run the node now.
	const ranHere = ['activating', 'active'].includes(after);
	// While n8n publishes a change, it calls `create` only once the `trigger()` has ended, which waits for open batches.
	await runtime.batches.close(node.key);
	await sleep(GRACE_MS);
	for (let isFirst = true; isPending(); isFirst = false) {
		if (!isFirst) await sleep(AGAIN_MS);
		await triggerNodes.exclusively(node.base, async (signal) => {
			if (!isPending()) return;
			// A test run listens in one process alone, perhaps for a sample.
			const isAsked = (!ranHere || !isFirst) && !node.isTest;
			if (isAsked && (await hasListener(ctx, node.base, signal))) {
				// n8n stops listening only once it has called `delete` of all triggers, which may take long: the next attempt tells.
				if (!isFirst) triggerNodes.forget(node);
				return;
			}
			const removal = await settle(removeAllAt(node, client.cancelledBy(signal), NONE));
			const accountId = await settle(client.accountId());
			if (removal.ok && accountId.ok) node.clients.delete(accountId.value);
			if (accountId.ok) await clearEarlier(ctx, node, signal, accountId.value);
			// n8n has called `create` meanwhile: if that does not end the removal, the next attempt goes on with it.
			if (signal.aborted || !isPending()) return;
			if (removal.ok) {
				const { hasOpenCreate, unlistedIds } = node.known;
				// A create may have ended during the removal.
				const isNothingLeft = !hasOpenCreate && unlistedIds.length === 0;
				if (isNothingLeft && node.clients.size === 0) triggerNodes.forget(node);
				return;
			}
			runtime.warnOnce(
				ctx,
				`remaining ${node.key} ${node.base}`,
				`The webhooks of "${ctx.getNode().name}" could not be removed after the workflow was deactivated: ${removal.error.message}. n8n tries again each minute while it runs.`,
			);
		});
	}
}

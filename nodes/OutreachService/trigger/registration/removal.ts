/** What is removed after a node has ended, or has got another credential. */
import type { IHookFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import type { Client } from '../../api/client';
import { triggerUrlIn, type WebhookBase } from '../../domain/triggerUrl';
import type { Runtime } from '../../runtime/runtime';
import type { TriggerNode } from '../../runtime/triggerNodes';
import { settle } from '../../utils/settle';
import type { Context } from './base';
import { hasOpenCreate, noteList } from './creates';
import { hasListener } from './listenerCheck';
import { findAtBase } from './plan';
import { Removals } from './removals';

/** How long the removal waits for a `create`, in milliseconds. While a change is published, `create` follows at once. */
const GRACE_MS = 2_000;

/** How long it pauses before it tries again, in milliseconds. */
const AGAIN_MS = 60_000;

/**
 * Removes everything at the base of a node for which n8n has called `delete`, unless `create` comes (D103): two seconds later, and
 * again each minute until nothing is left and no create is open. Never throws.
 * @param client has the credential that the node had
 * @param ranHere whether this process has run the node until then. If not, another main process may run it now.
 */
export async function removeLater(
	ctx: IHookFunctions,
	runtime: Runtime,
	node: TriggerNode,
	client: Client,
	ranHere: boolean,
): Promise<void> {
	const isPending = (): boolean => node.endedWith === client && runtime.triggerNodes.holds(node);
	// While n8n publishes a change, it calls `create` only once the `trigger()` has ended, which waits for open batches.
	await runtime.batches.close(node.key);
	await sleep(GRACE_MS);
	for (let isFirst = true; isPending(); isFirst = false) {
		if (!isFirst) await sleep(AGAIN_MS);
		await runtime.triggerNodes.exclusively(node.base, async (signal) => {
			if (!isPending()) return;
			// A test run listens in one process alone, perhaps for a sample.
			const isAsked = (!ranHere || !isFirst) && !runtime.triggerNodes.isTestRun(node);
			if (isAsked && (await hasListener(ctx, node.base, signal))) {
				// n8n stops listening only once it has called `delete` of all triggers, which may take long: the next attempt tells.
				if (!isFirst) end(runtime, node);
				return;
			}
			const own = await settle(client.accountId());
			if (own.ok) node.clients.delete(own.value);
			void removeOfEarlier(ctx, node.base, [...node.clients.values()]);
			node.clients.clear();
			const outcome = await settle(removeAllAt(node, client.cancelledBy(signal)));
			// n8n has called `create` meanwhile: if that does not end the removal, the next attempt goes on with it.
			if (signal.aborted || !isPending()) return;
			if (outcome.ok && !hasOpenCreate(node)) end(runtime, node);
			else if (!outcome.ok) warnOfRemaining(ctx, runtime, node, outcome.error);
		});
	}
}

function end(runtime: Runtime, node: TriggerNode): void {
	node.endedWith = undefined;
	node.isActivated = false;
	runtime.triggerNodes.forget(node);
}

/** Removes what is at a base, and what this process has made there although no list shows it. @throws the first failure */
async function removeAllAt(node: TriggerNode, client: Client): Promise<void> {
	const { atBase } = findAtBase(node.base, await client.listAgain());
	noteList(node, atBase);
	const removals = new Removals(client);
	await removals.removeAll(atBase);
	for (const [url, { id, isMade, isListed, open }] of node.known) {
		if (id !== undefined && isMade && !isListed) await removals.remove(id, { wasListed: false });
		// If the node comes back, it must not find lost what this has removed.
		if (id === undefined || removals.done.has(id) || isListed) {
			if (!open) node.known.delete(url);
		}
	}
	const [error] = removals.errors.values();
	if (error) throw error;
}

function warnOfRemaining(
	ctx: Context,
	runtime: Runtime,
	node: TriggerNode,
	{ message }: Error,
): void {
	runtime.warnOnce(
		ctx,
		`remaining ${node.key} ${node.base}`,
		`The webhooks of "${ctx.getNode().name}" could not be removed after the workflow was deactivated: ${message}. n8n tries again each minute while it runs.`,
	);
}

/**
 * Removes the webhooks that a node has made with earlier credentials, each with its own: the current one may not see them, because it
 * may be of another team. Nothing waits for it, and it never throws.
 * @param keptIds of the webhooks that stay: the earlier key may be the current one, at another service
 */
export async function removeOfEarlier(
	ctx: Context,
	base: WebhookBase,
	earlier: readonly Client[],
	keptIds: ReadonlySet<string | undefined> = new Set(),
): Promise<void> {
	await Promise.all(
		earlier.map(async (client) => {
			const removal = await settle(removeOfKey(base, client.uncancellable(), keptIds));
			if (removal.ok) return;
			ctx.logger.warn(
				`The webhooks of "${ctx.getNode().name}" could not be removed with the earlier credential: ${removal.error.message}. Delete them with that credential.`,
				{ workflowId: ctx.getWorkflow().id },
			);
		}),
	);
}

async function removeOfKey(
	base: WebhookBase,
	earlier: Client,
	keptIds: ReadonlySet<string | undefined>,
): Promise<void> {
	const { id } = await earlier.webhookKey();
	const { atBase } = findAtBase(base, await earlier.listAgain());
	const removals = new Removals(earlier);
	await removals.removeAll(
		atBase.filter(
			({ _id, targetUrl }) => triggerUrlIn(targetUrl)?.query.keyId === id && !keptIds.has(_id),
		),
	);
	const [error] = removals.errors.values();
	if (error) throw error;
}

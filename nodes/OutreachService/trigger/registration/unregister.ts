/** Removes the webhooks of a node that is no longer active, or of a test run that is over. */
import type { Client } from '../../api/client';
import type { RegisteredWebhook } from '../../domain/registration';
import type { TriggerNode } from '../../runtime/triggerNodes';
import type { Runtime } from '../../runtime/runtime';
import { settle } from '../../utils/settle';
import type { Context } from './context';
import { warnOfOtherN8n } from './ownership';
import { planRegistration } from './plan';
import { Removals } from './removals';
import { findSituation } from './situation';

/** The result of a removal. */
export type Unregistered = {
	/** The registered webhooks that still exist, or may. */
	remaining: readonly RegisteredWebhook[];
	/** Why nothing was removed, or why a webhook could not be removed; undefined if none had to stay. */
	error: Error | undefined;
};

/**
 * Lists the webhooks, and removes all of a node at one of its bases (§4.1, §4.3). Never throws.
 * @param client its signal cancels the removal
 */
export async function unregister(
	ctx: Context,
	runtime: Runtime,
	node: Pick<TriggerNode, 'base' | 'webhooks'>,
	client: Client,
): Promise<Unregistered> {
	const found = await settle(findSituation(ctx, runtime, node, client, { isRemoval: true }));
	// Nothing tells which webhooks exist.
	if (!found.ok) return { remaining: node.webhooks, error: found.error };
	const plan = planRegistration([], found.value);
	warnOfOtherN8n(ctx, runtime, node.base, plan.ofOtherN8n);

	const { registered } = found.value;
	const removals = new Removals(ctx, runtime, client, { base: node.base, ...found.value });
	await removals.removeAll(plan.remove);

	const [error] = removals.errors.values();
	const notRemoved = [...plan.remove, ...plan.ofOtherN8n].filter(
		({ _id }) => !removals.done.has(_id),
	);
	const remainingIds = new Set(notRemoved.map(({ _id }) => _id));
	return { remaining: registered.filter(({ id }) => remainingIds.has(id)), error };
}

/**
 * Removes the webhooks of a test run that is over (§4.1, §4.3). Those that cannot be removed are left behind, as the log says.
 * Never throws.
 */
export async function unregisterTestRun(
	ctx: Context,
	runtime: Runtime,
	node: Pick<TriggerNode, 'base' | 'webhooks'>,
	client: Client,
): Promise<void> {
	const { remaining, error } = await unregister(ctx, runtime, node, client);
	if (!error) return;
	runtime.leftBehind.add(remaining);
	ctx.logger.warn(
		`The webhooks of a test run of "${ctx.getNode().name}" could not be removed: ${error.message}. The next test run of the node removes them, and so does a start or a check that is more than two minutes later; or delete them at the service.`,
		{ workflowId: ctx.getWorkflow().id },
	);
}

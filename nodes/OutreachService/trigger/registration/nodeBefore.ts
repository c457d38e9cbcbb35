/** What was registered for a node before n8n called `create` or `delete`, as far as this process and n8n know. */
import type { IHookFunctions } from 'n8n-workflow';

import type { Client } from '../../api/client';
import type { RegisteredWebhook } from '../../domain/registration';
import {
	allWebhooksOf,
	type TriggerNode,
	type EarlierCredential,
} from '../../runtime/triggerNodes';
import type { Runtime } from '../../runtime/runtime';
import { readRegistration, type StoredRegistration } from '../staticData';

/** What is known of a node before a call of n8n changes anything. */
export type NodeBefore = {
	/** What this process knows of it; undefined if it does not know the node. */
	node: TriggerNode | undefined;
	/** Whether it is active in this process, or starting. */
	isActive: boolean;
	/** Whether n8n has called `delete`, and no `create` since, as far as this process knows. */
	isDeleted: boolean;
	/** If so: a client with the credential that the node had until then, or a later one if that could not be read. */
	clientBefore: Client | undefined;
	/** What n8n has saved of its registration. */
	stored: StoredRegistration;
	/** The webhooks that are registered for it. */
	webhooks: readonly RegisteredWebhook[];
	/** Its earlier credentials. Only the process that has registered their webhooks has them. */
	earlierCredentials: readonly EarlierCredential[];
};

/** Whether n8n starts, or this main process has taken the lead from another one. */
export const isStartMode = (ctx: IHookFunctions): boolean =>
	['init', 'leadershipChange'].includes(ctx.getActivationMode());

/** Finds out what is known of the node. */
export function readNodeBefore(ctx: IHookFunctions, runtime: Runtime): NodeBefore {
	const { triggerNodes } = runtime;
	const node = triggerNodes.known(ctx);
	const stored = readRegistration(ctx, ctx.getWorkflowStaticData('node'));
	// While this process runs the node, or removes its webhooks, it knows more than static data: n8n saves nothing after a check.
	// But once n8n has ended the node here, and at a start, another main process may have changed static data.
	const isAhead = node !== undefined && !triggerNodes.hasEnded(ctx) && !isStartMode(ctx);
	const webhooks = isAhead ? node.webhooks : inEither(node, stored.webhooks);
	return {
		node,
		isActive: triggerNodes.active(ctx) !== undefined,
		isDeleted: triggerNodes.isDeleted(ctx),
		clientBefore: triggerNodes.clientAtDelete(ctx),
		stored,
		webhooks,
		earlierCredentials: node?.earlierCredentials ?? [],
	};
}

/**
 * The webhooks that the process knows, and the others that n8n has saved. Those of earlier credentials, which n8n has saved,
 * too, are not the node's: its credential may be of another team or service.
 */
function inEither(
	node: TriggerNode | undefined,
	stored: readonly RegisteredWebhook[],
): RegisteredWebhook[] {
	if (!node) return [...stored];
	const knownIds = new Set(allWebhooksOf(node).map(({ id }) => id));
	return [...node.webhooks, ...stored.filter(({ id }) => !knownIds.has(id))];
}

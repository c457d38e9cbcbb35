/** What was registered for a node before n8n called `create` or `delete`, as far as this process and n8n know. */
import type { IHookFunctions } from 'n8n-workflow';

import type { Registration } from '../../domain/registration';
import {
	webhooksOfEarlierCredentials,
	type ActiveNode,
	type EarlierCredential,
	type NodeState,
} from '../../runtime/activeNodes';
import type { Runtime } from '../../runtime/runtime';
import { readRegistration, writeRegistration, type StoredRegistration } from '../staticData';

/** What is known of a node before a call of n8n changes anything, with the webhooks that are registered for it. */
export type NodeBefore = Registration & {
	/** Its state in this process; undefined if the process does not know it. */
	state: NodeState | undefined;
	/** What this process knows of it. */
	node: ActiveNode | undefined;
	/** What was registered when n8n last called `delete`; undefined unless the node is leaving. */
	leaving: EarlierCredential | undefined;
	/** What n8n has saved of its registration. */
	stored: StoredRegistration;
};

/** Whether n8n starts, or this main process has taken the lead from another one. */
export const isStartMode = (ctx: IHookFunctions): boolean =>
	['init', 'leadershipChange'].includes(ctx.getActivationMode());

/** Finds out what is known of the node. */
export function readNodeBefore(ctx: IHookFunctions, runtime: Runtime): NodeBefore {
	const { activeNodes } = runtime;
	const state = activeNodes.stateOf(ctx);
	const node = activeNodes.known(ctx);
	const stored = readRegistration(ctx, ctx.getWorkflowStaticData('node'));
	// While the node is active here, this process knows more than static data: n8n saves nothing after a check. Once n8n has
	// ended the node here, another main process may have changed static data.
	const knowsAll = node !== undefined && state !== 'ended' && !isStartMode(ctx);
	const { webhooks, serviceId } = knowsAll ? node : inBoth(node, stored);
	return { state, node, leaving: activeNodes.leavingOf(ctx), stored, webhooks, serviceId };
}

/** The webhooks that either the process knows or n8n has saved. */
function inBoth(node: ActiveNode | undefined, stored: StoredRegistration): Registration {
	const known = node?.webhooks ?? [];
	const knownIds = new Set(known.map(({ id }) => id));
	const others = stored.webhooks.filter(({ id }) => !knownIds.has(id));
	return {
		webhooks: [
			...known,
			...others.map((webhook) =>
				stored.isLeaving ? { ...webhook, evidence: 'leaving' as const } : webhook,
			),
		],
		serviceId: node?.serviceId ?? stored.serviceId,
	};
}

/**
 * A registration with the webhooks of earlier credentials that are not being removed. They are saved with it, because webhook
 * processes must accept their deliveries, too.
 */
export function withEarlierCredentials(
	{ webhooks, serviceId }: Registration,
	credentials: readonly EarlierCredential[] | undefined,
): Registration {
	const staying = (credentials ?? []).filter(({ isRemoving }) => !isRemoving);
	return {
		webhooks: [...webhooks, ...webhooksOfEarlierCredentials(staying)],
		serviceId: serviceId ?? staying[0]?.serviceId,
	};
}

/**
 * Has n8n store the registration of an active node, which it does after `create`. If n8n has called `delete` meanwhile, it
 * has stored that the node is no longer active, and this would overwrite it.
 * @param lost see `StoredRegistration`
 */
export function storeRegistration(
	ctx: IHookFunctions,
	{ activeNodes }: Runtime,
	node: Registration & Pick<ActiveNode, 'earlierCredentials'>,
	lost: readonly string[] = [],
): void {
	const state = activeNodes.stateOf(ctx);
	// A node whose webhooks have been removed is forgotten.
	if (state === undefined || state === 'leaving') return;
	const registration = withEarlierCredentials(node, node.earlierCredentials);
	const stored = { ...registration, isLeaving: false, lost };
	writeRegistration(ctx, ctx.getWorkflowStaticData('node'), stored);
}

/** What was registered for a node before, as far as this process and the static data know. */
import type { IHookFunctions } from 'n8n-workflow';

import type { ActiveNode } from '../../runtime/activeNodes';
import type { Runtime } from '../../runtime/runtime';
import { readRegistration, writeRegistration, type StoredRegistration } from '../staticData';

/** Registered webhooks, and the service at which they are. */
export type Registered = Pick<ActiveNode, 'webhooks' | 'service'>;

/** n8n starts, or another main process has taken the lead. */
export const isStartMode = (ctx: IHookFunctions): boolean =>
	['init', 'leadershipChange'].includes(ctx.getActivationMode());

export const storedRegistration = (ctx: IHookFunctions): StoredRegistration =>
	readRegistration(ctx, ctx.getWorkflowStaticData('node'));

/**
 * Has n8n store the registration of an active node, which it does after `create`.
 * @param lost events that may be lost, for a process that ends before it can report that (D105)
 */
export function storeRegistration(
	ctx: IHookFunctions,
	{ webhooks, service }: Registered,
	lost: readonly string[] = [],
): void {
	const registration = { webhooks, service, isLeaving: false, lost };
	writeRegistration(ctx, ctx.getWorkflowStaticData('node'), registration);
}

/** What is registered for the node: what this process knows, and at a start also what is stored. */
export function registeredBefore(ctx: IHookFunctions, runtime: Runtime): Registered {
	const { state, node } = runtime.activeNodes.entryOf(ctx) ?? {};
	// What a check has replaced stays in the static data, which n8n does not save then. At a start, another main process
	// may have stored it.
	if (node && state !== 'closed' && !isStartMode(ctx)) return node;
	const stored = storedRegistration(ctx);
	const here = node?.webhooks ?? [];
	const ids = new Set(here.map(({ id }) => id));
	return {
		webhooks: [...here, ...stored.webhooks.filter(({ id }) => !ids.has(id))],
		service: node?.service ?? stored.service,
	};
}

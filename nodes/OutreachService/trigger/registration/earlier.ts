/** What was registered for a node before, as far as this process and the static data know. */
import type { IHookFunctions } from 'n8n-workflow';

import type { ActiveNode } from '../../runtime/activeNodes';
import type { Runtime } from '../../runtime/runtime';
import { readRegistration, writeRegistration, type StoredRegistration } from '../staticData';

/** Registered webhooks, and the service at which they are. */
export type Registered = Pick<ActiveNode, 'webhooks' | 'service'>;

/** Whether n8n starts, or another main process has taken the lead. */
export const isStartMode = (ctx: IHookFunctions): boolean =>
	['init', 'leadershipChange'].includes(ctx.getActivationMode());

/** What n8n has saved of the node's registration. */
export const storedRegistration = (ctx: IHookFunctions): StoredRegistration =>
	readRegistration(ctx, ctx.getWorkflowStaticData('node'));

/**
 * Has n8n store the registration of an active node, which it does after `create`.
 * @param lost events that are lost, in case this process ends before it can report them (D105)
 */
export function storeRegistration(
	ctx: IHookFunctions,
	{ webhooks, service }: Registered,
	lost: readonly string[] = [],
): void {
	const registration = { webhooks, service, isLeaving: false, lost };
	writeRegistration(ctx, ctx.getWorkflowStaticData('node'), registration);
}

/** The webhooks that are registered for the node: those that this process knows, and at a start also the stored ones. */
export function registeredBefore(ctx: IHookFunctions, runtime: Runtime): Registered {
	const { state, node } = runtime.activeNodes.entryOf(ctx) ?? {};
	// The process knows better than the static data, because n8n does not save that when a check has replaced a webhook. But
	// at a start, another main process may have saved it.
	if (node && state !== 'closed' && !isStartMode(ctx)) return node;
	const stored = storedRegistration(ctx);
	const known = node?.webhooks ?? [];
	const knownIds = new Set(known.map(({ id }) => id));
	return {
		webhooks: [...known, ...stored.webhooks.filter(({ id }) => !knownIds.has(id))],
		service: node?.service ?? stored.service,
	};
}

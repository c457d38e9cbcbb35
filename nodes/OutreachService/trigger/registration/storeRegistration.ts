/** Has n8n save the registration of a node after `create`. */
import type { IHookFunctions } from 'n8n-workflow';

import type { ActiveNode } from '../../runtime/activeNodes';
import type { Runtime } from '../../runtime/runtime';
import { writeRegistration } from '../staticData';
import { stayingWebhooks } from './credentialChange';

/**
 * Writes the registration of an active node into static data, which n8n saves after `create`. If n8n has called `delete`
 * meanwhile, `delete` has written that the node is leaving, and this would overwrite it.
 * @param lost see `StoredRegistration`
 */
export function storeRegistration(
	ctx: IHookFunctions,
	{ activeNodes }: Runtime,
	{ webhooks, earlierCredentials }: Pick<ActiveNode, 'webhooks' | 'earlierCredentials'>,
	lost: readonly string[] = [],
): void {
	// A node whose webhooks have been removed is forgotten.
	const hasLeft = activeNodes.stateOf(ctx) === undefined;
	if (hasLeft || activeNodes.leavingClient(ctx)) return;
	// Webhook processes must accept the deliveries of an earlier credential's webhooks, too.
	const all = [...webhooks, ...stayingWebhooks(earlierCredentials)];
	writeRegistration(ctx, ctx.getWorkflowStaticData('node'), { webhooks: all, lost });
}

/** Has n8n save the registration of a node after `create`. */
import type { IHookFunctions } from 'n8n-workflow';

import { asActiveAgain } from '../../domain/registration';
import { allWebhooksOf } from '../../runtime/triggerNodes';
import type { Runtime } from '../../runtime/runtime';
import { writeRegistration } from '../staticData';

/**
 * Writes the registration of an active node into static data, which n8n saves after `create`. Does nothing if n8n has called
 * `delete` meanwhile, because this would overwrite what `delete` has written.
 * @param lost see `StoredRegistration`
 */
export function storeRegistration(
	ctx: IHookFunctions,
	{ triggerNodes }: Runtime,
	lost: readonly string[],
): void {
	const node = triggerNodes.known(ctx);
	// A node whose webhooks have been removed is forgotten.
	if (!node || triggerNodes.isDeleted(ctx)) return;
	// Webhook processes must accept the deliveries of an earlier credential's webhooks, too.
	const toStore = allWebhooksOf(node).map(asActiveAgain);
	writeRegistration(ctx, ctx.getWorkflowStaticData('node'), { webhooks: toStore, lost });
}

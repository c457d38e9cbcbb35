import { NodeOperationError } from 'n8n-workflow';

import { isTriggerUrl, kindInN8n } from '../../model/n8nUrls';
import type { Webhook } from '../../model/schemas';
import type { Item } from '../operation';

/** Where the active trigger is that uses a webhook; undefined when none of this n8n does, as far as can be told. */
export type UsedBy = 'this process' | 'another process' | undefined;

/**
 * Which active trigger uses a webhook. The process that runs the triggers knows. A process that runs none, such as a
 * worker in queue mode, has only the URL to go by. It takes the webhook of a workflow that was deactivated for one in
 * use, and it recognizes nothing where its `WEBHOOK_URL` is not that of the process that registered the webhook. No
 * process can tell a webhook that a trigger of another n8n uses.
 */
export function usedBy({ ctx, runtime: { activeNodes } }: Item, webhook: Webhook): UsedBy {
	if (activeNodes.using(webhook)) return 'this process';
	if (activeNodes.hasAny) return undefined;
	const isOurs = kindInN8n(webhook.targetUrl, ctx.getRestApiUrl()) !== undefined;
	return isOurs && isTriggerUrl(webhook.targetUrl) ? 'another process' : undefined;
}

/** The error for a webhook whose trigger would refuse its deliveries, or must be told of the new secret. */
export const usedByTriggerError = ({ ctx, index }: Item, { _id }: Webhook): NodeOperationError =>
	new NodeOperationError(
		ctx.getNode(),
		`The webhook ${_id} belongs to an active trigger of this n8n`,
		{
			itemIndex: index,
			description:
				'An Outreach Service Trigger derives the secrets of its webhooks, and needs no rotation. They change with the API key.',
		},
	);

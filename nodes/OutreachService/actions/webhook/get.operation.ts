import { listWebhooks } from '../../api/webhooks';
import type { Operation } from '../operation';
import { readWebhookId } from '../parameters';
import { webhookIdField } from './fields';
import { findWebhook } from './find';

/** Gives one webhook (§2.1). */
export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get webhook',
	description: 'Get one webhook with its settings',
	properties: [webhookIdField],
	async run(ctx, itemIndex) {
		const id = readWebhookId(ctx, itemIndex);
		return [findWebhook(ctx, await listWebhooks(ctx, { itemIndex }), id, itemIndex)];
	},
};

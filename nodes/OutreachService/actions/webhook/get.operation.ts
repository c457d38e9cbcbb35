/** The operation *Get* of webhooks. */
import type { Operation } from '../operation';
import { findWebhook, readWebhookId, webhookIdField } from './fields';

/** Returns one webhook (§2.1), as the service lists it. */
export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get webhook',
	description: 'Retrieve a webhook with its settings',
	properties: [webhookIdField],
	async run(item) {
		const id = readWebhookId(item);
		return [findWebhook(await item.client.listWebhooks(), id)];
	},
};

import { asItem } from '../filters';
import type { Operation } from '../operation';
import { readWebhookId } from '../parameters';
import { webhookIdField } from './fields';
import { findWebhook } from './find';

/** Gives one webhook (§2.1). */
export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get a webhook',
	description: 'Get one webhook with its settings',
	properties: [webhookIdField],
	async run(ctx, itemIndex) {
		return [asItem(await findWebhook(ctx, readWebhookId(ctx, itemIndex), itemIndex))];
	},
};

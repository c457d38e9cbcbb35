/** The operation *Delete* of webhooks. */
import type { Operation } from '../operation';
import { notFoundError, readWebhookId, webhookIdField } from './fields';
import { webhookItem } from './webhookItem';

/** Deletes a webhook (§4.3). Unlike the trigger, it reports a webhook that does not exist (D5). */
export const deleteOne: Operation = {
	value: 'delete',
	name: 'Delete',
	action: 'Delete webhook',
	description: 'Delete a webhook permanently: its target URL gets no more events',
	properties: [webhookIdField],
	async run(item) {
		const id = readWebhookId(item);
		// Most people choose the webhook from a list. Otherwise, all that is known is that there is none now (D3).
		const { wasFound, webhook } = await item.client.deleteWebhook(id, { wasListed: true });
		if (!wasFound) throw notFoundError(id);
		item.changes.done.push(id);
		return [webhookItem({ deleted: true }, { _id: id, ...webhook })];
	},
};

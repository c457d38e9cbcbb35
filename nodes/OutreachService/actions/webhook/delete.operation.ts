import { deleteWebhook } from '../../api/webhooks';
import type { Operation } from '../operation';
import { readWebhookId } from '../parameters';
import { webhookIdField } from './fields';
import { notFoundError } from './find';

/** Deletes a webhook (§4.3). Unlike the trigger, it reports a webhook that is not there (D5). */
export const deleteOne: Operation = {
	value: 'delete',
	name: 'Delete',
	action: 'Delete webhook',
	description: 'Delete one webhook, so that its address is no longer called',
	changes: true,
	properties: [webhookIdField],
	async run(ctx, itemIndex) {
		const id = readWebhookId(ctx, itemIndex);
		const hook = await deleteWebhook(ctx, id, { itemIndex });
		if (hook === 'not found') throw notFoundError(ctx, id, itemIndex);
		return [{ _id: id, ...hook, deleted: true }];
	},
};

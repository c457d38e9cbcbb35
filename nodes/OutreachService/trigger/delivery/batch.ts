import type { INodeExecutionData, IWebhookFunctions } from 'n8n-workflow';

import type { Activity } from '../../model/schemas';
import type { Selection } from '../../model/selection';
import { nodeKey } from '../../runtime/nodeKey';
import type { Runtime } from '../../runtime/runtime';
import { deduplicatedId } from './deduplicate';
import { bytesOf, end, RETRY_AFTER } from './request';

/**
 * Adds an item to the batch of the node (D31).
 * @returns the items that this delivery starts the workflow with; `follows` when another delivery of the batch does, and
 *   this one gets the same response
 */
export async function batched(
	ctx: IWebhookFunctions,
	{ batches }: Runtime,
	item: INodeExecutionData,
	activity: Activity,
	selection: Selection,
): Promise<INodeExecutionData[] | 'follows'> {
	const { batch } = selection;
	if (batch === undefined || ctx.getMode() === 'manual') return [item];
	const delivery = {
		item,
		bytes: bytesOf(ctx),
		...senderOf(ctx.getResponseObject()),
		isRemembered: deduplicatedId(ctx, activity, selection) !== undefined,
	};
	return await batches.add(nodeKey(ctx), delivery, batch);
}

/** A function of its own, so that a delivery that is held does not refer to its context. */
const senderOf = (response: ReturnType<IWebhookFunctions['getResponseObject']>) => ({
	response,
	respond: (status: number | undefined): void => {
		if (status === undefined) end(response, 503, RETRY_AFTER.unknown);
		else end(response, status);
	},
});

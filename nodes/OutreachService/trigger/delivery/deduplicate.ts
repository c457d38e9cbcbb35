import type { IWebhookFunctions } from 'n8n-workflow';

import type { Activity } from '../../model/schemas';
import type { Selection } from '../../model/selection';
import type { ClaimResult } from '../../runtime/deduplicator';
import { nodeKey } from '../../runtime/nodeKey';
import { deliveryOf } from '../../runtime/recordedActivities';
import { activityKey } from '../../runtime/rememberedActivities';
import { isClosed } from '../../runtime/responseOutcomes';
import type { Runtime } from '../../runtime/runtime';

/**
 * The ID by which deliveries of an activity are deduplicated; undefined when they are not. In a test run the same sample
 * may be sent as often as it takes (D25); without an ID there are no duplicates (D11).
 */
export const deduplicatedId = (
	ctx: IWebhookFunctions,
	{ _id }: Activity,
	{ ignoreDuplicates }: Selection,
): string | undefined => (ignoreDuplicates && ctx.getMode() !== 'manual' ? _id : undefined);

/**
 * What identifies a delivery and its activity in n8n's database; undefined when they are not to be remembered there. The
 * item takes it to `execute()`, which does not know the subscription, and to a retry of the execution.
 */
export function recordedDelivery(
	ctx: IWebhookFunctions,
	activity: Activity,
	subscription: string,
	selection: Selection,
): string | undefined {
	const id = deduplicatedId(ctx, activity, selection);
	if (selection.duplicateMemory !== 'database' || id === undefined) return undefined;
	return deliveryOf(activityKey(subscription, activity.type, id));
}

/**
 * Claims the activity of a delivery, so that it starts the workflow once (D10). It waits for the outcome of an earlier
 * copy that n8n is about to take. One whose sender has disconnected starts nothing, with or without an ID.
 */
export async function claim(
	ctx: IWebhookFunctions,
	{ deduplicator }: Runtime,
	activity: Activity,
	subscription: string,
	selection: Selection,
): Promise<ClaimResult> {
	const id = deduplicatedId(ctx, activity, selection);
	const response = ctx.getResponseObject();
	if (id === undefined) return isClosed(response) ? 'gone' : 'claimed';
	const key = activityKey(subscription, activity.type, id);
	return await deduplicator.claim(nodeKey(ctx), key, response);
}

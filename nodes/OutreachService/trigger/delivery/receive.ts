import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { activitySchema } from '../../model/schemas';
import type { Runtime } from '../../runtime/runtime';
import { readSelection } from '../parameters';
import { claim } from './deduplicate';
import { isSelected, subscriptionOf } from './filter';
import { grouped } from './output';
import { eventInUrlSchema, readBody, respond } from './request';
import { verify } from './verify';

/** When a sender may retry, in seconds: an earlier copy takes long, or the credential could not be read. */
const RETRY_AFTER = { busy: 10, unverifiable: 1 };

/**
 * Takes a delivery (§6) and lets n8n start the workflow, unless it is forged (401), cannot be verified now (503), is
 * not a JSON object (400), is not selected or a duplicate (200), or must be retried later (503).
 */
export async function receive(
	ctx: IWebhookFunctions,
	runtime: Runtime,
): Promise<IWebhookResponseData> {
	const selection = readSelection(ctx);
	const eventInUrl = eventInUrlSchema.parse(ctx.getRequestObject().query.event);
	const body = await readBody(ctx);
	const activity = activitySchema.parse(body ?? {});

	if (selection.verifySecret) {
		const verification = await verify(ctx, runtime, eventInUrl, activity.secret);
		if (verification === 'forged') return respond(ctx, 401);
		if (verification === 'unverifiable') return respond(ctx, 503, RETRY_AFTER.unverifiable);
	}
	if (!body) return respond(ctx, 400);
	const subscription = subscriptionOf(eventInUrl, selection);
	if (!isSelected(activity, subscription, selection)) return respond(ctx, 200);
	const claimed = await claim(ctx, runtime, activity, subscription, selection);
	if (claimed === 'duplicate') return respond(ctx, 200);
	if (claimed === 'busy') return respond(ctx, 503, RETRY_AFTER.busy);
	// The sender has disconnected: it has no success, and can send the event again.
	if (claimed === 'gone') return { noWebhookResponse: true };

	const json: IDataObject = { ...body };
	// Whoever may see executions must not learn it.
	delete json.secret;
	const output = selection.output === 'grouped' ? grouped(json, subscription) : json;
	return { workflowData: [[{ json: output }]] };
}

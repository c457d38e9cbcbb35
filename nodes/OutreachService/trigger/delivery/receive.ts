import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { activitySchema } from '../../model/schemas';
import type { Selection } from '../../model/selection';
import { nodeKey } from '../../runtime/nodeKey';
import type { Runtime } from '../../runtime/runtime';
import { settle } from '../../utils/settle';
import { readSelection } from '../parameters';
import { batched } from './batch';
import { evaluateConditions } from './conditions';
import { claim, recordedDelivery } from './deduplicate';
import { isSelected, selectedEvent, subscriptionOf } from './filter';
import { grouped } from './output';
import { eventInUrlSchema, readBody, respond, RETRY_AFTER } from './request';
import { verify } from './verify';
import { warnOfOtherSelection } from './otherSelection';

/**
 * Takes a delivery (§6) and lets n8n start the workflow, unless it is forged (401), cannot be verified now (503), is
 * not a JSON object (400), is not selected or a duplicate (200), or must be retried later (503).
 * @throws NodeOperationError for the first authentic delivery for which a parameter cannot be used; the others get a 503
 */
export async function receive(
	ctx: IWebhookFunctions,
	runtime: Runtime,
): Promise<IWebhookResponseData> {
	const { parameters } = ctx.getNode();
	const read = await settle(
		Promise.resolve().then(() =>
			runtime.selections.get(nodeKey(ctx), parameters, () => readSelection(ctx)),
		),
	);
	const eventInUrl = eventInUrlSchema.parse(ctx.getRequestObject().query.event);
	const body = await readBody(ctx);
	const activity = activitySchema.parse(body ?? {});

	// An error becomes a failed execution: one that is due to an expression, too, must not be had without the secret.
	if (!read.ok || read.value.verifySecret) {
		const verification = await verify(ctx, runtime, eventInUrl, activity.secret);
		if (verification === 'unverifiable') return respond(ctx, 503, RETRY_AFTER.unverifiable);
		if (verification !== 'verified') return respond(ctx, 401);
	}
	if (!read.ok) {
		// Once as a failed execution, which somebody sees; the service may deliver the event again later (D66).
		if (runtime.once(`parameters ${nodeKey(ctx)} ${read.error.message}`)) throw read.error;
		return respond(ctx, 503, RETRY_AFTER.unverifiable);
	}
	const selection = read.value;
	if (!body) return respond(ctx, 400);
	const subscription = subscriptionOf(eventInUrl, activity, selection);
	if (!isSelected(activity, subscription, selection)) {
		warnOfOtherSelection(ctx, runtime, eventInUrl, selection);
		return respond(ctx, 200);
	}
	const json: IDataObject = { ...body };
	// Whoever may see executions must not learn it, not even by asking conditions about it.
	delete json.secret;
	if (!isMet(ctx, runtime, json, selection)) return respond(ctx, 200);
	const claimed = await claim(ctx, runtime, activity, subscription, selection);
	if (claimed === 'duplicate') return respond(ctx, 200);
	if (claimed === 'busy') return respond(ctx, 503, RETRY_AFTER.busy);
	// The sender has disconnected: it has no success, and can send the event again.
	if (claimed === 'gone') return { noWebhookResponse: true };

	const output =
		selection.output === 'grouped'
			? grouped(json, selectedEvent(subscription, activity, selection))
			: json;
	const delivery = recordedDelivery(ctx, activity, subscription, selection);
	const item = { json: output, ...(delivery === undefined ? {} : { delivery }) };
	const items = await batched(ctx, runtime, item, activity, selection);
	// A batch whose senders have all disconnected is empty.
	if (items === 'follows' || items.length === 0) return { noWebhookResponse: true };
	return { workflowData: [items] };
}

/**
 * Whether an activity meets the conditions of *Only When*. One that cannot be evaluated counts as not met: the log says
 * so once.
 */
function isMet(
	ctx: IWebhookFunctions,
	runtime: Runtime,
	activity: IDataObject,
	{ onlyWhen }: Selection,
): boolean {
	if (onlyWhen === undefined) return true;
	const evaluation = evaluateConditions(activity, onlyWhen, ctx.getTimezone());
	if (evaluation.ok) return evaluation.isMet;
	if (runtime.once(`condition ${nodeKey(ctx)}`)) {
		ctx.logger.warn(
			`An event did not start "${ctx.getNode().name}", because a condition of 'Only When' could not be evaluated: ${evaluation.reason}. Further ones are not logged until n8n restarts.`,
		);
	}
	return false;
}

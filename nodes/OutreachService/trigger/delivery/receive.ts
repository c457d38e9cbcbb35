/** A delivery from its arrival to n8n's run of the workflow. */
import type { INodeExecutionData, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { createHash } from 'crypto';

import { activitySchema, leadOf, type Activity } from '../../domain/activity';
import type { DuplicateMemory, Selection } from '../../parameters/selection';
import type { ClaimResult } from '../../runtime/duplicates';
import type { Runtime } from '../../runtime/runtime';
import { isClosed, respondTo, RETRY_SOON_SECONDS } from '../../runtime/senderResponse';
import { readDelivery, type Delivery } from './delivery';
import { chosenEvent, meetsConditions, passesFilters } from './applySelection';
import { chosenActivity, type ChosenActivity } from './chosenActivity';
import { itemOf, itemOfSample } from './item';
import { verify } from './verify';

/** After how many seconds a sender may retry if an earlier copy takes long. */
const RETRY_LATER_SECONDS = 10;

/**
 * Takes a delivery (§6) and lets n8n start the workflow, unless it is forged (401), cannot be verified now (503), is not
 * selected or a duplicate (200), or must be retried later (503). What is not a JSON object has no secret, and so counts as forged;
 * if deliveries are not to be verified, it gets a 400.
 * @throws NodeOperationError for the first verified delivery for which a parameter cannot be used; later ones get a 503
 */
export async function receive(
	ctx: IWebhookFunctions,
	runtime: Runtime,
): Promise<IWebhookResponseData> {
	const delivery = await readDelivery(ctx, runtime);
	const { nodeKey, body, query, response } = delivery;

	// Only the service may start the workflow. If the parameters cannot be used, nobody knows whether deliveries are to be
	// verified. They are, because the error becomes a failed execution, which nobody may cause without the secret.
	if (!delivery.selection.ok || delivery.selection.value.verifySecret) {
		const verification = await verify(delivery);
		if (verification === 'unverifiable') return respond(response, 503, RETRY_SOON_SECONDS);
		if (verification === 'forged') {
			warnOfRefusal(delivery);
			return respond(response, 401);
		}
	}

	// The parameters must be usable.
	if (!delivery.selection.ok) {
		const { error } = delivery.selection;
		// The error is shown once, as a failed execution. The service may deliver other events again later (D66).
		if (runtime.noteTold(`parameters ${nodeKey}`, error.message)) throw error;
		return respond(response, 503, RETRY_SOON_SECONDS);
	}
	runtime.forgetTold(`parameters ${nodeKey}`);
	const selection = delivery.selection.value;

	// The activity must be one for which the workflow is to start.
	if (!body) return respond(response, 400);
	// The secret is removed, because whoever may see executions must not learn it, nor guess it with conditions. It is
	// removed from the body itself, because a copy of a million fields would take seconds.
	delete body.secret;
	const activity = activitySchema.parse(body);
	const event = chosenEvent(query.event, activity, selection);
	if (event === undefined || !passesFilters(activity, selection)) return respond(response, 200);
	if (!meetsConditions(delivery, body, selection)) return respond(response, 200);

	// No other delivery of the activity may have started the workflow for this event.
	const chosen = chosenActivity(event, activity, body);
	const memory = memoryFor(delivery, chosen, selection);
	const claim = await claimFor(delivery, chosen, memory);
	if (claim === 'duplicate') return respond(response, 200);
	if (claim === 'busy') return respond(response, 503, RETRY_LATER_SECONDS);
	// The sender has disconnected, and got no success. So it can send the event again.
	if (claim === 'gone') return { noWebhookResponse: true };

	const items = await itemsOfRun(delivery, chosen, selection, memory);
	// Without items, another delivery of the batch starts the workflow.
	if (items.length === 0) return { noWebhookResponse: true };
	return { workflowData: [items] };
}

/**
 * Where the outcome of a delivery is remembered. Nowhere in a test run, in which the same sample may be sent again (D25), nor
 * for an activity without an ID, which nothing identifies as a duplicate (D11).
 */
function memoryFor(
	{ isTest }: Delivery,
	{ activity }: ChosenActivity,
	{ duplicateMemory }: Selection,
): DuplicateMemory {
	return isTest || activity._id === null ? 'off' : duplicateMemory;
}

/** Claims an activity for a delivery. Without a memory, every delivery whose sender is still connected gets the claim. */
async function claimFor(
	{ runtime, nodeKey, response }: Delivery,
	{ eventKey }: ChosenActivity,
	memory: DuplicateMemory,
): Promise<ClaimResult> {
	if (memory === 'off') return isClosed(response) ? 'gone' : 'claimed';
	return await runtime.duplicates.claim(nodeKey, eventKey, response);
}

/**
 * Has the log say once that deliveries are refused: if they come from the service, nothing else tells why the workflow does not
 * run. Not more often, because anybody can send such deliveries.
 */
function warnOfRefusal({ ctx, runtime, nodeKey, isTest }: Delivery): void {
	const { name } = ctx.getNode();
	runtime.warnOnce(
		ctx,
		`refused ${nodeKey} ${isTest ? 'in a test run' : ''}`,
		`A delivery to "${name}" was refused with status 401: it does not have the secret of the webhook whose target URL was called. Anybody can send such a delivery. But if events of the service do not start the workflow, something changes them, or their URL, on the way. Further ones are refused without a message.`,
	);
}

type GroupBy = NonNullable<Selection['batch']>['groupBy'];

/** What the events of one batch have in common, by *Group By*; undefined for an activity that does not tell it. */
const GROUP_OF: Readonly<Record<GroupBy, (activity: Activity) => string | undefined>> = {
	none: () => 'all',
	lead: leadOf,
};

/** The items with which n8n starts the workflow; none when another delivery of the batch has them. */
async function itemsOfRun(
	delivery: Delivery,
	chosen: ChosenActivity,
	selection: Selection,
	memory: DuplicateMemory,
): Promise<INodeExecutionData[]> {
	const { ctx, runtime, nodeKey, isTest, bytes, response } = delivery;
	const item = itemOf(chosen, selection, memory);
	if (isTest) {
		const others = runtime.sampleRuns.get(nodeKey)?.otherSamples ?? [];
		return [item, ...others.map((sample) => itemOfSample(sample, selection))];
	}

	const { batch } = selection;
	if (!batch) return [item];
	const group = GROUP_OF[batch.groupBy](chosen.activity);
	// An activity that names no lead starts a run of its own.
	if (group === undefined) return [item];
	// Nothing of the delivery but these: its context would keep n8n's copy of the workflow in memory.
	const heldDelivery = { item, bytes, response };
	const version = versionOf(ctx);
	return await runtime.batches.add({ nodeKey, version, group }, heldDelivery, batch);
}

/** A hash of the node with its parameters and settings, which differs after a published change of the node. */
const versionOf = (ctx: IWebhookFunctions): string =>
	createHash('sha256').update(JSON.stringify(ctx.getNode())).digest('base64url');

/** Responds in place of n8n, which then starts no execution. */
function respond(
	response: Delivery['response'],
	status: number,
	retryAfterSeconds?: number,
): IWebhookResponseData {
	respondTo(response, status, retryAfterSeconds);
	return { noWebhookResponse: true };
}

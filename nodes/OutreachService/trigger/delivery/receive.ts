import type {
	IDataObject,
	INodeExecutionData,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { createHash } from 'crypto';
import { z } from 'zod';

import { activitySchema, leadOf, type Activity } from '../../domain/activity';
import { evaluateConditions, namedFields } from '../../domain/conditions';
import { ALL_EVENTS, isLeadState } from '../../domain/eventTypes';
import { subscribedEvents, type Selection } from '../../parameters/selection';
import { ABSENT_EVENTS } from '../../runtime/absentFields';
import { eventKey, isClosed } from '../../runtime/duplicates';
import { nodeKey } from '../../runtime/activeNodes';
import { deliveryOf } from '../../runtime/recordedActivities';
import type { Runtime } from '../../runtime/runtime';
import { jsonObjectSchema, parseJson } from '../../utils/json';
import { settle } from '../../utils/settle';
import { selectionForDelivery } from '../readSelection';
import { grouped } from './grouped';
import { verify } from './verify';

/** When a sender may retry, in seconds: an earlier copy takes long, the credential could not be read, or n8n gave up. */
const RETRY_AFTER = { busy: 10, unverifiable: 1, unknown: 1 };

/** The query of a target URL. Without an event, or with several, it is the webhook for all events (§6.3). */
const querySchema = z
	.object({
		event: z.string().min(1).catch(ALL_EVENTS),
		campaign: z.string().min(1).optional().catch(undefined),
		first: z.literal('true').optional().catch(undefined),
	})
	.transform(({ event, campaign: campaignId, first }) => ({
		event,
		campaignId,
		isFirst: first !== undefined,
	}));

/**
 * Takes a delivery (§6) and lets n8n start the workflow, unless it is forged (401), cannot be verified now (503), is
 * not a JSON object (400), is not selected or a duplicate (200), or must be retried later (503).
 * @throws NodeOperationError for the first authentic delivery for which a parameter cannot be used; the others get a 503
 */
export async function receive(
	ctx: IWebhookFunctions,
	runtime: Runtime,
): Promise<IWebhookResponseData> {
	const node = nodeKey(ctx);
	const response = ctx.getResponseObject();
	const isTest = ctx.getMode() === 'manual';
	const active = isTest ? undefined : runtime.activeNodes.get(ctx);
	const registered = active?.selection.ok ? active.selection.value : undefined;
	const read = await settle(Promise.resolve().then(() => selectionForDelivery(ctx, registered)));
	const query = querySchema.parse(ctx.getRequestObject().query);
	const body = await readBody(ctx);

	// An error becomes a failed execution: one that is due to an expression, too, must not be had without the secret.
	if (!read.ok || read.value.verifySecret) {
		const verification = await verify(ctx, runtime, query, body?.secret);
		if (verification === 'unverifiable') return respond(response, 503, RETRY_AFTER.unverifiable);
		if (verification !== 'verified') return respond(response, 401);
	}
	if (!read.ok) {
		// Once as a failed execution, which somebody sees; the service may deliver the event again later (D66).
		if (runtime.once(`parameters ${node} ${read.error.message}`)) throw read.error;
		return respond(response, 503, RETRY_AFTER.unverifiable);
	}
	const selection = read.value;
	if (!body) return respond(response, 400);
	const activity = activitySchema.parse(body);
	const event = eventOf(query.event, activity, selection);
	if (event === undefined || !passesFilters(activity, selection)) return respond(response, 200);
	// Whoever may see executions must not learn it, not even by asking conditions about it. Not from a copy of the body: of
	// a million fields, that takes seconds.
	delete body.secret;
	const json = body;
	if (!isMet(ctx, runtime, json, selection)) return respond(response, 200);

	// In a test run the same sample may be sent as often as it takes (D25); without an ID there are no duplicates (D11).
	const { _id: id } = activity;
	const key = keyOf(event, activity, json);
	const isRemembered = id !== null && selection.duplicateMemory !== 'off' && !isTest;
	const unclaimed = isClosed(response) ? 'gone' : 'claimed';
	const claimed = isRemembered ? await runtime.duplicates.claim(node, key, response) : unclaimed;
	if (claimed === 'duplicate') return respond(response, 200);
	if (claimed === 'busy') return respond(response, 503, RETRY_AFTER.busy);
	// The sender has disconnected: it has no success, and can send the event again.
	if (claimed === 'gone') return { noWebhookResponse: true };

	const isRecorded = isRemembered && selection.duplicateMemory === 'database';
	const item: INodeExecutionData = {
		...itemOf(event, json, key, selection),
		// For `execute()`, also in a retry of the execution.
		...(isRecorded ? { delivery: deliveryOf(key) } : {}),
	};
	if (isTest) {
		const others = runtime.activeNodes.testRun(ctx)?.sample?.others ?? [];
		const samples = others.map((sample) => {
			const sampleKey = keyOf(sample.event, activitySchema.parse(sample.activity), sample.activity);
			return itemOf(sample.event, sample.activity, sampleKey, selection);
		});
		return { workflowData: [[item, ...samples]] };
	}
	const { batch } = selection;
	const group = batch?.groupBy === 'lead' ? leadOf(activity) : 'all';
	if (batch === undefined || group === undefined) return { workflowData: [[item]] };
	const held = {
		item,
		bytes: Buffer.byteLength(JSON.stringify(json)),
		isRemembered,
		...senderOf(response),
	};
	const items = await runtime.batches.add({ node, version: versionOf(ctx), group }, held, batch);
	// Another delivery of the batch starts the workflow, or the senders of all have disconnected.
	if (items === 'follows' || items.length === 0) return { noWebhookResponse: true };
	return { workflowData: [items] };
}

/** See `eventKey`. @param json the activity as delivered, without the secret */
const keyOf = (event: string, { _id: id, type }: Activity, json: IDataObject): string =>
	eventKey(event, type, id ?? JSON.stringify(json));

/** The item of an event; with an output for each, its event stands beside the JSON: `execute()` does not know it. */
function itemOf(
	event: string,
	json: IDataObject,
	key: string,
	{ output, outputs }: Selection,
): INodeExecutionData {
	return {
		json: output === 'grouped' ? grouped(json, event, key) : json,
		...(outputs === 'perEvent' ? { event } : {}),
	};
}

/**
 * The chosen event for which a delivery came, so that no query gets an activity past the filter or the duplicates: the
 * one in its target URL if it has a webhook of its own, whatever the type of the activity (D8), otherwise the type, which
 * the webhook for all events delivers.
 * @returns undefined when it is not chosen
 */
export function eventOf(
	eventInUrl: string,
	{ type }: Pick<Activity, 'type'>,
	selection: Selection,
): string | undefined {
	const { events } = selection;
	const subscribed = subscribedEvents(selection);
	if (eventInUrl !== ALL_EVENTS && subscribed.includes(eventInUrl)) return eventInUrl;
	// A lead state has a webhook of its own beside that for all events.
	const isElsewhere = type !== null && subscribed.includes(ALL_EVENTS) && isLeadState(type);
	if (type !== null && !isElsewhere && events.includes(type)) return type;
	// Everything else, or all events. Otherwise, nothing tells what an activity without a type is.
	return events.includes(ALL_EVENTS) ? ALL_EVENTS : undefined;
}

/**
 * The service filters already; what can be checked is checked again, because the API spec leaves open which filters it
 * applies (D70).
 */
export function passesFilters(
	{ campaignId, isThirdPartyReply }: Pick<Activity, 'campaignId' | 'isThirdPartyReply'>,
	{ campaignIds, thirdPartyReplies }: Selection,
): boolean {
	if (thirdPartyReplies !== 'include' && isThirdPartyReply !== (thirdPartyReplies === 'only'))
		return false;
	// What has no campaign was not left out by choosing one: a third-party reply may have left its campaign (§6.6).
	return campaignIds.length === 0 || campaignId === null || campaignIds.includes(campaignId);
}

/**
 * Whether an activity meets the conditions of *Only When*. One that cannot be evaluated counts as not met. The log says so
 * once, and names a field that the first events of the node do not have: it may be misspelled (D88).
 */
function isMet(
	ctx: IWebhookFunctions,
	runtime: Runtime,
	activity: IDataObject,
	{ onlyWhen }: Selection,
): boolean {
	if (onlyWhen === undefined) return true;
	const node = nodeKey(ctx);
	const { name } = ctx.getNode();
	for (const { field, isAbsent } of namedFields(activity, onlyWhen)) {
		if (!runtime.absentFields.add(node, field, isAbsent)) continue;
		ctx.logger.warn(
			`None of the first ${ABSENT_EVENTS} events of "${name}" had the field '${field}' of a condition of 'Only When'. Check how it is spelled: the documentation of the trigger lists the fields of an event.`,
		);
	}
	const { isMet: areMet, misses } = evaluateConditions(activity, onlyWhen, ctx.getTimezone());
	const reason = misses.find((miss) => miss.reason !== undefined)?.reason;
	if (!areMet && reason !== undefined && runtime.once(`condition ${node}`)) {
		ctx.logger.warn(
			`An event did not start "${name}", because a condition of 'Only When' could not be evaluated: ${reason}. Further ones are not logged until n8n restarts.`,
		);
	}
	return areMet;
}

/** A digest of the node's parameters, which differs after a published change that concerns the node. */
const versionOf = (ctx: IWebhookFunctions): string =>
	createHash('sha256').update(JSON.stringify(ctx.getNode().parameters)).digest('base64url');

const rawBodySchema = z.object({ rawBody: z.instanceof(Buffer) });

/**
 * The JSON object in a delivery; undefined when there is none. n8n parses a body as JSON only when its content type
 * says so, and the API spec promises none (§6).
 */
async function readBody(ctx: IWebhookFunctions): Promise<IDataObject | undefined> {
	const request = ctx.getRequestObject();
	const isJson = request.headers['content-type']?.includes('json') === true;
	const parsed = isJson ? jsonObjectSchema.safeParse(request.body).data : undefined;
	// What n8n has not read is an empty object.
	if (parsed !== undefined && Object.keys(parsed).length > 0) return parsed;
	// A body that cannot be read, such as broken gzip, has no secret. An error thrown here would become a failed
	// execution, whoever sent it.
	const readRaw = async (): Promise<void> => {
		if ('readRawBody' in request && typeof request.readRawBody === 'function') {
			await request.readRawBody();
		}
	};
	const read = await settle(readRaw());
	if (!read.ok) {
		const { name } = ctx.getNode();
		ctx.logger.debug(`The body of a call to "${name}" could not be read: ${read.error.message}`);
	}
	const raw = rawBodySchema.safeParse(request).data?.rawBody;
	// Unlike toString(), drops a byte order mark.
	const text = raw && new TextDecoder().decode(raw);
	return jsonObjectSchema.safeParse(text === undefined ? parsed : parseJson(text)).data;
}

type Response = ReturnType<IWebhookFunctions['getResponseObject']>;

/** Responds from the node: no execution starts, and n8n adds nothing. */
function respond(
	response: Response,
	status: number,
	retryAfterSeconds?: number,
): IWebhookResponseData {
	if (retryAfterSeconds !== undefined) response.setHeader('Retry-After', retryAfterSeconds);
	response.status(status).end();
	return { noWebhookResponse: true };
}

/** Does not refer to the context of a delivery that is held: it would keep n8n's copy of the workflow in memory. */
const senderOf = (response: Response) => ({
	response,
	respond: (status: number | undefined): void => {
		if (status === undefined) respond(response, 503, RETRY_AFTER.unknown);
		else respond(response, status);
	},
});

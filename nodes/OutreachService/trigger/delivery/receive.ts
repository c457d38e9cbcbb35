import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { z } from 'zod';

import { ALL_EVENTS, STATE_GROUPS } from '../../model/eventTypes';
import { parseJson } from '../../utils/json';
import { activitySchema, jsonObjectSchema, type Activity } from '../../model/schemas';
import { Deduplicator, type ClaimResult, type DuplicateStats } from './deduplicate';
import { verify } from './verify';
import { grouped } from './output';
import { activityKey } from './rememberedActivities';
import { readSelection, subscribedEvents, type Selection } from '../parameters';

/** When a sender may retry, in seconds: what it waited for takes long, or the credential could not be read. */
const RETRY_AFTER = { busy: 10, unverifiable: 1 };

const deduplicator = new Deduplicator();

/** What this process holds to recognize duplicates. */
export const duplicateStats = (): DuplicateStats => deduplicator.stats();

/** The event in the query of a target URL. Without one, or with several, it is the webhook for all events (§6.3). */
const statedEventSchema = z.string().min(1).catch(ALL_EVENTS);

const rawBodySchema = z.object({ rawBody: z.instanceof(Buffer) });

const bodySchema = z.union([
	jsonObjectSchema,
	z.string().transform(parseJson).pipe(jsonObjectSchema),
]);

/** n8n reads the body itself only when the content type says that it is JSON or text. */
async function readBody(ctx: IWebhookFunctions, body: unknown): Promise<IDataObject | undefined> {
	const request = ctx.getRequestObject();
	const unread =
		body === undefined || (typeof body === 'object' && Object.keys(body ?? {}).length === 0);
	let given = body;
	// The API spec promises a JSON body, but no content type (§6): then it is still unread.
	if (unread && 'readRawBody' in request && typeof request.readRawBody === 'function') {
		await request.readRawBody();
		const raw = rawBodySchema.safeParse(request);
		if (raw.success) given = raw.data.rawBody.toString('utf8');
	}
	return bodySchema.safeParse(given).data;
}

/** Responds from the node: no execution starts, and n8n adds nothing. */
function respond(
	ctx: IWebhookFunctions,
	status: number,
	retryAfterSeconds?: number,
): IWebhookResponseData {
	const response = ctx.getResponseObject();
	if (retryAfterSeconds !== undefined) response.setHeader('Retry-After', retryAfterSeconds);
	response.status(status).end();
	return { noWebhookResponse: true };
}

/**
 * The subscription that a delivery belongs to: what its target URL states, if the node subscribes to that, otherwise
 * all events, so that no query gets an activity past the filter or the duplicates.
 */
export const subscriptionOf = (statedEvent: string, selection: Selection): string =>
	subscribedEvents(selection).includes(statedEvent) ? statedEvent : ALL_EVENTS;

/**
 * Whether an activity is one that the user asked for. The service filters already; what can be checked is checked
 * again, because the API spec leaves open which filters it applies (D15).
 * @param event the subscription, see {@link subscriptionOf}
 */
export function isWanted(activity: Activity, event: string, selection: Selection): boolean {
	const { campaignId, events, thirdPartyReplies } = selection;
	const isThirdParty = activity.isThirdPartyReply === true;
	if (thirdPartyReplies === 'exclude' && isThirdParty) return false;
	if (thirdPartyReplies === 'only' && !isThirdParty) return false;
	// A third-party reply has left its campaign (§6.6).
	const isInCampaign = activity.campaignId === undefined || activity.campaignId === campaignId;
	if (campaignId && !isInCampaign && !isThirdParty) return false;
	// Only the webhook for everything brings what was not asked for; a group's has the type of an activity (D8).
	if (event !== ALL_EVENTS || events.includes(ALL_EVENTS)) return true;
	const isSubscribed = subscribedEvents(selection).includes(ALL_EVENTS);
	if (activity.type === undefined) return isSubscribed;
	// A group that is selected beside the webhook for everything comes through its own.
	return events.includes(activity.type) && !(isSubscribed && STATE_GROUPS.has(activity.type));
}

/**
 * Takes a delivery (§6) and lets n8n start the workflow, unless it is forged (401), cannot be verified now (503), is
 * no JSON object (400), is not wanted or a duplicate (200), or has to be retried later (503).
 */
export async function receive(ctx: IWebhookFunctions): Promise<IWebhookResponseData> {
	const request = ctx.getRequestObject();
	const selection = readSelection(ctx);
	const statedEvent = statedEventSchema.parse(request.query.event);
	const body = await readBody(ctx, request.body);
	const activity = activitySchema.parse(body ?? {});

	if (selection.verifySecret) {
		const verification = await verify(ctx, statedEvent, activity.secret);
		if (verification === 'forged') return respond(ctx, 401);
		if (verification === 'unverifiable') return respond(ctx, 503, RETRY_AFTER.unverifiable);
	}
	if (!body) return respond(ctx, 400);
	const event = subscriptionOf(statedEvent, selection);
	if (!isWanted(activity, event, selection)) return respond(ctx, 200);
	const claim = await claimFor(ctx, activity, event, selection);
	if (claim === 'duplicate') return respond(ctx, 200);
	if (claim === 'busy') return respond(ctx, 503, RETRY_AFTER.busy);
	// Nobody is there to respond to; the sender has no success and can send it again.
	if (claim === 'gone') return { noWebhookResponse: true };

	const json: IDataObject = { ...body };
	// Whoever may see executions must not learn it.
	delete json.secret;
	const output = selection.output === 'grouped' ? grouped(json, event) : json;
	return { workflowData: [[{ json: output }]] };
}

async function claimFor(
	ctx: IWebhookFunctions,
	{ _id, type }: Activity,
	event: string,
	{ ignoreDuplicates }: Selection,
): Promise<ClaimResult> {
	// In a test run the same sample may be sent as often as it takes (D25); without an ID nothing can be told (D11).
	if (!ignoreDuplicates || _id === undefined || ctx.getMode() === 'manual') return 'claimed';
	const node = `${ctx.getWorkflow().id ?? ''}/${ctx.getNode().id}`;
	return await deduplicator.claim(node, activityKey(event, type, _id), ctx.getResponseObject());
}

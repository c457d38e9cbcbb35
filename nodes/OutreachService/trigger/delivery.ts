import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { z } from 'zod';

import { ALL_EVENTS, STATE_GROUPS } from '../model/eventTypes';
import { parseJson } from '../model/json';
import { activitySchema, jsonObjectSchema, type Activity } from '../model/schemas';
import { SeenActivities } from './duplicates';
import { verify } from './genuine';
import { grouped } from './output';
import { readSelection, type Selection } from './selection';

/** When a sender may retry, in seconds: the credential could not be read. */
const RETRY_AFTER = { unverifiable: 1 };

const seen = new SeenActivities();

/** The parameter of the address that tells which webhook it is. */
const eventSchema = z.string().optional().catch(undefined);

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
	// The interface promises a JSON body, but no content type (§6): then it is still unread.
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
 * Whether an activity is one that the user asked for. The service filters already; what can be checked is checked
 * again, because the interface leaves open which filters it heeds (D15).
 */
export function isWanted(
	activity: Activity,
	event: string | undefined,
	selection: Selection,
): boolean {
	const { campaignId, events, thirdPartyReplies } = selection;
	if (campaignId && activity.campaignId !== undefined && activity.campaignId !== campaignId)
		return false;
	if (thirdPartyReplies === 'exclude' && activity.isThirdPartyReply === true) return false;
	if (thirdPartyReplies === 'only' && activity.isThirdPartyReply !== true) return false;
	// Only the webhook for everything brings what was not asked for; a group's has the type of an activity (D8).
	if (event !== ALL_EVENTS || events.includes(ALL_EVENTS) || activity.type === undefined)
		return true;
	return events.includes(activity.type) && !STATE_GROUPS.has(activity.type);
}

/**
 * Takes a delivery (§6): refuses what is forged with 401 and what cannot be verified now with 503, answers what is not wanted or was seen before with
 * 200, and lets n8n start the workflow with everything else.
 */
export async function receive(ctx: IWebhookFunctions): Promise<IWebhookResponseData> {
	const request = ctx.getRequestObject();
	const selection = readSelection(ctx);
	const event = eventSchema.parse(request.query.event);
	const body = await readBody(ctx, request.body);
	const activity = activitySchema.parse(body ?? {});

	if (selection.verifySecret) {
		const verification = await verify(ctx, event ?? ALL_EVENTS, activity.secret);
		if (verification === 'forged') return respond(ctx, 401);
		if (verification === 'unverifiable') return respond(ctx, 503, RETRY_AFTER.unverifiable);
	}
	if (!body) return respond(ctx, 400);
	if (!isWanted(activity, event, selection)) return respond(ctx, 200);
	if (!(await isNew(ctx, activity, event, selection))) return respond(ctx, 200);

	const json: IDataObject = { ...body };
	// Whoever may see executions must not learn it.
	delete json.secret;
	const output = selection.output === 'grouped' ? grouped(json, event) : json;
	return { workflowData: [[{ json: output }]] };
}

async function isNew(
	ctx: IWebhookFunctions,
	activity: Activity,
	event: string | undefined,
	{ ignoreDuplicates }: Selection,
): Promise<boolean> {
	// In a test run the same sample may be sent as often as it takes; without an ID nothing can be told (D11).
	if (!ignoreDuplicates || activity._id === undefined || ctx.getMode() === 'manual') return true;
	const key = [ctx.getWorkflow().id, ctx.getNode().id, event, activity._id].join('\n');
	return await seen.claim(key, ctx.getResponseObject());
}

import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { z } from 'zod';

import { ALL_EVENTS } from '../../model/eventTypes';
import { jsonObjectSchema } from '../../model/schemas';
import { parseJson } from '../../utils/json';
import { settle } from '../../utils/settle';

/** When a sender may retry, in seconds: an earlier copy takes long, the credential could not be read, or n8n gave up. */
export const RETRY_AFTER = { busy: 10, unverifiable: 1, unknown: 1 };

/** The event in the query of a target URL. Without one, or with several, it is the webhook for all events (§6.3). */
export const eventInUrlSchema = z.string().min(1).catch(ALL_EVENTS);

const rawBodySchema = z.object({ rawBody: z.instanceof(Buffer) });

/**
 * The JSON object in a delivery; undefined when there is none. n8n parses a body as JSON only when its content type
 * says so, and the API spec promises none (§6).
 */
export async function readBody(ctx: IWebhookFunctions): Promise<IDataObject | undefined> {
	const request = ctx.getRequestObject();
	const parsed = jsonObjectSchema.safeParse(request.body).data;
	// What n8n has not read is an empty object.
	if (parsed !== undefined && Object.keys(parsed).length > 0) return parsed;
	const readRaw = async (): Promise<void> => {
		if ('readRawBody' in request && typeof request.readRawBody === 'function') {
			await request.readRawBody();
		}
	};
	// A body that cannot be read, such as broken gzip, has no secret. An error thrown here would become a failed
	// execution, whoever sent it.
	const read = await settle(readRaw());
	if (!read.ok) {
		const { name } = ctx.getNode();
		ctx.logger.debug(`The body of a call to "${name}" could not be read: ${read.error.message}`);
	}
	const raw = rawBodySchema.safeParse(request).data?.rawBody.toString('utf8');
	return jsonObjectSchema.safeParse(raw === undefined ? parsed : parseJson(raw)).data;
}

const lengthSchema = z.coerce.number().int().nonnegative().catch(0);

/** How long the body of a delivery is; 0 when it is not known. */
export function bytesOf(ctx: IWebhookFunctions): number {
	const request = ctx.getRequestObject();
	const raw = rawBodySchema.safeParse(request);
	return raw.success
		? raw.data.rawBody.length
		: lengthSchema.parse(request.headers['content-length'] ?? 0);
}

/** Responds from the node: no execution starts, and n8n adds nothing. */
export function respond(
	ctx: IWebhookFunctions,
	status: number,
	retryAfterSeconds?: number,
): IWebhookResponseData {
	end(ctx.getResponseObject(), status, retryAfterSeconds);
	return { noWebhookResponse: true };
}

/** The same for a delivery that is held: its context would keep n8n's copy of the workflow in memory. */
export function end(
	response: ReturnType<IWebhookFunctions['getResponseObject']>,
	status: number,
	retryAfterSeconds?: number,
): void {
	if (retryAfterSeconds !== undefined) response.setHeader('Retry-After', retryAfterSeconds);
	response.status(status).end();
}

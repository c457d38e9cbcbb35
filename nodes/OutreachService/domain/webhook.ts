/** A webhook as the service lists it, and its settings. */
import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod';

import { isJsonObject } from '../utils/json';
import { ALL_EVENTS } from './eventTypes';
import { isSameUrl } from './targetUrl';

/**
 * A webhook as the service lists it (§2.1) and as an item shows it, unchanged. Only these two fields are required:
 * the others may have any form in a webhook that another program created, and are read with {@link settingsOf}. The
 * type is not inferred from a schema, because parsing would copy each webhook.
 */
export type Webhook = IDataObject & { _id: string; targetUrl: string };

/** Whether a value is a webhook. Nothing is copied: in a list of ten thousand, that would cost as much as all the rest. */
const isWebhook = (value: unknown): value is Webhook =>
	isJsonObject(value) &&
	typeof value._id === 'string' &&
	// `DELETE /hooks/..` would mean `DELETE /`.
	!/^\.{0,2}$/.test(value._id) &&
	typeof value.targetUrl === 'string';

/** A webhook without its secret: a service that repeats it would put it into the items of an execution (§6.4.3). */
function withoutSecret(webhook: Webhook): Webhook {
	if (typeof webhook.secret !== 'string') return webhook;
	const copy = { ...webhook };
	delete copy.secret;
	return copy;
}

/** The response to creating and deleting a webhook (§4.2, §4.3). */
export const webhookSchema = z.custom<Webhook>(isWebhook, 'not a webhook').transform(withoutSecret);

const listSchema = z
	// Not z.array(), which takes seconds for a list of millions of entries.
	.custom<unknown[]>(
		(list) => Array.isArray(list) && (list.length === 0 || list.some(isWebhook)),
		'not a list of webhooks',
	)
	.transform((list) => list.filter(isWebhook).map(withoutSecret));

/**
 * The webhooks of a team. The API lists all of them (§4.1), but a service may return only a part, and say so: then
 * `hasMore` is true.
 */
export type WebhookList = Webhook[] & { hasMore?: true };

const SAYS_MORE = /^(has_?(more|next)(_?page)?|next(_?(page|cursor|url))?)$/i;
const SAYS_HOW_MANY = /^total(_?(count|items|results))?$/i;

/** The relations that a `Link` header names, in lower case: `rel` may have several, and another parameter may have any text. */
function relationsIn(link: string): string[] {
	const parameters = link.replace(/<[^>]*>/g, '').matchAll(/([\w*-]+)\s*=\s*("[^"]*"|[^\s;,]+)/g);
	return [...parameters]
		.filter(([, name = '']) => name.toLowerCase() === 'rel')
		.flatMap(([, , value = '']) => value.toLowerCase().replaceAll('"', '').split(/\s+/));
}

/**
 * Whether a response to `GET /hooks` says that there are more webhooks than those in it: with a header
 * `Link: <…>; rel="next"`, or with a field such as `hasMore` or `total` beside the list, also inside another field.
 * @param link the header
 * @param count the number of entries of the list
 */
export function saysThereIsMore(response: unknown, link: unknown, count: number): boolean {
	if (typeof link === 'string' && relationsIn(link).includes('next')) return true;
	if (!isJsonObject(response)) return false;
	const places = [response, ...Object.values(response).filter(isJsonObject)];
	return places
		.flatMap((place) => Object.entries(place))
		.some(([name, value]) =>
			SAYS_HOW_MANY.test(name) ? Number(value) > count : SAYS_MORE.test(name) && Boolean(value),
		);
}

/**
 * The response to `GET /hooks` (§4.1), also as `{ hooks: […] }`, which services were seen to return. An entry that is not a
 * webhook is left out, so that one odd entry does not block all work; a list of nothing but such entries does not come from
 * the service (D6).
 */
export const webhookListSchema = z.preprocess(
	(response) =>
		isJsonObject(response) && Array.isArray(response.hooks) ? response.hooks : response,
	listSchema,
);

const optional = <T extends z.ZodTypeAny>(type: T) => type.optional().catch(undefined);

/** The optional fields of a webhook (§2.1). One that is null or of another type counts as absent. */
export const webhookSettingsSchema = z.object({
	targetUrl: z.string(),
	type: optional(z.string().min(1)),
	campaignId: optional(z.string().min(1)),
	createdAt: optional(z.string()),
	// JSON is read with another number in place of one that JavaScript cannot hold.
	toolLinkId: optional(z.number().refine(Number.isSafeInteger)),
	isFirst: optional(z.boolean()),
	// Not in the API: services disable a webhook so after failed deliveries (D16).
	disabled: optional(z.boolean()),
});

/** The settings of a listed webhook; absent ones are undefined. */
export const settingsOf = (webhook: Webhook): z.infer<typeof webhookSettingsSchema> =>
	webhookSettingsSchema.parse(webhook);

/**
 * The event of a listed webhook: its type, or `*` for a webhook without a type, which is for all events (§2.1). It is read
 * without a schema, because a team may have tens of thousands of webhooks, and n8n responds to nobody while they are parsed.
 * @returns undefined when the type is something else than a text, so that nobody can tell the event
 */
export function eventOf({ type }: Webhook): string | undefined {
	if (type === undefined || type === null || type === '') return ALL_EVENTS;
	return typeof type === 'string' ? type : undefined;
}

/** The settings of a new webhook (§4.2). */
export type WebhookSettings = {
	targetUrl: string;
	/** A type of §6.1, a custom one, or `*` for all events, with which no `type` is sent. */
	event: string;
	campaignId?: string | undefined;
	isFirst?: boolean | undefined;
	toolLinkId?: number | undefined;
	secret?: string | undefined;
};

/**
 * Whether a listed webhook delivers what a webhook with these settings would. An optional field that the service does not
 * list contradicts nothing (§4.1).
 */
export function hasSettings(webhook: Webhook, settings: WebhookSettings): boolean {
	const { targetUrl, campaignId, isFirst, disabled } = settingsOf(webhook);
	if (disabled === true || !isSameUrl(targetUrl, settings.targetUrl)) return false;
	if ((eventOf(webhook) ?? ALL_EVENTS) !== settings.event) return false;
	if (campaignId !== undefined && campaignId !== settings.campaignId) return false;
	return isFirst === undefined || isFirst === (settings.isFirst ?? false);
}

/** Target URLs of triggers: they say what each webhook delivers, and with which API key it was made (D109). */
import { z } from 'zod';

import { parseUrl } from '../utils/parseUrl';
import { ALL_EVENTS } from './eventTypes';
import { decoded, normalizeUrl } from './targetUrl';

const webhookBaseSchema = z.string().brand<'WebhookBase'>();

/**
 * The URL that n8n gives a trigger node for its webhooks, as n8n writes it. Their target URLs consist of it and a query. A node has
 * one base in production and another one for test runs, and owns exactly the webhooks at its base (D110).
 */
export type WebhookBase = z.infer<typeof webhookBaseSchema>;

/** Declares a URL from n8n to be a base. */
export const webhookBase = (url: string): WebhookBase => webhookBaseSchema.parse(url);

/**
 * The base of a target URL in a single notation, to compare it and to show it: without a login that `WEBHOOK_URL` may contain for
 * a proxy.
 */
export const baseIn = (targetUrl: string): string => normalizeUrl(targetUrl).split('?')[0] ?? '';

/** The query of a target URL: what its webhook delivers, and with which API key it was made. */
export type TargetQuery = {
	event: string;
	/** Undefined for the activities of all campaigns, and for those without one. */
	campaignId?: string | undefined;
	/** Whether only first activities are delivered; undefined is the same as false. */
	isFirst?: boolean | undefined;
	/** The fingerprint of the API key, see `webhookKeyOf`; undefined in a URL that no trigger has made. */
	keyId?: string | undefined;
};

/**
 * The target URL of a trigger's webhook. n8n routes by the path alone, so the deliveries of all webhooks reach the node.
 * @param base a `WebhookBase`, or a part of it
 */
export function targetUrlOf(
	base: string,
	{ event, campaignId, isFirst, keyId }: TargetQuery,
): string {
	const query = new URLSearchParams({ event });
	if (campaignId !== undefined) query.set('campaign', campaignId);
	if (isFirst) query.set('first', 'true');
	if (keyId !== undefined) query.set('keyId', keyId);
	return `${base}?${query.toString()}`;
}

/**
 * The query of a call to a trigger, as n8n has parsed it, or of a listed target URL. Anybody may call with any query, and it is
 * read as that of the webhook that would deliver most: without an event, or with several, it is that of the webhook for all
 * events (§6.3).
 */
export const targetQuerySchema = z
	.object({
		event: z.string().min(1).catch(ALL_EVENTS),
		campaign: z.string().min(1).optional().catch(undefined),
		first: z.literal('true').optional().catch(undefined),
		keyId: z.string().min(1).optional().catch(undefined),
	})
	.transform(
		({ event, campaign: campaignId, first, keyId }): TargetQuery => ({
			event,
			campaignId,
			isFirst: first !== undefined,
			keyId,
		}),
	);

/** A target URL of a trigger's webhook: the URL that n8n gives the node, and what its webhook delivers. */
export type TriggerUrl = { base: string; query: TargetQuery & { keyId: string } };

/**
 * What a listed URL says that has the form of a trigger's target URL, in whatever n8n, and however the service writes it (D29);
 * undefined for any other URL: somebody may have entered a trigger's webhook URL with a query of their own.
 */
export function triggerUrlIn(targetUrl: string): TriggerUrl | undefined {
	// Most webhooks of a team have other URLs, and parsing a URL takes longer than all the rest.
	const url = targetUrl.includes('keyId=') ? parseUrl(targetUrl) : undefined;
	if (!url) return undefined;
	const names = [...url.searchParams.keys()].sort().join();
	if (!/^(campaign,)?event(,first)?,keyId$/.test(names)) return undefined;
	const query = targetQuerySchema.parse(Object.fromEntries(url.searchParams));
	const { keyId } = query;
	if (keyId === undefined || url.searchParams.get('event') === '') return undefined;
	return { base: baseIn(targetUrl), query: { ...query, keyId } };
}

/**
 * What n8n's production and test URLs of a node have in common, whatever host, port and prefix they have: `<webhook ID>/webhook`, or
 * `<node>/webhook` for a node without such an ID.
 */
export const routeIn = (url: string): string =>
	(parseUrl(url)?.pathname ?? '').split('/').slice(-2).map(decoded).join('/');

/**
 * The path of a target URL below `WEBHOOK_URL`, with which all webhook URLs of an n8n begin; undefined for any other URL. n8n
 * builds the URL of its REST API from it, too, so it is known wherever a node runs.
 * @param restApiUrl what n8n's `getRestApiUrl()` returns
 */
export function pathInN8n(targetUrl: string, restApiUrl: string): string | undefined {
	if (!parseUrl(restApiUrl)) return undefined;
	const base = normalizeUrl(new URL('.', restApiUrl).href);
	const url = normalizeUrl(targetUrl);
	return url.startsWith(base) ? url.slice(base.length) : undefined;
}

/** Target URLs of triggers: what they say, and whose they are. */
import { z } from 'zod';

import { parseUrl } from '../utils/parseUrl';
import { ALL_EVENTS } from './eventTypes';
import { isSameUrl, normalizeUrl } from './targetUrl';

const webhookBaseSchema = z.string().brand<'WebhookBase'>();

/**
 * The URL that n8n gives a trigger node for its webhooks. Their target URLs consist of it and a query that says what each
 * webhook delivers. A node has one base in production and another one for test runs.
 */
export type WebhookBase = z.infer<typeof webhookBaseSchema>;

/** Declares a URL from n8n to be a base. */
export const webhookBase = (url: string): WebhookBase => webhookBaseSchema.parse(url);

/** The base of a target URL of a trigger's webhook. */
export const baseIn = (targetUrl: string): WebhookBase =>
	webhookBase(targetUrl.split('?')[0] ?? '');

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

/** Whether a URL looks like n8n's test URL, whatever its host is: it may differ from that of the production URLs. */
export const isTestUrl = (url: string): boolean =>
	parseUrl(url)?.pathname.includes('/webhook-test/') === true;

/** What the webhook at a target URL delivers, as the query of the URL says. */
export type TargetQuery = {
	event: string;
	/** Undefined for the activities of all campaigns, and for those without one. */
	campaignId: string | undefined;
	/** Whether only first activities are delivered; undefined is the same as false. */
	isFirst: boolean | undefined;
};

/** The parts of a trigger's target URL: the URL that n8n gives the node, and what its webhook delivers. */
export type TriggerUrl = TargetQuery & { base: WebhookBase };

/**
 * The target URL of a trigger's webhook: the base, and a query that says what the webhook delivers. n8n routes by the path
 * alone, so the deliveries of all webhooks reach the node. Webhooks that deliver different activities have different target
 * URLs, and so different secrets (D7).
 */
export function targetUrlOf({ base, event, campaignId, isFirst }: TriggerUrl): string {
	const ofCampaign = campaignId === undefined ? '' : `&campaign=${encodeURIComponent(campaignId)}`;
	return `${base}?event=${encodeURIComponent(event)}${ofCampaign}${isFirst ? '&first=true' : ''}`;
}

/**
 * The parts of a URL that has the form of a trigger's target URL, in whatever n8n, and however the service writes its query
 * (D29); undefined for any other URL.
 */
export function triggerUrlIn(targetUrl: string): TriggerUrl | undefined {
	// Most webhooks of a team have other URLs, and parsing a URL takes longer than all the rest.
	const url = targetUrl.includes('/webhook') ? parseUrl(targetUrl) : undefined;
	if (!url) return undefined;
	const { pathname, searchParams } = url;
	const names = [...searchParams.keys()].sort().join();
	if (!/[^/]\/webhook$/.test(pathname.slice(-20)) || !/^(campaign,)?event(,first)?$/.test(names)) {
		return undefined;
	}
	const event = searchParams.get('event') ?? '';
	const campaignId = searchParams.get('campaign') ?? undefined;
	if (event === '' || campaignId === '') return undefined;
	const isFirst = searchParams.has('first');
	return { base: baseIn(targetUrl), event, campaignId, isFirst };
}

/**
 * The query of a call to a trigger, as n8n has parsed it. Anybody may call with any query, and it is read as that of the
 * webhook that would deliver most: without an event, or with several, it is that of the webhook for all events (§6.3).
 */
export const calledQuerySchema = z
	.object({
		event: z.string().min(1).catch(ALL_EVENTS),
		campaign: z.string().min(1).optional().catch(undefined),
		first: z.literal('true').optional().catch(undefined),
	})
	.transform(
		({ event, campaign: campaignId, first }): TargetQuery => ({
			event,
			campaignId,
			isFirst: first !== undefined,
		}),
	);

/** Whether a URL is a target URL of the node with this base, in whatever notation: n8n routes all of them to the node. */
export function isOwnUrl(base: WebhookBase, targetUrl: string): boolean {
	const parts = triggerUrlIn(targetUrl);
	return parts !== undefined && isSameUrl(parts.base, base);
}

/**
 * What n8n's production and test URLs of a node have in common: `<webhook ID>/webhook`, or, for a node without such an ID,
 * `<workflow>/<node>/webhook`.
 */
function routeOf(url: string): string {
	const segments = new URL(normalizeUrl(url)).pathname.split('/');
	const hasWebhookId = /^[\da-f-]{36}$/i.test(segments.at(-2) ?? '');
	return segments.slice(hasWebhookId ? -2 : -3).join('/');
}

/**
 * Whether a base is that of the test runs of the node that has another base in production (D84), also with another path of
 * n8n's test URLs (`N8N_ENDPOINT_WEBHOOK_TEST`).
 * @param editorUrl what n8n's `getInstanceBaseUrl()` returns, whose host test URLs have (`N8N_EDITOR_BASE_URL`)
 */
export function isTestBaseOf(base: WebhookBase, editorUrl: string, testBase: WebhookBase): boolean {
	if (isSameUrl(testBase, base)) return false;
	const host = parseUrl(testBase)?.host;
	if (host === undefined || !parseUrl(base)) return false;
	const hosts = [base, editorUrl].map((url) => parseUrl(url)?.host);
	return hosts.includes(host) && routeOf(testBase) === routeOf(base);
}

/** Whether a URL is a target URL of the node's test runs. @param base, editorUrl as in {@link isTestBaseOf} */
export function isOwnTestUrl(base: WebhookBase, editorUrl: string, targetUrl: string): boolean {
	const parts = triggerUrlIn(targetUrl);
	return parts !== undefined && isTestBaseOf(base, editorUrl, parts.base);
}

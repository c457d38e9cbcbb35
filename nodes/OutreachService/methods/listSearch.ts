import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { createClient } from '../api/client';
import { reportedBy } from '../api/errors';
import { USER } from '../api/retry';
import { ALL_EVENTS, EVENTS, eventName } from '../model/eventTypes';
import { pathInN8n } from '../model/n8nUrls';
import { settingsOf, type Webhook } from '../model/schemas';
import type { Runtime } from '../runtime/runtime';

/** n8n cuts off a line at some fifty characters: a URL must leave room for what comes after it. */
const LONGEST_URL = 26;

const shorten = (url: string): string =>
	url.length > LONGEST_URL ? `${url.slice(0, LONGEST_URL - 1)}…` : url;

/** A target URL without its scheme; one of this n8n says so, and leaves out the host. */
function displayUrl(targetUrl: string, restApiUrl: string): string {
	const path = pathInN8n(targetUrl, restApiUrl);
	return path === undefined ? targetUrl.replace(/^https?:\/\//, '') : `this n8n: ${path}`;
}

/** A webhook in a line: event, target URL and campaign. */
function describe(webhook: Webhook, restApiUrl: string): string {
	const { type = ALL_EVENTS, campaignId } = settingsOf(webhook);
	const url = shorten(displayUrl(webhook.targetUrl, restApiUrl));
	return [eventName(type), url, campaignId].filter(Boolean).join(' · ');
}

/** In lower case. */
function searchTextOf(webhook: Webhook, restApiUrl: string): string {
	const { type = ALL_EVENTS } = settingsOf(webhook);
	const event = EVENTS.get(type)?.listedName ?? type;
	const texts = [describe(webhook, restApiUrl), webhook._id, webhook.targetUrl, event, type];
	return texts.join(' ').toLowerCase();
}

/** The list of webhooks for the resource locator (§4.1), searched by event, target URL, campaign and ID. */
export async function searchWebhooks(
	ctx: ILoadOptionsFunctions,
	runtime: Runtime,
	filter?: string,
): Promise<INodeListSearchResult> {
	const restApiUrl = ctx.getRestApiUrl();
	const searched = filter?.trim().toLowerCase() ?? '';
	const webhooks = await reportedBy(
		ctx.getNode(),
		createClient(ctx, runtime, { policy: USER }).listWebhooks(),
	);
	const results = webhooks
		.filter((webhook) => searchTextOf(webhook, restApiUrl).includes(searched))
		.map((webhook) => ({ name: describe(webhook, restApiUrl), value: webhook._id }))
		.sort((a, b) => a.name.localeCompare(b.name, 'en'));
	return { results };
}

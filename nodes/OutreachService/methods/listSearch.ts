import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { createClient } from '../api/client';
import { withNodeErrors } from '../api/errors';
import { USER } from '../api/retry';
import { ALL_EVENTS, EVENTS, eventName } from '../domain/eventTypes';
import { pathInN8n } from '../domain/triggerUrl';
import { settingsOf, type Webhook } from '../domain/webhook';
import type { Runtime } from '../runtime/runtime';

/** n8n cuts off a line at some fifty characters: a URL must leave room for what comes after it. */
const LONGEST_URL = 26;
/** Workflow and node tell more than anything after them. */
const LONGEST_TITLE = 60;

/** Without a schema: to parse tens of thousands of webhooks would take seconds. */
const typeOf = ({ type }: Webhook): string =>
	typeof type === 'string' && type !== '' ? type : ALL_EVENTS;

const THIS_N8N = 'this n8n';

const shorten = (text: string, longest: number): string =>
	text.length > longest ? `${text.slice(0, longest - 1)}…` : text;

/** A target URL without its scheme; one of this n8n says so, and leaves out the host. */
function displayUrl(targetUrl: string, restApiUrl: string): string {
	const path = pathInN8n(targetUrl, restApiUrl);
	return path === undefined ? targetUrl.replace(/^https?:\/\//, '') : `${THIS_N8N}: ${path}`;
}

type FindOwner = ReturnType<Runtime['activeNodes']['owners']>;

/** A webhook in a line: event, target URL and campaign; for one of an active trigger, the trigger in place of the URL. */
function describe(webhook: Webhook, ownerOf: FindOwner, restApiUrl: string): string {
	const { type = ALL_EVENTS, campaignId } = settingsOf(webhook);
	const owner = ownerOf(webhook);
	const target =
		owner === undefined
			? shorten(displayUrl(webhook.targetUrl, restApiUrl), LONGEST_URL)
			: shorten(owner, LONGEST_TITLE);
	return [eventName(type), target, campaignId].filter(Boolean).join(' · ');
}

/** Without what only a page of the list needs: a team may have tens of thousands of webhooks. */
type Entry = { webhook: Webhook; order: string };

/** Whether a webhook has a text in lower case in it: event, target URL, campaign, ID or whose it is. */
function hasText(
	webhook: Webhook,
	searched: string,
	ownerOf: FindOwner,
	restApiUrl: string,
): boolean {
	const type = typeOf(webhook);
	const campaignId = typeof webhook.campaignId === 'string' ? webhook.campaignId : '';
	const event = EVENTS.get(type)?.listedName ?? type;
	// Only where it is asked for: to find it out takes longer than all the rest.
	if (THIS_N8N.includes(searched) && pathInN8n(webhook.targetUrl, restApiUrl) !== undefined) {
		return true;
	}
	const owner = ownerOf(webhook) ?? '';
	return [eventName(type), webhook.targetUrl, campaignId, webhook._id, event, type, owner].some(
		(text) => text.toLowerCase().includes(searched),
	);
}

/** How many webhooks the list shows at a time; the editor asks for more when a person scrolls to its end. */
const PAGE_SIZE = 200;

/**
 * The list of webhooks for the resource locator (§4.1), searched by event, target URL, campaign and ID.
 * @param page where the page begins, as the page before gave it
 */
export async function searchWebhooks(
	ctx: ILoadOptionsFunctions,
	runtime: Runtime,
	filter?: string,
	page?: string,
): Promise<INodeListSearchResult> {
	const restApiUrl = ctx.getRestApiUrl();
	const searched = filter?.trim().toLowerCase() ?? '';
	const webhooks = await withNodeErrors(
		ctx.getNode(),
		createClient(ctx, runtime, { policy: USER }).listWebhooks(),
	);
	const ownerOf = runtime.activeNodes.owners();
	const from = Number(page ?? 0) || 0;
	const found: Entry[] = webhooks
		.filter((webhook) => searched === '' || hasText(webhook, searched, ownerOf, restApiUrl))
		.map((webhook) => ({
			webhook,
			order: `${eventName(typeOf(webhook))} ${webhook.targetUrl}`,
		}))
		// By code units: collation would take seconds for a long list.
		.sort((a, b) => (a.order < b.order ? -1 : 1));
	const results = found
		.slice(from, from + PAGE_SIZE)
		.map(({ webhook }) => ({ name: describe(webhook, ownerOf, restApiUrl), value: webhook._id }));
	const hasMore = found.length > from + PAGE_SIZE;
	return hasMore ? { results, paginationToken: String(from + PAGE_SIZE) } : { results };
}

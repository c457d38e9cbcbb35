/** The list from which a user chooses a webhook in the editor. */
import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { createClient } from '../api/client';
import { withNodeErrors } from '../api/errors';
import { USER } from '../api/policy';
import { ALL_EVENTS, EVENTS, eventName } from '../domain/eventTypes';
import { pathInN8n, triggerUrlIn } from '../domain/triggerUrl';
import { eventOf, settingsOf, type Webhook } from '../domain/webhook';
import type { Runtime } from '../runtime/runtime';

/** The maximum number of characters of a URL. n8n cuts off a line at some fifty, and the campaign comes after the URL. */
const LONGEST_SHOWN_URL = 26;
/** The maximum number of characters of workflow and node, which tell more than anything after them. */
const LONGEST_TITLE = 60;

/** The event that the list shows: a webhook whose type cannot be read is shown as one for all events. */
const shownEvent = (webhook: Webhook): string => eventOf(webhook) ?? ALL_EVENTS;

const THIS_N8N = 'this n8n';

const shorten = (text: string, longest: number): string =>
	text.length > longest ? `${text.slice(0, longest - 1)}…` : text;

/**
 * A target URL without its scheme, and without what the URLs of triggers have in common. A URL of this n8n has 'this n8n' in
 * place of the host. Of a long one, the middle is left out: its end tells it from others of the same host.
 */
function displayUrl(targetUrl: string, restApiUrl: string): string {
	const path = pathInN8n(targetUrl, restApiUrl);
	const url = path === undefined ? targetUrl.replace(/^https?:\/\//i, '') : `${THIS_N8N}: ${path}`;
	const told = triggerUrlIn(targetUrl) ? url.replace(/\/webhook\?.*$/, '') : url;
	if (told.length <= LONGEST_SHOWN_URL) return told;
	const half = LONGEST_SHOWN_URL / 2;
	return `${told.slice(0, half)}…${told.slice(1 - half)}`;
}

type FindOwner = ReturnType<Runtime['triggerNodes']['owners']>;

/** A webhook in a line: event, target URL and campaign. If an active trigger uses it, the trigger replaces the URL. */
function describe(webhook: Webhook, ownerOf: FindOwner, restApiUrl: string): string {
	const { campaignId } = settingsOf(webhook);
	const owner = ownerOf(webhook);
	const target =
		owner === undefined ? displayUrl(webhook.targetUrl, restApiUrl) : shorten(owner, LONGEST_TITLE);
	return [eventName(shownEvent(webhook)), target, campaignId].filter(Boolean).join(' · ');
}

/** The text by which a webhook is sorted. */
const orderOf = (webhook: Webhook): string =>
	`${eventName(shownEvent(webhook))} ${webhook.targetUrl}`;

/**
 * Whether the event, the target URL, the campaign, the ID or the owner of a webhook contains a text.
 * @param searched the text in lower case
 */
function hasText(
	webhook: Webhook,
	searched: string,
	ownerOf: FindOwner,
	restApiUrl: string,
): boolean {
	const type = shownEvent(webhook);
	const campaignId = typeof webhook.campaignId === 'string' ? webhook.campaignId : '';
	const event = EVENTS.get(type)?.listedName ?? type;
	// Only when somebody may search for 'this n8n': comparing the URL takes longer than all the rest.
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
 * The list of webhooks for the resource locator (§4.1), sorted by event and target URL.
 * @param filter a text that the event, the target URL, the campaign, the ID or the owner of a webhook must contain
 * @param page the `paginationToken` of the page before; undefined for the first page
 * @throws NodeApiError or NodeOperationError when the webhooks cannot be listed
 */
export async function searchWebhooks(
	ctx: ILoadOptionsFunctions,
	runtime: Runtime,
	filter?: string,
	page?: string,
): Promise<INodeListSearchResult> {
	const restApiUrl = ctx.getRestApiUrl();
	// n8n passes on whatever is sent to it.
	const searched = typeof filter === 'string' ? filter.trim().toLowerCase() : '';
	const webhooks = await withNodeErrors(
		ctx.getNode(),
		createClient(ctx, runtime, { policy: USER }).listWebhooks(),
	);
	const ownerOf = runtime.triggerNodes.owners();
	const from = Number(page ?? 0) || 0;
	// The editor needs each value once.
	const unique = new Map(webhooks.map((webhook) => [webhook._id, webhook]));
	const found = [...unique.values()]
		.filter((webhook) => searched === '' || hasText(webhook, searched, ownerOf, restApiUrl))
		.map((webhook) => ({ webhook, order: orderOf(webhook) }))
		// Compared by code units, because collation would take seconds for a long list.
		.sort((a, b) => (a.order < b.order ? -1 : 1));
	const results = found
		.slice(from, from + PAGE_SIZE)
		.map(({ webhook }) => ({ name: describe(webhook, ownerOf, restApiUrl), value: webhook._id }));
	const hasMore = found.length > from + PAGE_SIZE;
	return hasMore ? { results, paginationToken: String(from + PAGE_SIZE) } : { results };
}

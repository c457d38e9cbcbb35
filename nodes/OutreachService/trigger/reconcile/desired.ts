import type { WebhookSettings } from '../../model/schemas';
import { ALL_EVENTS, EVENT_TYPES } from '../../model/eventTypes';
import type { DesiredWebhook } from '../../model/registration';
import type { Selection } from '../../model/selection';
import { normalizeUrl } from '../../model/targetUrl';
import { subscribedEvents } from '../parameters';

/**
 * The target URL of a node's webhook: n8n's path, and the event in the query. n8n routes on the path alone, so all
 * webhooks of a node reach it, and each has a target URL of its own (D7).
 * @param campaignId when the node has webhooks of several campaigns
 */
export function targetUrlFor(base: string, event: string, campaignId?: string): string {
	const campaign = campaignId === undefined ? '' : `&campaign=${encodeURIComponent(campaignId)}`;
	return `${base}?event=${encodeURIComponent(event)}${campaign}`;
}

/** Whether a URL is exactly one that this node gives, however it is written (D29); others may begin like it. */
export function isOwnUrl(base: string, targetUrl: string): boolean {
	const [url, query] = normalizeUrl(targetUrl).split('?');
	if (url !== normalizeUrl(base)) return false;
	const parameters = new URLSearchParams(query);
	const names = [...parameters.keys()].join(',');
	if (!['event', 'event,campaign'].includes(names) || parameters.get('campaign') === '') {
		return false;
	}
	const event = parameters.get('event') ?? '';
	return event === ALL_EVENTS || EVENT_TYPES.has(event);
}

/**
 * The campaigns for which a selection has webhooks of their own; `undefined` is a webhook for all campaigns. With one
 * webhook for everything the node itself tells several campaigns apart.
 */
function subscribedCampaigns({ campaignIds, subscription }: Selection): Array<string | undefined> {
	const isOneForAll = campaignIds.length > 1 && subscription === 'singleHook';
	return isOneForAll || campaignIds.length === 0 ? [undefined] : campaignIds;
}

/** The webhooks that a selection needs (§4.2, §6.3). @param base the node's webhook URL, without the event */
export function desiredWebhooks(selection: Selection, base: string): DesiredWebhook[] {
	const campaigns = subscribedCampaigns(selection);
	return subscribedEvents(selection).flatMap((event) =>
		campaigns.map((campaignId) => ({
			event,
			targetUrl: targetUrlFor(base, event, campaigns.length > 1 ? campaignId : undefined),
			...(campaignId === undefined ? {} : { campaignId }),
			...(selection.isFirst ? { isFirst: true } : {}),
		})),
	);
}

/** The settings of a desired webhook as the service is sent them; `type` is left out for all events (§4.2). */
export function webhookSettings(desired: DesiredWebhook, secret: string): WebhookSettings {
	const { event, targetUrl, campaignId, isFirst } = desired;
	return { targetUrl, campaignId, isFirst, secret, type: event === ALL_EVENTS ? undefined : event };
}

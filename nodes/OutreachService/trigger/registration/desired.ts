import type { WebhookSettings } from '../../model/schemas';
import { ALL_EVENTS, EVENTS } from '../../model/eventTypes';
import type { DesiredWebhook } from '../../model/registration';
import { subscribedEvents, type Selection } from '../../model/selection';
import { normalizeUrl } from '../../model/targetUrl';

/**
 * The target URL of a node's webhook: n8n's path, and the event in the query. n8n routes on the path alone, so all
 * webhooks of a node reach it, and each has a target URL of its own (D7).
 * @param campaignId when the node has webhooks of several campaigns
 */
export function targetUrlFor(base: string, event: string, campaignId?: string): string {
	const campaign = campaignId === undefined ? '' : `&campaign=${encodeURIComponent(campaignId)}`;
	return `${base}?event=${encodeURIComponent(event)}${campaign}`;
}

/** Whether a URL has the form of those that this node gives, however it is written (D29): n8n routes it here anyway. */
export function isOwnUrl(base: string, targetUrl: string): boolean {
	// Most webhooks of a team have other URLs, and normalizing one takes longer than all the rest.
	if (!targetUrl.includes('event')) return false;
	const [url, query] = normalizeUrl(targetUrl).split('?');
	if (url !== normalizeUrl(base)) return false;
	const parameters = new URLSearchParams(query);
	const names = [...parameters.keys()].join(',');
	return ['event', 'event,campaign'].includes(names) && ![...parameters.values()].includes('');
}

/** Whether the activities of an event have a campaign; those of an unknown type may. */
const hasCampaign = (event: string): boolean => EVENTS.get(event)?.hasCampaign ?? true;

/**
 * The webhooks that a selection needs (§4.2, §6.3). Only one for a single event that has campaigns is tied to a campaign
 * (D70): a webhook of a campaign delivers no event without one. For `*`, the node itself tells campaigns apart.
 * @param base the node's webhook URL, without the event
 */
export function desiredWebhooks(selection: Selection, base: string): DesiredWebhook[] {
	const { campaignIds, isFirst } = selection;
	return subscribedEvents(selection).flatMap((event) => {
		const campaigns = hasCampaign(event) && campaignIds.length > 0 ? campaignIds : [undefined];
		return campaigns.map((campaignId) => ({
			event,
			targetUrl: targetUrlFor(base, event, campaigns.length > 1 ? campaignId : undefined),
			...(campaignId === undefined ? {} : { campaignId }),
			...(isFirst ? { isFirst: true } : {}),
		}));
	});
}

/** The settings of a desired webhook as the service is sent them; `type` is left out for all events (§4.2). */
export function webhookSettings(desired: DesiredWebhook, secret: string): WebhookSettings {
	const { event, targetUrl, campaignId, isFirst } = desired;
	return { targetUrl, campaignId, isFirst, secret, type: event === ALL_EVENTS ? undefined : event };
}

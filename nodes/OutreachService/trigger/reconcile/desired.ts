import type { WebhookSettings } from '../../model/schemas';
import { ALL_EVENTS, EVENT_TYPES } from '../../model/eventTypes';
import type { DesiredWebhook } from '../../model/registration';
import { normalizeUrl } from '../../model/targetUrl';
import { subscribedEvents, type Selection } from '../parameters';

/**
 * The target URL of a node's webhook: n8n's path, and the event in the query. n8n routes on the path alone, so all
 * webhooks of a node reach it, and each has a target URL of its own (D7).
 */
export function targetUrlFor(base: string, event: string): string {
	return `${base}?event=${event === ALL_EVENTS ? event : encodeURIComponent(event)}`;
}

/** Whether a URL is exactly one that this node gives, however it is written (D29); others may begin like it. */
export function isOwnUrl(base: string, targetUrl: string): boolean {
	const [url = '', query = ''] = normalizeUrl(targetUrl).split('?');
	if (url !== normalizeUrl(base)) return false;
	const [[name, event] = ['', ''], ...others] = [...new URLSearchParams(query)];
	const isKnown = event === ALL_EVENTS || EVENT_TYPES.has(event);
	return name === 'event' && isKnown && others.length === 0;
}

/** The webhooks that a selection needs (§4.2, §6.3). @param base the node's webhook URL, without the event */
export function desiredWebhooks(selection: Selection, base: string): DesiredWebhook[] {
	const { campaignId, isFirst } = selection;
	return subscribedEvents(selection).map((event) => ({
		event,
		targetUrl: targetUrlFor(base, event),
		...(campaignId ? { campaignId } : {}),
		...(isFirst ? { isFirst } : {}),
	}));
}

/** The settings of a desired webhook as the service is sent them; `type` is left out for all events (§4.2). */
export function webhookSettings(desired: DesiredWebhook, secret: string): WebhookSettings {
	const { event, targetUrl, campaignId, isFirst } = desired;
	return { targetUrl, campaignId, isFirst, secret, type: event === ALL_EVENTS ? undefined : event };
}

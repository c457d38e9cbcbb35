import type { HookSettings } from '../model/schemas';
import { ALL_EVENTS, EVENT_TYPES } from '../model/eventTypes';
import { subscribedEvents, type Selection } from './selection';

/** A webhook that the node wants at the service. */
export type WantedHook = {
	/** A type of §6.1, a custom one, or `*`. */
	event: string;
	targetUrl: string;
	campaignId?: string | undefined;
	isFirst?: boolean | undefined;
};

/**
 * The address that a webhook of ours has: n8n's path, and the event in the query. n8n routes on the path alone,
 * so all webhooks of a node reach it, and each has an address of its own (D7).
 */
export function hookUrl(base: string, event: string): string {
	return `${base}?event=${event === ALL_EVENTS ? event : encodeURIComponent(event)}`;
}

/** Whether an address is exactly one that this node gives; what only begins like it belongs to somebody else. */
export function isOwnUrl(base: string, targetUrl: string): boolean {
	if (!targetUrl.startsWith(`${base}?event=`)) return false;
	const event = targetUrl.slice(`${base}?event=`.length);
	return event === ALL_EVENTS || EVENT_TYPES.has(event);
}

/** The webhooks that a selection needs (§4.2, §6.3). */
export function wantedHooks(selection: Selection, base: string): WantedHook[] {
	const { campaignId, isFirst } = selection;
	return subscribedEvents(selection).map((event) => ({
		event,
		targetUrl: hookUrl(base, event),
		...(campaignId ? { campaignId } : {}),
		...(isFirst ? { isFirst } : {}),
	}));
}

/** What is sent to the service for a wanted webhook; `type` is left out for all events (§4.2). */
export function hookSettings(wanted: WantedHook, secret: string): HookSettings {
	const { event, targetUrl, campaignId, isFirst } = wanted;
	return { targetUrl, campaignId, isFirst, secret, type: event === ALL_EVENTS ? undefined : event };
}

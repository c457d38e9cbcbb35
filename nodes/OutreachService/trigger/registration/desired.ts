import type { WebhookSettings } from '../../model/schemas';
import { ALL_EVENTS, EVENTS } from '../../model/eventTypes';
import { targetUrlOf } from '../../model/n8nUrls';
import type { DesiredWebhook } from '../../model/registration';
import { subscribedEvents, type Selection } from '../../model/selection';

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
		return campaigns.map((campaignId) => {
			const settings = { event, campaignId, isFirst };
			return { ...settings, targetUrl: targetUrlOf({ base, ...settings }) };
		});
	});
}

/** The settings of a desired webhook; `type` is left out for all events (§4.2). */
export function webhookSettings(desired: DesiredWebhook): WebhookSettings {
	const { event, targetUrl, campaignId, isFirst } = desired;
	return { targetUrl, campaignId, isFirst, type: event === ALL_EVENTS ? undefined : event };
}

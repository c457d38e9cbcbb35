import type { WebhookSettings } from '../../domain/webhook';
import { ALL_EVENTS, EVENTS } from '../../domain/eventTypes';
import { targetUrlOf, type WebhookBase } from '../../domain/triggerUrl';
import type { DesiredWebhook } from '../../domain/registration';
import { subscribedEvents } from '../../parameters/chosenEvents';
import type { Selection } from '../../parameters/selection';

/**
 * Whether the webhook of an event can be tied to a campaign. Not where its activities have none: such a webhook may deliver
 * nothing without a campaign (D70). Nor for replies that third parties may send: these may have left their campaign (§6.6,
 * D80), so that the node itself tells campaigns apart. An unknown type is taken for one of a campaign.
 */
function isOfOneCampaign(event: string, { isFirst, thirdPartyReplies }: Selection): boolean {
	const mayLeaveCampaign = event === REPLY && !isFirst && thirdPartyReplies !== 'exclude';
	return !mayLeaveCampaign && (EVENTS.get(event)?.hasCampaign ?? true);
}

/** The event that a third party's reply is (§6.6). */
const REPLY = 'emailsReplied';

/**
 * The webhooks that a selection needs (§4.2, §6.3). Only one for a single event that has campaigns is tied to a campaign
 * (D70): a webhook of a campaign delivers no event without one. For `*`, the node itself tells campaigns apart.
 */
export function desiredWebhooks(selection: Selection, base: WebhookBase): DesiredWebhook[] {
	const { campaignIds, isFirst } = selection;
	return subscribedEvents(selection).flatMap((event) => {
		const isTied = campaignIds.length > 0 && isOfOneCampaign(event, selection);
		const campaigns = isTied ? campaignIds : [undefined];
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

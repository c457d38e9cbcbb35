/** The webhooks that the parameters need, with all settings but their secrets. */
import type { WebhookSettings } from '../../domain/webhook';
import { EVENTS } from '../../domain/eventTypes';
import { targetUrlOf, type WebhookBase } from '../../domain/triggerUrl';
import { subscribedEvents } from '../../parameters/chosenEvents';
import type { Selection } from '../../parameters/selection';

/**
 * Whether the webhook of an event can be tied to a campaign. A webhook of a campaign may deliver only activities that have
 * a campaign (D70), and a third party's reply may have left its campaign (§6.6, D80). So the webhook for either of these is
 * not tied, and the node itself filters by campaign. A type that is not listed counts as one that has a campaign.
 */
function isOfOneCampaign(event: string, { isFirst, thirdPartyReplies }: Selection): boolean {
	const mayLeaveCampaign = event === REPLY && !isFirst && thirdPartyReplies !== 'exclude';
	return !mayLeaveCampaign && (EVENTS.get(event)?.hasCampaign ?? true);
}

/** The event of a third party's reply (§6.6). */
const REPLY = 'emailsReplied';

/**
 * The webhooks that a selection needs (§4.2, §6.3): one for each event, or one for each campaign of an event that can be
 * tied to a campaign (D70). For other events and for `*`, the node itself filters by campaign.
 */
export function desiredWebhooks(selection: Selection, base: WebhookBase): WebhookSettings[] {
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

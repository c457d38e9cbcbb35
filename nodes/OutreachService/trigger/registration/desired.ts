/** The webhooks that the parameters of a node need (§4.2, §6.3). */
import { EVENTS } from '../../domain/eventTypes';
import { targetUrlOf, type TargetQuery, type WebhookBase } from '../../domain/triggerUrl';
import { subscribedEvents } from '../../parameters/chosenEvents';
import type { Selection } from '../../parameters/selection';

/** A webhook that a node needs. Its target URL says all of the rest, too. */
export type DesiredWebhook = TargetQuery & { targetUrl: string };

/** The event of a third party's reply (§6.6). */
const REPLY = 'emailsReplied';

/**
 * Whether the webhook of an event can be tied to a campaign. A webhook of a campaign may deliver only activities that have
 * a campaign (D70), and a third party's reply may have left its campaign (§6.6, D80). So the webhook for either of these is
 * not tied, and the node itself filters by campaign. A type that the nodes do not know counts as one that has a campaign.
 */
function isOfOneCampaign(event: string, { isFirst, thirdPartyReplies }: Selection): boolean {
	const mayLeaveCampaign = event === REPLY && !isFirst && thirdPartyReplies !== 'exclude';
	return !mayLeaveCampaign && (EVENTS.get(event)?.hasCampaign ?? true);
}

/**
 * The webhooks that a selection needs: one for each event, or one for each campaign of an event that can be tied to a campaign
 * (D70). For other events and for `*`, the node itself filters by campaign.
 * @param keyId the fingerprint of the current API key
 */
export function desiredWebhooks(
	selection: Selection,
	base: WebhookBase,
	keyId: string,
): DesiredWebhook[] {
	const { campaignIds, isFirst } = selection;
	return subscribedEvents(selection).flatMap((event) => {
		const isTied = campaignIds.length > 0 && isOfOneCampaign(event, selection);
		const campaigns = isTied ? campaignIds : [undefined];
		return campaigns.map((campaignId) => {
			const query = { event, campaignId, isFirst, keyId };
			return { ...query, targetUrl: targetUrlOf(base, query) };
		});
	});
}

import { ALL_EVENTS, LEAD_STATES } from '../../model/eventTypes';
import type { Activity } from '../../model/schemas';
import type { Selection } from '../../model/selection';
import { subscribedEvents } from '../parameters';

/**
 * The subscription that a delivery belongs to, so that no query gets an activity past the filter or the duplicates: the
 * event in its target URL if the node subscribes to that, otherwise the activity's type or all events. A webhook that
 * the service has not removed yet may deliver what another one delivers, too.
 */
export function subscriptionOf(
	eventInUrl: string,
	{ type = ALL_EVENTS }: Pick<Activity, 'type'>,
	selection: Selection,
): string {
	const subscribed = subscribedEvents(selection);
	if (subscribed.includes(eventInUrl)) return eventInUrl;
	return subscribed.includes(type) && !subscribed.includes(ALL_EVENTS) ? type : ALL_EVENTS;
}

/**
 * Whether an activity is one that the user selected. The service filters already; what can be checked is checked
 * again, because the API spec leaves open which filters it applies (D15).
 * @param subscription see {@link subscriptionOf}
 */
export function isSelected(
	activity: Activity,
	subscription: string,
	selection: Selection,
): boolean {
	const { campaignIds, events, thirdPartyReplies } = selection;
	const isThirdParty = activity.isThirdPartyReply === true;
	if (thirdPartyReplies === 'exclude' && isThirdParty) return false;
	if (thirdPartyReplies === 'only' && !isThirdParty) return false;
	// What has no campaign was not left out by choosing one: a third-party reply may have left its campaign (§6.6).
	const isInCampaign =
		campaignIds.length === 0 ||
		activity.campaignId === undefined ||
		campaignIds.includes(activity.campaignId);
	if (!isInCampaign) return false;
	// Only the webhook for all events delivers other events; a lead state's has the type of an activity (D8).
	if (subscription !== ALL_EVENTS || events.includes(ALL_EVENTS)) return true;
	const isSubscribedToAll = subscribedEvents(selection).includes(ALL_EVENTS);
	if (activity.type === undefined) return isSubscribedToAll;
	// A lead state that is selected beside the webhook for all events has a webhook of its own.
	return events.includes(activity.type) && !(isSubscribedToAll && LEAD_STATES.has(activity.type));
}

/** The event of *Trigger On* for which an activity came: one webhook for everything delivers it as well (§6.3). */
export const selectedEvent = (
	subscription: string,
	{ type }: Pick<Activity, 'type'>,
	{ events }: Selection,
): string =>
	subscription === ALL_EVENTS && type !== undefined && events.includes(type) ? type : subscription;

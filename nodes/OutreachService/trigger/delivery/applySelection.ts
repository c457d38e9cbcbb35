/** Which deliveries start the workflow: the chosen events, the filters, and the conditions of *Only When*. */
import type { IDataObject } from 'n8n-workflow';

import type { Activity } from '../../domain/activity';
import { evaluateConditions, missText } from '../../domain/conditions';
import { ALL_EVENTS, canDeliver } from '../../domain/eventTypes';
import { subscribedEvents } from '../../parameters/chosenEvents';
import type { Selection } from '../../parameters/selection';
import { ABSENT_EVENTS } from '../../runtime/absentFields';
import type { Delivery } from './delivery';

/**
 * The chosen event for which a delivery came.
 *
 * The query of a target URL names the event of its webhook. If this node has registered a webhook for that event alone, the
 * delivery came for it, unless its activity is one that such a webhook never delivers (D70). The activity that makes a lead `warmed` has
 * the type of a reply, though (D8). Otherwise, the webhook for all events has delivered the activity, or one that was just removed,
 * and the type of the activity says for which event.
 *
 * An event in the query for which there is no webhook is ignored. So whoever changes the query gets no activity past the
 * chosen events, and no duplicate past the deduplication.
 * @returns undefined when the event is not chosen
 */
export function chosenEvent(
	eventInUrl: string,
	{ type }: Pick<Activity, 'type'>,
	selection: Selection,
): string | undefined {
	const { events } = selection;
	const subscribed = subscribedEvents(selection);
	const ownWebhooks = subscribed.filter((event) => event !== ALL_EVENTS);
	if (ownWebhooks.includes(eventInUrl) && canDeliver(eventInUrl, type)) return eventInUrl;
	// A lead state that was chosen has a webhook of its own beside the one for all events. An activity that has the lead state as
	// its type may come from both, and counts as the lead state only when its own webhook delivers it.
	const isLeftToOwnWebhook =
		type !== null && subscribed.includes(ALL_EVENTS) && ownWebhooks.includes(type);
	if (type !== null && !isLeftToOwnWebhook && events.includes(type)) return type;
	// '*' means all events, or everything else. Without it, an activity of another type, or of none, is not chosen.
	return events.includes(ALL_EVENTS) ? ALL_EVENTS : undefined;
}

/**
 * Whether an activity passes the filters for campaigns and third-party replies. The API leaves open which filters the
 * service applies, so the node checks them again (D70).
 */
export function passesFilters(
	{ campaignId, isThirdPartyReply }: Pick<Activity, 'campaignId' | 'isThirdPartyReply'>,
	{ campaignIds, thirdPartyReplies }: Selection,
): boolean {
	if (thirdPartyReplies === 'only' && !isThirdPartyReply) return false;
	if (thirdPartyReplies === 'exclude' && isThirdPartyReply) return false;
	// An activity without a campaign passes, because a third-party reply may have left its campaign (§6.6).
	return campaignIds.length === 0 || campaignId === null || campaignIds.includes(campaignId);
}

/**
 * Whether an activity meets the conditions of *Only When*. A condition that cannot be evaluated counts as not met, and the
 * log says so once.
 * @param json all that was delivered, without the secret
 */
export function meetsConditions(
	delivery: Delivery,
	json: IDataObject,
	{ onlyWhen }: Selection,
): boolean {
	if (onlyWhen === undefined) return true;
	const { ctx, runtime, nodeKey } = delivery;
	const { name } = ctx.getNode();
	const { isMet, misses, absentFields } = evaluateConditions(json, onlyWhen, ctx.getTimezone());
	const named = onlyWhen.conditions.map(({ field }) => field);
	// A field that the first events of the node all lack may be misspelled (D88).
	for (const field of runtime.absentFields.add([nodeKey, ...named].join('\n'), absentFields)) {
		ctx.logger.warn(
			`None of the first ${ABSENT_EVENTS} events of "${name}" had the field '${field}' of a condition of 'Only When'. Check how it is spelled: compare it with the fields of an event in the editor.`,
		);
	}
	const unreadable = misses.find(({ reason }) => reason !== undefined);
	if (!isMet && unreadable !== undefined) {
		runtime.warnOnce(
			ctx,
			`condition ${nodeKey}`,
			`An event did not start "${name}", because a condition of 'Only When' could not be evaluated: ${missText(unreadable)}. Further ones are not logged until n8n restarts.`,
		);
	}
	return isMet;
}

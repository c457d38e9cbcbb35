/**
 * Which webhooks are in the way of refused ones at a publication and in a check (D7): those that nobody needs meanwhile, or that
 * have the target URL.
 */
import { isConflict } from '../../api/errors';
import { ALL_EVENTS } from '../../domain/eventTypes';
import { triggerUrlIn } from '../../domain/triggerUrl';
import { eventOf, settingsOf, type Webhook } from '../../domain/webhook';
import type { Creates } from './creates';

/**
 * Tells whether a webhook that is to be removed anyway may be removed before the refused webhooks exist.
 * @param creates those of the change, at least one of which was refused
 */
export function isUnneeded({ notMade }: Creates): (webhook: Webhook) => boolean {
	const eventsNotCreated = [...notMade.keys()].map(({ desired }) => desired.event);
	const conflicts = [...notMade].filter(([, { error }]) => isConflict(error));
	const eventsOfTakenUrls = new Set(conflicts.map(([{ desired }]) => desired.event));
	return (webhook) => {
		// A disabled webhook delivers nothing.
		if (settingsOf(webhook).disabled === true) return true;
		// The service says that the target URL is taken. An earlier webhook for the same event has the URL if the service
		// ignores what else differs in the query, such as the campaign.
		const eventInUrl = triggerUrlIn(webhook.targetUrl)?.event;
		if (eventInUrl !== undefined && eventsOfTakenUrls.has(eventInUrl)) return true;
		// A webhook for all events serves those whose webhooks could not be created, too.
		const event = eventOf(webhook) ?? ALL_EVENTS;
		if (event === ALL_EVENTS) return false;
		return !eventsNotCreated.includes(event) && !eventsNotCreated.includes(ALL_EVENTS);
	};
}

/** What a user chooses in a trigger, and what must follow from it: written from the documents, not from the nodes' code. */
import fc from 'fast-check';
import type { HookFields } from '../service';

/** The value for all events in the trigger's selection. */
const ALL_EVENTS = '*';

/** With activities of these types, every webhook that a selection can create receives a delivery. */
export const ACTIVITY_TYPES = ['paused', 'emailsReplied', 'smsReplied'] as const;

/** What the editor calls the events, and reports, too. */
const EVENT_NAMES: Readonly<Record<string, string>> = {
	[ALL_EVENTS]: 'All Events',
	paused: 'Workspace: Lead Paused',
	emailsReplied: 'Email: Reply Received',
	smsReplied: 'SMS: Reply Received',
};

/** The campaign of every activity. */
export const CAMPAIGN = 'cam_histories';

export interface Settings {
	events: string[];
	campaignId: string;
	subscription: 'hookPerEvent' | 'singleHook';
}

/** Those of every trigger at the beginning. */
export const INITIAL_SETTINGS: Settings = {
	events: ['paused', 'emailsReplied'],
	campaignId: '',
	subscription: 'hookPerEvent',
};

/** The simplest values come first: a failing history is shrunk towards them. */
export const anySettings: fc.Arbitrary<Settings> = fc.record({
	events: fc.oneof(
		{ weight: 4, arbitrary: fc.subarray<string>([...ACTIVITY_TYPES], { minLength: 1 }) },
		{ weight: 1, arbitrary: fc.constantFrom<string[]>([ALL_EVENTS], ['smsReplied', ALL_EVENTS]) },
	),
	campaignId: fc.constantFrom('', '', CAMPAIGN),
	subscription: fc.constantFrom('hookPerEvent', 'hookPerEvent', 'singleHook'),
});

/** The parameters of the trigger node: with a check every minute, and with items that name their event. */
export const parametersFor = ({ events, campaignId, subscription }: Settings) => ({
	events,
	options: { campaignId, subscription, repairMinutes: 1, output: 'grouped' },
});

export const selects = ({ events }: Settings, type: string): boolean =>
	events.includes(type) || events.includes(ALL_EVENTS);

/** The event for which a delivery counts: the one in the target URL if it has a webhook of its own, else the type. */
export function subscriptionFor({ events }: Settings, type: string): string {
	return events.includes(ALL_EVENTS) ? ALL_EVENTS : type;
}

/** The name of an event of those that a webhook with this type delivers, as a report has it. */
export function reportedEventOf(type: string | undefined, { events }: Settings): string {
	const event = type ?? (events.includes(ALL_EVENTS) ? ALL_EVENTS : events[0]);
	return EVENT_NAMES[event ?? ALL_EVENTS] ?? '';
}

/** A webhook in one line: what the trigger sets, and whether it works. Its API key does not matter. */
export const lineOf = ({
	targetUrl,
	type,
	campaignId,
	disabled,
}: Pick<HookFields, 'targetUrl' | 'type' | 'campaignId'> & { disabled: boolean }): string => {
	const url = new URL(targetUrl);
	url.searchParams.delete('keyId');
	// A service may write the query in another order.
	url.searchParams.sort();
	return `${url.href} ${JSON.stringify({ type, campaignId, disabled })}`;
};

/**
 * The webhooks that must exist with these settings, as lines.
 *
 * @param webhookUrl the trigger's production URL, without the query
 */
export function webhooksFor({ events, campaignId, subscription }: Settings, webhookUrl: string) {
	const isOne = subscription === 'singleHook' || events.includes(ALL_EVENTS);
	return (isOne ? [ALL_EVENTS] : events).map((event) => {
		// A webhook for everything, or for replies that may have left their campaign, is tied to none: the node filters.
		const isTied = campaignId !== '' && !isOne && event !== 'emailsReplied';
		const targetUrl = `${webhookUrl}?event=${event}${isTied ? `&campaign=${campaignId}` : ''}`;
		return lineOf({
			targetUrl,
			disabled: false,
			...(!isOne && { type: event }),
			...(isTied && { campaignId }),
		});
	});
}

import fc from 'fast-check';
import { ALL_EVENTS, CUSTOM_EVENT, STATE_GROUP } from './events';

/** What a user chooses in the trigger. */
export interface Settings {
	events: string[];
	customEventTypes: string;
	campaignId: string;
	isFirst: boolean;
	subscription: 'hookPerEvent' | 'singleHook';
	verifySecret: boolean;
}

/** A webhook that has to be at the service, as far as the trigger decides it. */
export interface ExpectedHook {
	targetUrl: string;
	type: string | undefined;
	campaignId: string | undefined;
	isFirst: boolean;
}

/** The first values are the simplest: a failing history is shrunk towards them. */
export const settingsArbitrary: fc.Arbitrary<Settings> = fc.record({
	events: fc.uniqueArray(
		fc.constantFrom('paused', 'emailsReplied', 'smsReplied', STATE_GROUP, ALL_EVENTS),
		{ minLength: 1, maxLength: 4 },
	),
	customEventTypes: fc.constantFrom('', '', CUSTOM_EVENT),
	campaignId: fc.constantFrom('', '', 'cam_chaos'),
	isFirst: fc.constantFrom(false, false, true),
	subscription: fc.constantFrom('hookPerEvent', 'hookPerEvent', 'singleHook'),
	verifySecret: fc.constantFrom(true, true, false),
});

/**
 * The parameters of the trigger node for these settings. Webhooks are checked every minute, and an item tells the
 * webhook that brought it.
 */
export function parametersFor({ events, ...options }: Settings): Record<string, unknown> {
	return { events, options: { ...options, repairMinutes: 1, output: 'grouped' } };
}

/** Whether the user of these settings wants an activity of this type from the webhook for `subscription`. */
export function selects(settings: Settings, subscription: string, type: string): boolean {
	const { events, customEventTypes } = settings;
	const selected = [...events, customEventTypes];
	if (subscription !== ALL_EVENTS) return selected.includes(subscription);
	return selected.includes(ALL_EVENTS) || selected.includes(type);
}

/** For which events there is a webhook; written from the documents, not from the node. */
function subscriptions({ events, customEventTypes, subscription }: Settings): string[] {
	const selected = [...events, ...(customEventTypes === '' ? [] : [customEventTypes])];
	if (selected.includes(ALL_EVENTS)) return [ALL_EVENTS];
	if (subscription === 'hookPerEvent') return selected;
	const groups = selected.filter((event) => event === STATE_GROUP);
	return groups.length === selected.length ? groups : [ALL_EVENTS, ...groups];
}

/** @param address of the trigger in n8n, without the event. */
export function hooksFor(settings: Settings, address: string): ExpectedHook[] {
	return subscriptions(settings).map((event) => ({
		targetUrl: `${address}?event=${event}`,
		type: event === ALL_EVENTS ? undefined : event,
		campaignId: settings.campaignId === '' ? undefined : settings.campaignId,
		isFirst: settings.isFirst,
	}));
}

/** Short enough for a line of a history; what is as it was at first is left out. */
export function describeSettings(settings: Settings): string {
	const { events, customEventTypes, campaignId, isFirst, subscription, verifySecret } = settings;
	return [
		[...events, ...(customEventTypes === '' ? [] : [customEventTypes])].join(' + '),
		...(campaignId === '' ? [] : [`campaign ${campaignId}`]),
		...(isFirst ? ['first activity only'] : []),
		...(subscription === 'singleHook' ? ['one webhook for everything'] : []),
		...(verifySecret ? [] : ['secret not verified']),
	].join(', ');
}

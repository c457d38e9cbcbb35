import fc from 'fast-check';
import { ALL_EVENTS, CUSTOM_EVENT, LEAD_STATE } from './events';

/** The trigger settings that a user chooses. */
export interface Settings {
	events: string[];
	customEventTypes: string;
	campaignId: string;
	isFirst: boolean;
	subscription: 'hookPerEvent' | 'singleHook';
	verifySecret: boolean;
}

/** A webhook that must exist at the service: the fields that the trigger sets. */
export interface ExpectedWebhook {
	targetUrl: string;
	type: string | undefined;
	campaignId: string | undefined;
	isFirst: boolean;
}

/** The simplest values come first: a failing history is shrunk towards them. */
export const settingsArbitrary: fc.Arbitrary<Settings> = fc.record({
	events: fc.uniqueArray(
		fc.constantFrom('paused', 'emailsReplied', 'smsReplied', LEAD_STATE, ALL_EVENTS),
		{ minLength: 1, maxLength: 4 },
	),
	customEventTypes: fc.constantFrom('', '', CUSTOM_EVENT),
	campaignId: fc.constantFrom('', '', 'cam_chaos'),
	isFirst: fc.constantFrom(false, false, true),
	subscription: fc.constantFrom('hookPerEvent', 'hookPerEvent', 'singleHook'),
	verifySecret: fc.constantFrom(true, true, false),
});

/**
 * The parameters of the trigger node for these settings, with a check every minute, and with items that name the
 * webhook they came from.
 */
export function parametersFor({ events, ...options }: Settings): Record<string, unknown> {
	return { events, options: { ...options, repairMinutes: 1, output: 'grouped' } };
}

/** Whether these settings select an activity of this type, delivered by the webhook for `subscription`. */
export function selects(settings: Settings, subscription: string, type: string): boolean {
	const { events, customEventTypes } = settings;
	const selected = [...events, customEventTypes];
	if (subscription !== ALL_EVENTS) return selected.includes(subscription);
	return selected.includes(ALL_EVENTS) || selected.includes(type);
}

/** The events that need a webhook, written from the documentation rather than from the node's code. */
function subscriptions({ events, customEventTypes, subscription }: Settings): string[] {
	const selected = [...events, ...(customEventTypes === '' ? [] : [customEventTypes])];
	if (selected.includes(ALL_EVENTS)) return [ALL_EVENTS];
	if (subscription === 'hookPerEvent') return selected;
	const leadStates = selected.filter((event) => event === LEAD_STATE);
	return leadStates.length === selected.length ? leadStates : [ALL_EVENTS, ...leadStates];
}

/** @param webhookUrl the trigger's production URL, without the event */
export function webhooksFor(settings: Settings, webhookUrl: string): ExpectedWebhook[] {
	return subscriptions(settings).map((event) => ({
		targetUrl: `${webhookUrl}?event=${event}`,
		type: event === ALL_EVENTS ? undefined : event,
		campaignId: settings.campaignId === '' ? undefined : settings.campaignId,
		isFirst: settings.isFirst,
	}));
}

/** A one-line description for a history; omits settings with their initial value. */
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

import fc from 'fast-check';

/** The value for all events in the trigger's selection. */
const ALL_EVENTS = '*';
/** A lead state: also delivers activities of other types (§6.1). */
const LEAD_STATE = 'warmed';
/** A type that is not in the node's list. */
const CUSTOM_EVENT = 'brandNew';

/** With activities of these types, every webhook that a selection can create receives a delivery. */
export const ACTIVITY_TYPES = ['paused', 'emailsReplied', 'smsReplied', CUSTOM_EVENT] as const;

/** The trigger settings that a user chooses. */
export interface Settings {
	events: string[];
	customEventTypes: string;
	campaignId: string;
	isFirst: boolean;
	subscription: 'hookPerEvent' | 'singleHook';
	verifySecret: boolean;
	/** Whether the workflow runs for up to `MAX_IN_BATCH` events at a time. */
	batch: boolean;
	/** Whether Only When selects the activities that `meetsCondition` does. */
	onlyWhen: boolean;
	duplicateMemory: 'process' | 'database';
	reportProblems: boolean;
}

/** A webhook that must exist at the service: the fields that the trigger sets. */
export interface ExpectedWebhook {
	targetUrl: string;
	type: string | undefined;
	campaignId: string | undefined;
	isFirst: boolean;
}

/** The simplest values come first: a failing history is shrunk towards them. */
const anySettings: fc.Arbitrary<Settings> = fc.record({
	events: fc.uniqueArray(
		fc.constantFrom('paused', 'emailsReplied', 'smsReplied', LEAD_STATE, ALL_EVENTS),
		{ minLength: 1, maxLength: 4 },
	),
	customEventTypes: fc.constantFrom('', '', CUSTOM_EVENT),
	campaignId: fc.constantFrom('', '', 'cam_chaos'),
	isFirst: fc.constantFrom(false, false, true),
	subscription: fc.constantFrom('hookPerEvent', 'hookPerEvent', 'singleHook'),
	verifySecret: fc.constantFrom(true, true, false),
	batch: fc.constantFrom(false, true),
	onlyWhen: fc.constantFrom(false, false, true),
	duplicateMemory: fc.constantFrom('process', 'database'),
	reportProblems: fc.constantFrom(true, true, false),
});

/** The first activity only needs a webhook for each event: anything else is refused. */
export const settingsArbitrary = anySettings.map(
	(settings): Settings => ({
		...settings,
		isFirst:
			settings.isFirst &&
			settings.subscription === 'hookPerEvent' &&
			!settings.events.includes(ALL_EVENTS),
	}),
);

/** How many events an execution has, at most. */
export const MAX_IN_BATCH = 3;

/** About half of all activities, by the last character of their ID. */
const CONDITION = '[0-7]$';

const ONLY_WHEN = {
	combinator: 'and',
	conditions: [
		{
			id: 'half',
			leftValue: '_id',
			operator: { type: 'string', operation: 'regex' },
			rightValue: CONDITION,
		},
	],
	options: { caseSensitive: false, leftValue: '', typeValidation: 'loose', version: 2 },
};

const meetsCondition = (activityId: string): boolean => new RegExp(CONDITION).test(activityId);

/**
 * The parameters of the trigger node for these settings, with a check every minute, and with items that name the
 * webhook they came from.
 */
export function parametersFor({
	events,
	batch,
	onlyWhen,
	...options
}: Settings): Record<string, unknown> {
	return {
		events,
		options: {
			...options,
			...(batch && { batch: { values: { maxEvents: MAX_IN_BATCH, maxSeconds: 1 } } }),
			...(onlyWhen && { onlyWhen: ONLY_WHEN }),
			repairMinutes: 1,
			output: 'grouped',
		},
	};
}

/** Whether these settings select this activity, delivered by the webhook for `subscription`. */
export function selects(
	settings: Settings,
	{ subscription, type, id }: { subscription: string; type: string; id: string },
): boolean {
	const { events, customEventTypes, onlyWhen } = settings;
	if (onlyWhen && !meetsCondition(id)) return false;
	const selected = [...events, customEventTypes];
	if (subscription !== ALL_EVENTS) return selected.includes(subscription);
	return selected.includes(ALL_EVENTS) || selected.includes(type);
}

/**
 * The subscription that a delivery counts for: a webhook that has not been removed yet may deliver what another one does,
 * too. Whatever else is in a target URL, such as another client's, counts for all events.
 */
export function subscriptionFor(settings: Settings, eventInUrl: string, type: string): string {
	const own = subscriptions(settings);
	if (own.includes(eventInUrl)) return eventInUrl;
	return own.includes(type) && !own.includes(ALL_EVENTS) ? type : ALL_EVENTS;
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
		// A webhook for everything is tied to no campaign: the node filters.
		campaignId:
			settings.campaignId === '' || event === ALL_EVENTS ? undefined : settings.campaignId,
		isFirst: settings.isFirst,
	}));
}

/** A one-line description for a history; omits settings with their initial value. */
export function describeSettings(settings: Settings): string {
	const { events, customEventTypes, campaignId, isFirst, subscription, verifySecret } = settings;
	const { batch, onlyWhen, duplicateMemory, reportProblems } = settings;
	return [
		[...events, ...(customEventTypes === '' ? [] : [customEventTypes])].join(' + '),
		...(campaignId === '' ? [] : [`campaign ${campaignId}`]),
		...(isFirst ? ['first activity only'] : []),
		...(subscription === 'singleHook' ? ['one webhook for everything'] : []),
		...(verifySecret ? [] : ['secret not verified']),
		...(batch ? ['in batches'] : []),
		...(onlyWhen ? ['with a condition'] : []),
		...(duplicateMemory === 'database' ? ['duplicates in the database'] : []),
		...(reportProblems ? [] : ['no reports']),
	].join(', ');
}

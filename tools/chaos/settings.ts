import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { HookView } from '../service';

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
	/** Whether the workflow runs for up to `MAX_IN_BATCH` events at a time, of any lead or of one. */
	batch: false | 'none' | 'lead';
	outputs: 'single' | 'perEvent';
	/** Whether Only When selects the activities that `meetsCondition` does. */
	onlyWhen: boolean;
	duplicateMemory: 'process' | 'database';
	reportProblems: boolean;
}

/** Those of both workflows at the beginning. */
export const INITIAL_SETTINGS: Settings = {
	events: ['paused'],
	customEventTypes: '',
	campaignId: '',
	isFirst: false,
	subscription: 'hookPerEvent',
	verifySecret: true,
	batch: false,
	outputs: 'single',
	onlyWhen: false,
	duplicateMemory: 'process',
	reportProblems: true,
};

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
	batch: fc.constantFrom<Settings['batch']>(false, 'none', 'lead'),
	outputs: fc.constantFrom('single', 'perEvent'),
	onlyWhen: fc.constantFrom(false, false, true),
	duplicateMemory: fc.constantFrom('process', 'database'),
	reportProblems: fc.constantFrom(true, true, false),
});

/** Those settings that are not as they were at the beginning. */
export type ChangedSettings = Partial<Settings>;

/** The first activity only needs a webhook for each event: anything else is refused. */
export const changedSettings = anySettings
	.map(
		(settings): Settings => ({
			...settings,
			isFirst:
				settings.isFirst &&
				settings.subscription === 'hookPerEvent' &&
				!settings.events.includes(ALL_EVENTS),
		}),
	)
	.map((settings): ChangedSettings => {
		const initial: Readonly<Record<string, unknown>> = { ...INITIAL_SETTINGS };
		const changed = Object.entries(settings).filter(
			([name, value]) => !isDeepStrictEqual(value, initial[name]),
		);
		return Object.fromEntries(changed);
	});

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
			...(batch && {
				batch: { values: { maxEvents: MAX_IN_BATCH, maxSeconds: 1, groupBy: batch } },
			}),
			...(onlyWhen && { onlyWhen: ONLY_WHEN }),
			repairMinutes: 1,
			output: 'grouped',
		},
	};
}

/** Whether these settings select this activity, delivered for `subscription`. */
export const selects = (
	settings: Settings,
	{ subscription, id }: { subscription: string; id: string },
): boolean =>
	selected(settings).includes(subscription) && !(settings.onlyWhen && !meetsCondition(id));

/**
 * The event for which a delivery counts: the one in the target URL if it has a webhook of its own, otherwise the type,
 * which a webhook for all events delivers. A webhook that has not been removed yet may deliver what another one does, too,
 * and another client's may have anything in its target URL.
 */
export function subscriptionFor(settings: Settings, eventInUrl: string, type: string): string {
	const events = selected(settings);
	const hasAll = events.includes(ALL_EVENTS);
	if (hasAll && settings.outputs === 'single') return ALL_EVENTS;
	const hasOwn = eventInUrl !== ALL_EVENTS && subscriptions(settings).includes(eventInUrl);
	if (hasOwn) return eventInUrl;
	// With an output for each event, all events beside named ones are everything else.
	const isNamed = events.includes(type) && type !== LEAD_STATE;
	return hasAll && !isNamed ? ALL_EVENTS : type;
}

const selected = ({ events, customEventTypes }: Settings): string[] => [
	...events,
	...(customEventTypes === '' ? [] : [customEventTypes]),
];

/** The events that need a webhook, written from the documentation rather than from the node's code. */
function subscriptions(settings: Settings): string[] {
	const events = selected(settings);
	const hasAll = events.includes(ALL_EVENTS);
	if (hasAll && settings.outputs === 'single') return [ALL_EVENTS];
	if (settings.subscription === 'hookPerEvent' && !hasAll) return events;
	const leadStates = events.filter((event) => event === LEAD_STATE);
	return leadStates.length === events.length ? leadStates : [ALL_EVENTS, ...leadStates];
}

/** A webhook in one line: what the trigger sets, and whether it works. */
export const lineOf = ({
	targetUrl,
	type,
	campaignId,
	isFirst = false,
	disabled,
}: Pick<HookView, 'targetUrl' | 'type' | 'campaignId' | 'isFirst' | 'disabled'>): string =>
	// All webhooks of a history are made with one key.
	`${targetUrl.replace(/&keyId=\w+$/, '')} ${JSON.stringify({ type, campaignId, isFirst, disabled })}`;

/**
 * The webhooks that must exist with these settings, as lines.
 *
 * @param webhookUrl the trigger's production URL, without the event
 */
export function webhooksFor(settings: Settings, webhookUrl: string): string[] {
	const { campaignId, isFirst } = settings;
	return subscriptions(settings).map((event) => {
		// A webhook for everything, or for replies that may have left their campaign, is tied to none: the node filters.
		const isTied = event !== ALL_EVENTS && (event !== 'emailsReplied' || isFirst);
		const ofCampaign = isTied && campaignId !== '' && { campaignId };
		const query = `event=${event}${ofCampaign ? `&campaign=${campaignId}` : ''}${isFirst ? '&first=true' : ''}`;
		const type = event === ALL_EVENTS ? {} : { type: event };
		const targetUrl = `${webhookUrl}?${query}`;
		return lineOf({ targetUrl, isFirst, disabled: false, ...type, ...ofCampaign });
	});
}

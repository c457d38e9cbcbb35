/** All events, one a line. */
import type { INodePropertyOptions } from 'n8n-workflow';

import { misspelled } from '../utils/nearest';

/** The value that stands for every event, also for those that are added to the service later (§6.1). */
export const ALL_EVENTS = '*';

/** The event of a sample that stands for all of them. */
export const SAMPLE_EVENT = 'emailsReplied';

/** What is said of some events only. */
type EventDetails = {
	/** What people also call the event. n8n's field for events searches only what it lists, so the list shows this, too. */
	also?: string;
	/** `campaign`: its activities have no campaign. `lead`: they have neither a lead nor a campaign (§2.3). */
	lacks?: 'lead' | 'campaign';
	/** Whether a third party's reply can be such an event (§6.6). */
	canBeThirdParty?: true;
};
/** What the table says of an event. */
type EventRow = readonly [
	/** The name in n8n's lists, with its group in front, so that it is sorted and found well. */
	name: string,
	/** The label at an output of the canvas, which cuts it off at 76 pixels (D101): a test measures it. */
	label: string,
	/** A sentence without a full stop, which becomes the summary of an event: there, 'the lead' is replaced by a name. */
	description: string,
	details?: EventDetails,
];

/**
 * The event types of §6.1, one a line, in the order of n8n's lists: by group, beginning with emails and the lead states.
 * In a group, replies and other events that people wait for come before those that the service causes by itself.
 */
// prettier-ignore
const TABLE: Readonly<Record<string, EventRow>> = {
	emailsReplied: ['Email: Reply Received', 'Email reply', 'The lead or a third party replied to an email', { canBeThirdParty: true }],
	emailsBounced: ['Email: Bounced', 'Bounced', 'An email was returned as undeliverable', { also: 'Undeliverable' }],
	emailsUnsubscribed: ['Email: Unsubscribed', 'Unsubscribe', 'The lead no longer wants to receive emails', { also: 'Opt-Out, Opt Out' }],
	emailsInterested: ['Email: Interested', 'Mail interest', 'The lead was marked as interested because of an email'],
	emailsNotInterested: ['Email: Not Interested', 'Mail not int.', 'The lead was marked as not interested because of an email'],
	emailsOpened: ['Email: Opened', 'Email open', 'The lead opened an email'],
	emailsClicked: ['Email: Clicked', 'Email click', 'The lead clicked a link in an email'],
	emailsSent: ['Email: Sent', 'Email sent', 'An email went out'],
	emailsFailed: ['Email: Failed', 'Email failed', 'An email could not be sent'],
	warmed: ['Lead State: Warmed', 'Warmed', 'The lead replied on any channel', { also: 'Any Reply, Replied', canBeThirdParty: true }],
	interested: ['Lead State: Interested', 'Interested', 'The lead was marked as interested, on whatever channel', { also: 'Positive' }],
	notInterested: ['Lead State: Not Interested', 'Uninterested', 'The lead was marked as not interested, on whatever channel', { also: 'Negative' }],
	attracted: ['Lead State: Attracted', 'Attracted', 'The lead clicked a link or accepted an invite', { also: 'Any Click or Invite' }],
	hooked: ['Lead State: Hooked', 'Hooked', 'The lead opened a message on any channel', { also: 'Any Open' }],
	contacted: ['Lead State: Contacted', 'Contacted', 'A message, invite, call or API step went out to the lead', { also: 'First Touch' }],
	networkReplied: ['Network: Reply Received', 'Net reply', 'The lead replied on the professional network'],
	networkInviteAccepted: ['Network: Invite Accepted', 'Accepted', 'The lead accepted a connection invite'],
	networkInterested: ['Network: Interested', 'Net interest', 'The lead was marked as interested because of a network message'],
	networkNotInterested: ['Network: Not Interested', 'Net not int.', 'The lead was marked as not interested because of a network message'],
	networkOpened: ['Network: Message Opened', 'Net open', 'The lead opened a network message'],
	networkSent: ['Network: Message Sent', 'Net sent', 'A message went out on the professional network'],
	networkSendFailed: ['Network: Message Failed', 'Net failed', 'A network message could not be sent'],
	networkInviteDone: ['Network: Invite Sent', 'Invite sent', 'A connection invite went out'],
	networkInviteFailed: ['Network: Invite Failed', 'Invite failed', 'A connection invite could not be sent'],
	networkWithdrawInvitationDone: ['Network: Invite Withdrawn', 'Withdrawn', 'A pending invite was withdrawn'],
	networkWithdrawInvitationFailed: ['Network: Invite Withdrawal Failed', 'Invite stays', 'A pending invite could not be withdrawn'],
	networkVisitDone: ['Network: Profile Visited', 'Visited', "The lead's profile was visited"],
	networkVisitFailed: ['Network: Profile Visit Failed', 'Visit failed', "The lead's profile could not be visited"],
	networkFollowDone: ['Network: Followed', 'Followed', 'The lead is now followed'],
	networkFollowFailed: ['Network: Follow Failed', 'Follow fail', 'The lead could not be followed'],
	networkFollowSkipped: ['Network: Follow Skipped', 'Follow skip', 'The follow step was left out'],
	networkEndorseDone: ['Network: Endorsed', 'Endorsed', "The lead's skills were endorsed"],
	networkEndorseFailed: ['Network: Endorsement Failed', 'Endorse fail', "The lead's skills could not be endorsed"],
	networkEndorseSkipped: ['Network: Endorsement Skipped', 'Endorse skip', 'The endorsement step was left out'],
	networkVoiceNoteDone: ['Network: Voice Note Sent', 'Voice note', 'A voice note went out'],
	networkVoiceNoteFailed: ['Network: Voice Note Failed', 'Voice failed', 'A voice note could not be sent'],
	networkLikeLastPostDone: ['Network: Last Post Liked', 'Post liked', "The lead's latest post was liked"],
	networkLikeLastPostFailed: ['Network: Last Post Like Failed', 'Like failed', "The lead's latest post could not be liked"],
	networkLikeLastPostNoPost: ['Network: Last Post Not Found', 'No post', 'The lead has no post that could be liked'],
	messengerReplied: ['Messenger: Reply Received', 'IM reply', 'The lead replied to an instant message'],
	messengerMessageOpened: ['Messenger: Message Opened', 'IM open', 'The lead opened an instant message'],
	messengerMessageDelivered: ['Messenger: Message Delivered', 'IM delivered', "An instant message reached the lead's device"],
	messengerMessageSent: ['Messenger: Message Sent', 'IM sent', 'An instant message went out'],
	messengerMessageFailed: ['Messenger: Message Failed', 'IM failed', 'An instant message could not be sent'],
	smsReplied: ['SMS: Reply Received', 'SMS reply', 'The lead replied to a text message'],
	smsDelivered: ['SMS: Delivered', 'SMS arrived', "A text message reached the lead's phone"],
	smsSent: ['SMS: Sent', 'SMS sent', 'A text message went out'],
	smsFailed: ['SMS: Failed', 'SMS failed', 'A text message could not be sent'],
	dialerEnded: ['Call: Ended', 'Call ended', 'A call ended', { also: 'Phone' }],
	dialerInterested: ['Call: Interested', 'Call interest', 'The lead was marked as interested because of a call', { also: 'Phone' }],
	dialerNotInterested: ['Call: Not Interested', 'Call not int.', 'The lead was marked as not interested because of a call', { also: 'Phone' }],
	callTranscriptDone: ['Call: Transcript Ready', 'Transcript', 'The transcript of a call can be fetched', { also: 'Phone' }],
	callRecordingDone: ['Call: Recording Ready', 'Recording', 'The recording of a call can be fetched', { also: 'Phone' }],
	dialerCreated: ['Call: Created', 'Call created', 'A call was set up', { also: 'Phone' }],
	dialerDone: ['Call: Task Completed', 'Call task', 'The call step of a sequence was finished', { also: 'Phone' }],
	manualInterested: ['Manual: Interested', 'By hand: yes', 'A user marked the lead as interested by hand'],
	manualNotInterested: ['Manual: Not Interested', 'By hand: no', 'A user marked the lead as not interested by hand'],
	annotated: ['Task: Annotated', 'Annotated', 'A note was added to the lead'],
	campaignComplete: ['Workspace: Campaign Completed', 'Completed', 'A campaign has nothing left to do'],
	connectionIssue: ['Workspace: Connection Issue', 'Conn. issue', 'A mailbox can no longer be reached', { lacks: 'lead' }],
	customDomainErrors: ['Workspace: Custom Domain Error', 'Domain error', 'Something is wrong with a custom domain', { lacks: 'lead' }],
	sendLimitReached: ['Workspace: Send Limit Reached', 'Send limit', 'The daily sending limit is used up', { lacks: 'lead' }],
	serviceWarmPaused: ['Workspace: Warm-Up Paused', 'Warm-up off', 'The warm-up of a mailbox was paused', { lacks: 'lead' }],
	paused: ['Workspace: Lead Paused', 'Paused', 'The lead was paused'],
	resumed: ['Workspace: Lead Resumed', 'Resumed', 'The lead was resumed'],
	stopped: ['Workspace: Lead Stopped', 'Stopped', 'The lead was stopped'],
	enrichmentDone: ['Other: Enrichment Completed', 'Enriched', 'The data of a lead was enriched'],
	enrichmentError: ['Other: Enrichment Failed', 'Enrich failed', 'The data of a lead could not be enriched'],
	inboxLabelUpdated: ['Other: Inbox Label Updated', 'Inbox label', 'The label of an inbox conversation changed', { lacks: 'campaign' }],
	signalRegistered: ['Other: Signal Registered', 'Signal', 'A signal agent noticed something new', { lacks: 'campaign' }],
	deliverabilityAlertTriggered: ['Other: Deliverability Alert', 'Deliverability', 'A deliverability alert was raised', { lacks: 'lead' }],
	apiInterested: ['API: Interested', 'API interest', 'The lead was marked as interested through the API'],
	apiNotInterested: ['API: Not Interested', 'API not int.', 'The lead was marked as not interested through the API'],
	apiDone: ['API: Step Executed', 'API step', 'The API step of a sequence ran'],
	apiFailed: ['API: Step Failed', 'API failed', 'The API step of a sequence failed'],
};

/** What to use in place of a type that the service no longer has (§6.2). */
const REMOVED: ReadonlyMap<string, string> = new Map([
	['skipped', 'It has no replacement: remove it from the selection'],
	['emailsSendFailed', "Use 'emailsFailed' ('Email: Failed') instead"],
	['opportunitiesDone', "Use 'annotated' ('Task: Annotated') or the event of the task instead"],
]);

/** All events. It counts as an event without a campaign, because its webhook also delivers events that have none. */
const ALL: EventRow = [
	'All Events',
	'All events',
	'Every event, including those that the service adds later',
	{ lacks: 'campaign', canBeThirdParty: true },
];

/** What the description of an event says if a third party's reply can be such an event, too. */
const OR_THIRD_PARTY = ' or a third party';

/** The groups that are channels. */
const CHANNELS = ['Email', 'Network', 'Messenger', 'SMS', 'Call', 'API', 'Manual'];

/** Whether a search for a type finds a name. */
const isIn = (name: string, type: string): boolean =>
	type === ALL_EVENTS || name.toLowerCase().includes(type.toLowerCase());

/** A name with further words, by which a search finds it. */
const withWords = (name: string, words: readonly string[]): string =>
	words.length === 0 ? name : `${name} (${words.join(', ')})`;

/** An event that a user can choose, and a webhook can be subscribed to. */
function eventOf(type: string, [name, label, description, details = {}]: EventRow) {
	const [group = ''] = name.split(':');
	const also = details.also === undefined ? [] : [details.also];
	return {
		name,
		/** The name with what people also call the event: 'Email: Bounced (Undeliverable)'. */
		listedName: withWords(name, also),
		/**
		 * The same with the type, unless a search for the type finds the name anyway, as in 'Lead State: Warmed': 'Email: Bounced
		 * (Undeliverable, emailsBounced)'.
		 */
		searchedName: withWords(name, isIn(name, type) ? also : [...also, type]),
		type,
		label,
		description,
		/** The description without what it says of a third party: an activity says itself whether the lead has replied. */
		descriptionOfLead: description.replace(OR_THIRD_PARTY, ''),
		/** One of `CHANNELS` in lower case, if it has one. */
		channel: CHANNELS.includes(group) ? group.toLowerCase() : null,
		/** Whether it sums up several types: its activities have one of those types (§6.1, D8). */
		isLeadState: group === 'Lead State',
		hasLead: details.lacks !== 'lead',
		hasCampaign: details.lacks === undefined,
		canBeThirdParty: details.canBeThirdParty === true,
	};
}

/** Every event of §6.1 by its type, and `*` at the end: people should not choose that because it comes first. */
export const EVENTS: ReadonlyMap<string, ReturnType<typeof eventOf>> = new Map(
	[...Object.entries(TABLE), [ALL_EVENTS, ALL] as const].map(([type, row]) => [
		type,
		eventOf(type, row),
	]),
);

/** Every type of §6.1. */
export const EVENT_TYPES: ReadonlySet<string> = new Set(Object.keys(TABLE));

/**
 * Every event as n8n lists it (D102): by what people type, because the field searches nothing but names; and in n8n's list
 * of triggers as 'On Email: Bounced (Undeliverable)'. 'All Events' is the last one.
 */
export const EVENT_OPTIONS_WITH_ALL: INodePropertyOptions[] = [...EVENTS.values()].map(
	({ type, listedName, searchedName, description }) => ({
		name: searchedName,
		value: type,
		description,
		action: `On ${listedName}`,
	}),
);

/** Every event as n8n lists it, without 'All Events'. */
export const EVENT_OPTIONS: readonly INodePropertyOptions[] = EVENT_OPTIONS_WITH_ALL.filter(
	({ value }) => value !== ALL_EVENTS,
);

/** The name of an event; a custom type has none but itself. */
export const eventName = (type: string): string => EVENTS.get(type)?.name ?? type;

/** Whether an event is a lead state, which sums up several types (§6.1). */
export const isLeadState = (event: string): boolean => EVENTS.get(event)?.isLeadState === true;

/**
 * Whether the webhook of an event can deliver an activity of a type: not if both are documented and differ. A lead state sums up
 * several types, and services have types that no document lists, such as `entityUnsubscribed` for `emailsUnsubscribed`.
 */
export const canDeliver = (event: string, type: string | null): boolean =>
	type === null ||
	type === event ||
	isLeadState(event) ||
	!EVENT_TYPES.has(event) ||
	!EVENT_TYPES.has(type);

/** A name without case, spaces and punctuation. */
const plainName = (name: string): string => name.toLowerCase().replace(/[^a-z\d]/g, '');

/** The types by the names that the editor shows, such as `smsReplied` for 'SMS: Reply Received'. */
const TYPES_BY_NAME: ReadonlyMap<string, string> = new Map(
	[...EVENTS].flatMap(([type, { name, listedName, searchedName }]) =>
		[name, listedName, searchedName].map((one): [string, string] => [plainName(one), type]),
	),
);

/** Whether a third party's reply can be such an event (§6.6). An event that is not listed may be anything. */
export const canBeThirdParty = (event: string): boolean =>
	EVENTS.get(event)?.canBeThirdParty ?? true;

/**
 * Why the service cannot have an event type: it is misspelled (D49), was removed (§6.2), or is no type at all. A type that is
 * merely unknown may be one that the service added later, and is nobody's mistake.
 * @returns sentences for the user, without a full stop at the end; undefined for a type that the service may have
 */
export function problemWithEventType(type: string): string | undefined {
	const replacement = REMOVED.get(type);
	if (replacement) return `The service no longer has the event type '${type}'. ${replacement}`;
	if (EVENTS.has(type)) return undefined;
	// Whoever leaves out the channel, as in 'bounced', means emails.
	const ofEmails = `emails${type.charAt(0).toUpperCase()}${type.slice(1)}`;
	const meant =
		TYPES_BY_NAME.get(plainName(type)) ??
		misspelled(type, EVENT_TYPES) ??
		(EVENT_TYPES.has(ofEmails) ? ofEmails : undefined);
	if (meant) return `The service has no event type '${type}'. Did you mean '${meant}'?`;
	return /^[\w.:-]+$/.test(type)
		? undefined
		: "It must be an event type such as emailsReplied, or '*' for all events";
}

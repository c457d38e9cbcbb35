import type { INodePropertyOptions } from 'n8n-workflow';

import { misspelled } from '../utils/nearest';

/** The value that stands for every event, also for those that are added to the service later (§6.1). */
export const ALL_EVENTS = '*';

/** The event of a sample that stands for all of them. */
export const SAMPLE_EVENT = 'emailsReplied';

type Details = {
	/** Words that people type for it and that neither its name nor its type has. */
	alsoKnownAs?: string;
	/** It is about a mailbox, a domain or the team, or at least in no campaign (§2.3). */
	lacks?: 'lead' | 'campaign';
	/** A third party's reply can be one (§6.6). */
	canBeThirdParty?: true;
	/** The step (0-based) at which a lead usually gets so far; without it, the first one. */
	step?: number;
};
type Row = readonly [
	/** The group in front makes a list sort and search well. */
	name: string,
	/** At an output on the canvas, which cuts it after some 14 characters. */
	label: string,
	/** A sentence without a full stop, which becomes the summary of an event. */
	description: string,
	details?: Details,
];

/** The event types of §6.1, one a line. */
// prettier-ignore
const TABLE: Readonly<Record<string, Row>> = {
	contacted: ['Lead State: Contacted', 'Contacted', 'A message, invite, call or API step went out to the lead', { alsoKnownAs: 'first touch' }],
	hooked: ['Lead State: Hooked', 'Hooked', 'The lead opened a message on any channel', { alsoKnownAs: 'any open' }],
	attracted: ['Lead State: Attracted', 'Attracted', 'The lead clicked a link or accepted an invite', { alsoKnownAs: 'any click, invite accepted' }],
	warmed: ['Lead State: Warmed', 'Warmed', 'The lead replied on any channel', { alsoKnownAs: 'any reply or answer', step: 1, canBeThirdParty: true }],
	interested: ['Lead State: Interested', 'Interested', 'The lead was marked as interested, on whatever channel', { step: 2 }],
	notInterested: ['Lead State: Not Interested', 'Not interested', 'The lead was marked as not interested, on whatever channel', { step: 2 }],
	emailsSent: ['Email: Sent', 'Email sent', 'An email went out'],
	emailsOpened: ['Email: Opened', 'Email opened', 'The lead opened an email'],
	emailsClicked: ['Email: Clicked', 'Email clicked', 'The lead clicked a link in an email'],
	emailsReplied: ['Email: Reply Received', 'Email reply', 'The lead or a third party replied to an email', { alsoKnownAs: 'answer', step: 1, canBeThirdParty: true }],
	emailsBounced: ['Email: Bounced', 'Email bounced', 'An email was returned as undeliverable'],
	emailsFailed: ['Email: Failed', 'Email failed', 'An email could not be sent'],
	emailsInterested: ['Email: Interested', 'Email interest', 'The lead was marked as interested because of an email'],
	emailsNotInterested: ['Email: Not Interested', 'Email not int.', 'The lead was marked as not interested because of an email'],
	emailsUnsubscribed: ['Email: Unsubscribed', 'Unsubscribed', 'The lead no longer wants to receive emails', { step: 2 }],
	networkSent: ['Network: Message Sent', 'Network sent', 'A message went out on the professional network'],
	networkOpened: ['Network: Message Opened', 'Network opened', 'The lead opened a network message'],
	networkReplied: ['Network: Reply Received', 'Network reply', 'The lead replied on the professional network', { alsoKnownAs: 'answer', step: 1 }],
	networkInterested: ['Network: Interested', 'Net interest', 'The lead was marked as interested because of a network message'],
	networkNotInterested: ['Network: Not Interested', 'Net not int.', 'The lead was marked as not interested because of a network message'],
	networkSendFailed: ['Network: Message Failed', 'Network failed', 'A network message could not be sent'],
	networkVisitDone: ['Network: Profile Visited', 'Visited', "The lead's profile was visited"],
	networkVisitFailed: ['Network: Profile Visit Failed', 'Visit failed', "The lead's profile could not be visited"],
	networkFollowDone: ['Network: Followed', 'Followed', 'The lead is now followed'],
	networkFollowFailed: ['Network: Follow Failed', 'Follow failed', 'The lead could not be followed'],
	networkFollowSkipped: ['Network: Follow Skipped', 'Follow skipped', 'The follow step was left out'],
	networkInviteDone: ['Network: Invite Sent', 'Invite sent', 'A connection invite went out'],
	networkInviteFailed: ['Network: Invite Failed', 'Invite failed', 'A connection invite could not be sent'],
	networkInviteAccepted: ['Network: Invite Accepted', 'Accepted', 'The lead accepted a connection invite', { step: 1 }],
	networkEndorseDone: ['Network: Endorsed', 'Endorsed', "The lead's skills were endorsed"],
	networkEndorseFailed: ['Network: Endorsement Failed', 'Endorse failed', "The lead's skills could not be endorsed"],
	networkEndorseSkipped: ['Network: Endorsement Skipped', 'Not endorsed', 'The endorsement step was left out'],
	networkVoiceNoteDone: ['Network: Voice Note Sent', 'Voice note', 'A voice note went out'],
	networkVoiceNoteFailed: ['Network: Voice Note Failed', 'Voice failed', 'A voice note could not be sent'],
	networkLikeLastPostDone: ['Network: Last Post Liked', 'Post liked', "The lead's latest post was liked"],
	networkLikeLastPostNoPost: ['Network: Last Post Not Found', 'No post', 'The lead has no post that could be liked'],
	networkLikeLastPostFailed: ['Network: Last Post Like Failed', 'Like failed', "The lead's latest post could not be liked"],
	networkWithdrawInvitationDone: ['Network: Invite Withdrawn', 'Withdrawn', 'A pending invite was withdrawn', { step: 2 }],
	networkWithdrawInvitationFailed: ['Network: Invite Withdrawal Failed', 'Not withdrawn', 'A pending invite could not be withdrawn', { step: 2 }],
	messengerMessageSent: ['Messenger: Message Sent', 'IM sent', 'An instant message went out'],
	messengerMessageDelivered: ['Messenger: Message Delivered', 'IM delivered', "An instant message reached the lead's device"],
	messengerMessageOpened: ['Messenger: Message Opened', 'IM opened', 'The lead opened an instant message'],
	messengerReplied: ['Messenger: Reply Received', 'IM reply', 'The lead replied to an instant message', { alsoKnownAs: 'answer', step: 1 }],
	messengerMessageFailed: ['Messenger: Message Failed', 'IM failed', 'An instant message could not be sent'],
	smsSent: ['SMS: Sent', 'SMS sent', 'A text message went out'],
	smsDelivered: ['SMS: Delivered', 'SMS delivered', "A text message reached the lead's phone"],
	smsReplied: ['SMS: Reply Received', 'SMS reply', 'The lead replied to a text message', { alsoKnownAs: 'answer', step: 1 }],
	smsFailed: ['SMS: Failed', 'SMS failed', 'A text message could not be sent'],
	dialerCreated: ['Call: Created', 'Call created', 'A call was set up'],
	dialerEnded: ['Call: Ended', 'Call ended', 'A call ended'],
	dialerDone: ['Call: Task Completed', 'Call task done', 'The call step of a sequence was finished'],
	dialerInterested: ['Call: Interested', 'Call interest', 'The lead was marked as interested because of a call'],
	dialerNotInterested: ['Call: Not Interested', 'Call not int.', 'The lead was marked as not interested because of a call'],
	callRecordingDone: ['Call: Recording Ready', 'Recording', 'The recording of a call can be fetched'],
	callTranscriptDone: ['Call: Transcript Ready', 'Transcript', 'The transcript of a call can be fetched'],
	apiDone: ['API: Step Executed', 'API step done', 'The API step of a sequence ran'],
	apiInterested: ['API: Interested', 'API interest', 'The lead was marked as interested through the API'],
	apiNotInterested: ['API: Not Interested', 'API not int.', 'The lead was marked as not interested through the API'],
	apiFailed: ['API: Step Failed', 'API failed', 'The API step of a sequence failed'],
	manualInterested: ['Manual: Interested', 'By hand: yes', 'A user marked the lead as interested by hand'],
	manualNotInterested: ['Manual: Not Interested', 'By hand: no', 'A user marked the lead as not interested by hand'],
	annotated: ['Task: Annotated', 'Annotated', 'A note was added to the lead'],
	paused: ['Workspace: Lead Paused', 'Lead paused', 'The lead was paused'],
	resumed: ['Workspace: Lead Resumed', 'Lead resumed', 'The lead was resumed'],
	stopped: ['Workspace: Lead Stopped', 'Lead stopped', 'The lead was stopped'],
	campaignComplete: ['Workspace: Campaign Completed', 'Campaign done', 'A campaign has nothing left to do'],
	customDomainErrors: ['Workspace: Custom Domain Error', 'Domain error', 'Something is wrong with a custom domain', { lacks: 'lead' }],
	connectionIssue: ['Workspace: Connection Issue', 'Conn. issue', 'A mailbox can no longer be reached', { lacks: 'lead' }],
	sendLimitReached: ['Workspace: Send Limit Reached', 'Send limit', 'The daily sending limit is used up', { lacks: 'lead' }],
	serviceWarmPaused: ['Workspace: Warm-Up Paused', 'Warm-up paused', 'The warm-up of a mailbox was paused', { lacks: 'lead' }],
	enrichmentDone: ['Other: Enrichment Completed', 'Enriched', 'The data of a lead was enriched'],
	enrichmentError: ['Other: Enrichment Failed', 'Enrich failed', 'The data of a lead could not be enriched'],
	inboxLabelUpdated: ['Other: Inbox Label Updated', 'Inbox label', 'The label of an inbox conversation changed', { lacks: 'campaign' }],
	signalRegistered: ['Other: Signal Registered', 'Signal', 'A signal agent noticed something new', { lacks: 'campaign' }],
	deliverabilityAlertTriggered: ['Other: Deliverability Alert', 'Deliverability', 'A deliverability alert was raised', { lacks: 'lead' }],
};

/** What to use in place of a type that the service no longer has (§6.2). */
const REMOVED: ReadonlyMap<string, string> = new Map([
	['skipped', 'It has no replacement: remove it from the selection'],
	['emailsSendFailed', "Use 'emailsFailed' ('Email: Failed') instead"],
	['opportunitiesDone', "Use 'annotated' ('Task: Annotated') or the event of the task instead"],
]);

/** The webhook for all events also delivers those without a campaign. */
const ALL: Row = [
	'All Events',
	'All events',
	'Every event, also those that the service adds later',
	{ lacks: 'campaign', canBeThirdParty: true },
];

/** The groups that are channels. */
const CHANNELS = ['Email', 'Network', 'Messenger', 'SMS', 'Call', 'API', 'Manual'];

/** An event that a user can choose, and a webhook can be subscribed to. */
function eventOf(type: string, [name, label, description, details = {}]: Row) {
	const [group = ''] = name.split(':');
	return {
		name,
		/** What n8n lists: its field for events searches nothing but this text. */
		searchText: `${name} (${[type, details.alsoKnownAs].filter(Boolean).join(', ')})`,
		label,
		description,
		/** `email`, `network`, `messenger`, `sms`, `call`, `api` or `manual`, if it has one. */
		channel: CHANNELS.includes(group) ? group.toLowerCase() : null,
		/** It sums up several types, and its activities have one of those (§6.1, D8). */
		isLeadState: group === 'Lead State',
		hasLead: details.lacks !== 'lead',
		hasCampaign: details.lacks === undefined,
		canBeThirdParty: details.canBeThirdParty === true,
		step: details.step ?? 0,
	};
}

/** Every event of §6.1 and `*`, which comes first; the others by name. */
export const EVENTS: ReadonlyMap<string, ReturnType<typeof eventOf>> = new Map(
	[
		[ALL_EVENTS, ALL] as const,
		// Not localeCompare(): with it, n8n would load the rules of languages when it starts, for 10 ms.
		...Object.entries(TABLE).sort(([, [a]], [, [b]]) => (a < b ? -1 : 1)),
	].map(([type, row]) => [type, eventOf(type, row)]),
);

/** Every type of §6.1. */
export const EVENT_TYPES: ReadonlySet<string> = new Set(Object.keys(TABLE));

/**
 * Every event as n8n lists it, with 'All Events' in front: 'Email: Reply Received (emailsReplied, answer)', and in its list
 * of triggers 'On Email: Reply Received'.
 */
export const EVENT_OPTIONS_WITH_ALL: INodePropertyOptions[] = [...EVENTS].map(
	([value, { name, searchText, description }]) => ({
		name: searchText,
		value,
		description,
		action: `On ${name}`,
	}),
);

export const EVENT_OPTIONS: readonly INodePropertyOptions[] = EVENT_OPTIONS_WITH_ALL.slice(1);

/** The name of an event; a custom type has none but itself. */
export const eventName = (type: string): string => EVENTS.get(type)?.name ?? type;

export const isLeadState = (event: string): boolean => EVENTS.get(event)?.isLeadState === true;

/** Whether a third party's reply can be such an event (§6.6); one of a type that is not listed may be anything. */
export const canBeThirdParty = (event: string): boolean =>
	EVENTS.get(event)?.canBeThirdParty ?? true;

/**
 * Why the service cannot have an event type: it is misspelled (D49), or was removed (§6.2). A type that is merely unknown
 * may be one that the service added later, and is nobody's mistake.
 * @returns sentences for the user, without a full stop at the end; undefined for a type that the service may have
 */
export function problemOf(type: string): string | undefined {
	const replacement = REMOVED.get(type);
	if (replacement) return `The service no longer has the event type '${type}'. ${replacement}`;
	const meant = misspelled(type, EVENT_TYPES);
	return meant && `The service has no event type '${type}'. Did you mean '${meant}'?`;
}

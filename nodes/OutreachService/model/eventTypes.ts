/** The value that stands for every event, also for those that are added to the service later (§6.1). */
export const ALL_EVENTS = '*';

/** The event of a sample that stands for all of them. */
export const SAMPLE_EVENT = 'emailsReplied';

type EventTypes = Readonly<Record<string, readonly [name: string, description: string]>>;

/** The event types of §6.1 by group. The group is part of each name, so that a list sorts and searches well. */
export const EVENT_GROUPS = {
	'Lead State': {
		contacted: ['Contacted', 'A message, invite, call or API step went out to the lead'],
		hooked: ['Hooked', 'The lead opened a message on any channel'],
		attracted: ['Attracted', 'The lead clicked a link or accepted an invite'],
		warmed: ['Warmed', 'The lead replied on any channel'],
		interested: ['Interested', 'The lead was marked as interested, on whatever channel'],
		notInterested: ['Not Interested', 'The lead was marked as not interested, on whatever channel'],
	},
	Email: {
		emailsSent: ['Sent', 'An email went out'],
		emailsOpened: ['Opened', 'The lead opened an email'],
		emailsClicked: ['Clicked', 'The lead clicked a link in an email'],
		emailsReplied: ['Reply Received', 'The lead or a third party replied to an email'],
		emailsBounced: ['Bounced', 'An email was returned as undeliverable'],
		emailsFailed: ['Failed', 'An email could not be sent'],
		emailsInterested: ['Interested', 'The lead was marked as interested because of an email'],
		emailsNotInterested: [
			'Not Interested',
			'The lead was marked as not interested because of an email',
		],
		emailsUnsubscribed: ['Unsubscribed', 'The lead no longer wants to receive emails'],
	},
	Network: {
		networkSent: ['Message Sent', 'A message went out on the professional network'],
		networkOpened: ['Message Opened', 'The lead opened a network message'],
		networkReplied: ['Reply Received', 'The lead replied on the professional network'],
		networkInterested: [
			'Interested',
			'The lead was marked as interested because of a network message',
		],
		networkNotInterested: [
			'Not Interested',
			'The lead was marked as not interested because of a network message',
		],
		networkSendFailed: ['Message Failed', 'A network message could not be sent'],
		networkVisitDone: ['Profile Visited', "The lead's profile was visited"],
		networkVisitFailed: ['Profile Visit Failed', "The lead's profile could not be visited"],
		networkFollowDone: ['Followed', 'The lead is now followed'],
		networkFollowFailed: ['Follow Failed', 'The lead could not be followed'],
		networkFollowSkipped: ['Follow Skipped', 'The follow step was left out'],
		networkInviteDone: ['Invite Sent', 'A connection invite went out'],
		networkInviteFailed: ['Invite Failed', 'A connection invite could not be sent'],
		networkInviteAccepted: ['Invite Accepted', 'The lead accepted a connection invite'],
		networkEndorseDone: ['Endorsed', "The lead's skills were endorsed"],
		networkEndorseFailed: ['Endorsement Failed', "The lead's skills could not be endorsed"],
		networkEndorseSkipped: ['Endorsement Skipped', 'The endorsement step was left out'],
		networkVoiceNoteDone: ['Voice Note Sent', 'A voice note went out'],
		networkVoiceNoteFailed: ['Voice Note Failed', 'A voice note could not be sent'],
		networkLikeLastPostDone: ['Last Post Liked', "The lead's latest post was liked"],
		networkLikeLastPostNoPost: ['Last Post Not Found', 'The lead has no post that could be liked'],
		networkLikeLastPostFailed: [
			'Last Post Like Failed',
			"The lead's latest post could not be liked",
		],
		networkWithdrawInvitationDone: ['Invite Withdrawn', 'A pending invite was withdrawn'],
		networkWithdrawInvitationFailed: [
			'Invite Withdrawal Failed',
			'A pending invite could not be withdrawn',
		],
	},
	Messenger: {
		messengerMessageSent: ['Message Sent', 'An instant message went out'],
		messengerMessageDelivered: [
			'Message Delivered',
			"An instant message reached the lead's device",
		],
		messengerMessageOpened: ['Message Opened', 'The lead opened an instant message'],
		messengerReplied: ['Reply Received', 'The lead replied to an instant message'],
		messengerMessageFailed: ['Message Failed', 'An instant message could not be sent'],
	},
	SMS: {
		smsSent: ['Sent', 'A text message went out'],
		smsDelivered: ['Delivered', "A text message reached the lead's phone"],
		smsReplied: ['Reply Received', 'The lead replied to a text message'],
		smsFailed: ['Failed', 'A text message could not be sent'],
	},
	Call: {
		dialerCreated: ['Created', 'A call was set up'],
		dialerEnded: ['Ended', 'A call ended'],
		dialerDone: ['Task Completed', 'The call step of a sequence was finished'],
		dialerInterested: ['Interested', 'The lead was marked as interested because of a call'],
		dialerNotInterested: [
			'Not Interested',
			'The lead was marked as not interested because of a call',
		],
		callRecordingDone: ['Recording Ready', 'The recording of a call can be fetched'],
		callTranscriptDone: ['Transcript Ready', 'The transcript of a call can be fetched'],
	},
	API: {
		apiDone: ['Step Executed', 'The API step of a sequence ran'],
		apiInterested: ['Interested', 'The lead was marked as interested through the API'],
		apiNotInterested: ['Not Interested', 'The lead was marked as not interested through the API'],
		apiFailed: ['Step Failed', 'The API step of a sequence failed'],
	},
	Manual: {
		manualInterested: ['Interested', 'A user marked the lead as interested by hand'],
		manualNotInterested: ['Not Interested', 'A user marked the lead as not interested by hand'],
	},
	Task: { annotated: ['Annotated', 'A note was added to the lead'] },
	Workspace: {
		paused: ['Lead Paused', 'The lead was paused'],
		resumed: ['Lead Resumed', 'The lead was resumed'],
		stopped: ['Lead Stopped', 'The lead was stopped'],
		campaignComplete: ['Campaign Completed', 'A campaign has nothing left to do'],
		customDomainErrors: ['Custom Domain Error', 'Something is wrong with a custom domain'],
		connectionIssue: ['Connection Issue', 'A mailbox can no longer be reached'],
		sendLimitReached: ['Send Limit Reached', 'The daily sending limit is used up'],
		serviceWarmPaused: ['Warm-Up Paused', 'The warm-up of a mailbox was paused'],
	},
	Other: {
		enrichmentDone: ['Enrichment Completed', 'The data of a lead was enriched'],
		enrichmentError: ['Enrichment Failed', 'The data of a lead could not be enriched'],
		inboxLabelUpdated: ['Inbox Label Updated', 'The label of an inbox conversation changed'],
		signalRegistered: ['Signal Registered', 'A signal agent noticed something new'],
		deliverabilityAlertTriggered: ['Deliverability Alert', 'A deliverability alert was raised'],
	},
} as const satisfies Readonly<Record<string, EventTypes>>;

export type EventGroup = keyof typeof EVENT_GROUPS;

/** A type of §6.1. */
export type EventType = {
	[Group in EventGroup]: keyof (typeof EVENT_GROUPS)[Group];
}[EventGroup];

/** The lead states of §6.1: each sums up several activity types. */
export const LEAD_STATES: ReadonlySet<string> = new Set(Object.keys(EVENT_GROUPS['Lead State']));

/** Every value of §6.1. */
export const EVENT_TYPES: ReadonlySet<string> = new Set(
	Object.values(EVENT_GROUPS).flatMap((types) => Object.keys(types)),
);

/** Events about a mailbox, a domain or the team rather than about a lead. */
export const WITHOUT_LEAD: ReadonlySet<string> = new Set([
	'customDomainErrors',
	'connectionIssue',
	'sendLimitReached',
	'serviceWarmPaused',
	'deliverabilityAlertTriggered',
]);

/** Events that have no campaign: the API spec says of `campaignId` that it is absent there (§2.3). */
export const WITHOUT_CAMPAIGN: ReadonlySet<string> = new Set([
	...WITHOUT_LEAD,
	'inboxLabelUpdated',
	'signalRegistered',
]);

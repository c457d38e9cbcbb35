/** What the service knows of an event type. */
interface EventRow {
	/** After its meaning in §6.1; the heading says the rest. */
	name: string;
	/** The lead state that such an activity leads to (§6.1). */
	state?: 'contacted' | 'hooked' | 'attracted' | 'warmed' | 'interested' | 'notInterested';
	/** Default: a lead in a campaign. Events about an account or a mailbox have neither (§2.3). */
	about?: 'lead' | 'account';
	/** The recipients that it carries (§2.4). */
	recipients?: ReadonlyArray<'to' | 'cc' | 'bcc'>;
}

/**
 * Every event type of §6.1, in its order and under its headings. The API spec's list of what 'contacted' covers ends in
 * 'and so on'; here it covers messages, invitations, calls and API steps.
 */
const EVENTS = {
	'Lead State': {
		contacted: { name: 'Contacted' },
		hooked: { name: 'Hooked' },
		attracted: { name: 'Attracted' },
		warmed: { name: 'Warmed' },
		interested: { name: 'Interested' },
		notInterested: { name: 'Not Interested' },
	},
	Email: {
		emailsSent: { name: 'Sent', state: 'contacted', recipients: ['to', 'cc', 'bcc'] },
		emailsOpened: { name: 'Opened', state: 'hooked' },
		emailsClicked: { name: 'Clicked', state: 'attracted' },
		emailsReplied: { name: 'Reply Received', state: 'warmed', recipients: ['to', 'cc'] },
		emailsBounced: { name: 'Bounced', recipients: ['to', 'cc'] },
		emailsFailed: { name: 'Failed' },
		emailsInterested: { name: 'Interested', state: 'interested' },
		emailsNotInterested: { name: 'Not Interested', state: 'notInterested' },
		emailsUnsubscribed: { name: 'Unsubscribed' },
	},
	Network: {
		networkSent: { name: 'Message Sent', state: 'contacted' },
		networkOpened: { name: 'Message Opened', state: 'hooked' },
		networkReplied: { name: 'Reply Received', state: 'warmed' },
		networkInterested: { name: 'Interested', state: 'interested' },
		networkNotInterested: { name: 'Not Interested', state: 'notInterested' },
		networkSendFailed: { name: 'Message Failed' },
		networkVisitDone: { name: 'Profile Visited' },
		networkVisitFailed: { name: 'Profile Visit Failed' },
		networkFollowDone: { name: 'Followed' },
		networkFollowFailed: { name: 'Follow Failed' },
		networkFollowSkipped: { name: 'Follow Skipped' },
		networkInviteDone: { name: 'Invite Sent', state: 'contacted' },
		networkInviteFailed: { name: 'Invite Failed' },
		networkInviteAccepted: { name: 'Invite Accepted', state: 'attracted' },
		networkEndorseDone: { name: 'Endorsed' },
		networkEndorseFailed: { name: 'Endorsement Failed' },
		networkEndorseSkipped: { name: 'Endorsement Skipped' },
		networkVoiceNoteDone: { name: 'Voice Note Sent', state: 'contacted' },
		networkVoiceNoteFailed: { name: 'Voice Note Failed' },
		networkLikeLastPostDone: { name: 'Last Post Liked' },
		networkLikeLastPostNoPost: { name: 'Last Post Not Found' },
		networkLikeLastPostFailed: { name: 'Last Post Like Failed' },
		networkWithdrawInvitationDone: { name: 'Invite Withdrawn' },
		networkWithdrawInvitationFailed: { name: 'Invite Withdrawal Failed' },
	},
	Messenger: {
		messengerMessageSent: { name: 'Message Sent', state: 'contacted' },
		messengerMessageDelivered: { name: 'Message Delivered' },
		messengerMessageOpened: { name: 'Message Opened', state: 'hooked' },
		messengerReplied: { name: 'Reply Received', state: 'warmed' },
		messengerMessageFailed: { name: 'Message Failed' },
	},
	SMS: {
		smsSent: { name: 'Sent', state: 'contacted' },
		smsDelivered: { name: 'Delivered' },
		smsReplied: { name: 'Reply Received', state: 'warmed' },
		smsFailed: { name: 'Failed' },
	},
	Call: {
		dialerCreated: { name: 'Created' },
		dialerEnded: { name: 'Ended' },
		dialerDone: { name: 'Task Completed', state: 'contacted' },
		dialerInterested: { name: 'Interested', state: 'interested' },
		dialerNotInterested: { name: 'Not Interested', state: 'notInterested' },
		callRecordingDone: { name: 'Recording Ready' },
		callTranscriptDone: { name: 'Transcript Ready' },
	},
	API: {
		apiDone: { name: 'Step Executed', state: 'contacted' },
		apiInterested: { name: 'Interested', state: 'interested' },
		apiNotInterested: { name: 'Not Interested', state: 'notInterested' },
		apiFailed: { name: 'Step Failed' },
	},
	Manual: {
		manualInterested: { name: 'Interested', state: 'interested' },
		manualNotInterested: { name: 'Not Interested', state: 'notInterested' },
	},
	Task: {
		annotated: { name: 'Annotated' },
	},
	Workspace: {
		paused: { name: 'Lead Paused' },
		resumed: { name: 'Lead Resumed' },
		stopped: { name: 'Lead Stopped' },
		campaignComplete: { name: 'Campaign Completed' },
		customDomainErrors: { name: 'Custom Domain Error', about: 'account' },
		connectionIssue: { name: 'Connection Issue', about: 'account' },
		sendLimitReached: { name: 'Send Limit Reached', about: 'account' },
		serviceWarmPaused: { name: 'Warm-Up Paused', about: 'account' },
	},
	Other: {
		enrichmentDone: { name: 'Enrichment Completed' },
		enrichmentError: { name: 'Enrichment Failed' },
		inboxLabelUpdated: { name: 'Inbox Label Updated', about: 'lead' },
		signalRegistered: { name: 'Signal Registered', about: 'lead' },
		deliverabilityAlertTriggered: { name: 'Deliverability Alert', about: 'account' },
	},
} as const satisfies Readonly<Record<string, Readonly<Record<string, EventRow>>>>;

type KeyOfUnion<T> = T extends unknown ? keyof T : never;

/** An event type that a webhook can subscribe to (§6.1). */
export type EventType = KeyOfUnion<(typeof EVENTS)[keyof typeof EVENTS]>;

const rows: ReadonlyArray<readonly [type: string, row: EventRow & { label: string }]> =
	Object.entries(EVENTS).flatMap(([heading, types]) =>
		Object.entries(types).map(
			([type, row]: [string, EventRow]) =>
				[type, { ...row, label: `${heading}: ${row.name}` }] as const,
		),
	);

const byType: ReadonlyMap<string, EventRow & { label: string }> = new Map(rows);

/** Whether §6.1 lists this type. */
export const isEventType = (type: string): type is EventType => byType.has(type);

/** All event types of §6.1, in its order. */
export const EVENT_TYPES: readonly EventType[] = [...byType.keys()].filter(isEventType);

/** Each event type with its name, such as 'Email: Reply Received', for a list to choose from. */
export const EVENT_LABELS: ReadonlyArray<{ type: string; label: string }> = rows.map(
	([type, { label }]) => ({ type, label }),
);

/** Whether an activity of this type moves a lead into the state `group` (§6.1). */
export const groupCovers = (group: string, activityType: string): boolean =>
	byType.get(activityType)?.state === group;

/** What events of this type are about. A type that §6.1 doesn't list counts as one about a lead in a campaign. */
export const subjectOf = (type: string): 'campaign' | 'lead' | 'account' =>
	byType.get(type)?.about ?? 'campaign';

/** The recipients that events of this type carry (§2.4). */
export const recipientsOf = (type: string): ReadonlyArray<'to' | 'cc' | 'bcc'> =>
	byType.get(type)?.recipients ?? [];

/** The removed types, each with its replacement, if any (§6.2). */
export const REMOVED_EVENT_TYPES: ReadonlyMap<string, string | undefined> = new Map([
	['skipped', undefined],
	['emailsSendFailed', 'emailsFailed'],
	['opportunitiesDone', 'annotated or task-level webhooks'],
]);

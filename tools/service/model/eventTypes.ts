/** The event types (§6.1), the activity types of each state group, and the removed types (§6.2). */

/** The lead-state groups, each with the activity types that move a lead into that state (§6.1). */
export const STATE_GROUPS = {
	// The API spec's list ends in 'and so on'. Here it covers messages, invitations, calls and API steps.
	contacted: [
		'emailsSent',
		'networkSent',
		'networkInviteDone',
		'networkVoiceNoteDone',
		'messengerMessageSent',
		'smsSent',
		'dialerDone',
		'apiDone',
	],
	hooked: ['emailsOpened', 'networkOpened', 'messengerMessageOpened'],
	attracted: ['emailsClicked', 'networkInviteAccepted'],
	warmed: ['emailsReplied', 'networkReplied', 'messengerReplied', 'smsReplied'],
	interested: [
		'emailsInterested',
		'networkInterested',
		'dialerInterested',
		'apiInterested',
		'manualInterested',
	],
	notInterested: [
		'emailsNotInterested',
		'networkNotInterested',
		'dialerNotInterested',
		'apiNotInterested',
		'manualNotInterested',
	],
} as const;

/** Every event type of §6.1, grouped under its headings. */
export const EVENT_TYPES_BY_HEADING = {
	'Lead State': ['contacted', 'hooked', 'attracted', 'warmed', 'interested', 'notInterested'],
	Email: [
		'emailsSent',
		'emailsOpened',
		'emailsClicked',
		'emailsReplied',
		'emailsBounced',
		'emailsFailed',
		'emailsInterested',
		'emailsNotInterested',
		'emailsUnsubscribed',
	],
	Network: [
		'networkSent',
		'networkOpened',
		'networkReplied',
		'networkInterested',
		'networkNotInterested',
		'networkSendFailed',
		'networkVisitDone',
		'networkVisitFailed',
		'networkFollowDone',
		'networkFollowFailed',
		'networkFollowSkipped',
		'networkInviteDone',
		'networkInviteFailed',
		'networkInviteAccepted',
		'networkEndorseDone',
		'networkEndorseFailed',
		'networkEndorseSkipped',
		'networkVoiceNoteDone',
		'networkVoiceNoteFailed',
		'networkLikeLastPostDone',
		'networkLikeLastPostNoPost',
		'networkLikeLastPostFailed',
		'networkWithdrawInvitationDone',
		'networkWithdrawInvitationFailed',
	],
	Messenger: [
		'messengerMessageSent',
		'messengerMessageDelivered',
		'messengerMessageOpened',
		'messengerReplied',
		'messengerMessageFailed',
	],
	SMS: ['smsSent', 'smsDelivered', 'smsReplied', 'smsFailed'],
	Call: [
		'dialerCreated',
		'dialerEnded',
		'dialerDone',
		'dialerInterested',
		'dialerNotInterested',
		'callRecordingDone',
		'callTranscriptDone',
	],
	API: ['apiDone', 'apiInterested', 'apiNotInterested', 'apiFailed'],
	Manual: ['manualInterested', 'manualNotInterested'],
	Task: ['annotated'],
	Workspace: [
		'paused',
		'resumed',
		'stopped',
		'campaignComplete',
		'customDomainErrors',
		'connectionIssue',
		'sendLimitReached',
		'serviceWarmPaused',
	],
	Other: [
		'enrichmentDone',
		'enrichmentError',
		'inboxLabelUpdated',
		'signalRegistered',
		'deliverabilityAlertTriggered',
	],
} as const;

type Heading = keyof typeof EVENT_TYPES_BY_HEADING;

/** An event type that a webhook can subscribe to (§6.1). */
export type EventType = (typeof EVENT_TYPES_BY_HEADING)[Heading][number];

/** All event types of §6.1, in its order. */
export const EVENT_TYPES: readonly EventType[] = Object.values(EVENT_TYPES_BY_HEADING).flat();

/** The removed types, each with its replacement, if any (§6.2). */
export const REMOVED_EVENT_TYPES: Readonly<Record<string, string | undefined>> = {
	skipped: undefined,
	emailsSendFailed: 'emailsFailed',
	opportunitiesDone: 'annotated or task-level webhooks',
};

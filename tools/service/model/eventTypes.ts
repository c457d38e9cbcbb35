/** §6.1 and §6.2 as data: what can be subscribed to, what a state group gathers, and what is gone. */

/** The lead-state groups, each with the activity types whose occurrence moves a lead into that state (§6.1). */
export const STATE_GROUPS = {
	// The interface ends this list with 'and so on': here it is the first message of each channel.
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

/** Every event type of §6.1 under the heading it has there. */
export const EVENT_TYPES_BY_HEADING = {
	'Lead state': ['contacted', 'hooked', 'attracted', 'warmed', 'interested', 'notInterested'],
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

/** A value that §6.1 allows for a hook's `type`. */
export type EventType = (typeof EVENT_TYPES_BY_HEADING)[Heading][number];

/** All event types of §6.1, in its order. */
export const EVENT_TYPES: readonly EventType[] = Object.values(EVENT_TYPES_BY_HEADING).flat();

/** §6.2: the types that are gone, each with what to use now, if anything. */
export const REMOVED_EVENT_TYPES: Readonly<Record<string, string | undefined>> = {
	skipped: undefined,
	emailsSendFailed: 'emailsFailed',
	opportunitiesDone: 'annotated or task-level webhooks',
};

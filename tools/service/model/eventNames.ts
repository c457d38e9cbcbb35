import { EVENT_TYPES_BY_HEADING, type EventType } from './eventTypes';

/** A name for each event type, after its meaning in §6.1; the heading says the rest. */
const NAMES: Readonly<Record<EventType, string>> = {
	contacted: 'Contacted',
	hooked: 'Hooked',
	attracted: 'Attracted',
	warmed: 'Warmed',
	interested: 'Interested',
	notInterested: 'Not Interested',

	emailsSent: 'Sent',
	emailsOpened: 'Opened',
	emailsClicked: 'Clicked',
	emailsReplied: 'Reply Received',
	emailsBounced: 'Bounced',
	emailsFailed: 'Failed',
	emailsInterested: 'Interested',
	emailsNotInterested: 'Not Interested',
	emailsUnsubscribed: 'Unsubscribed',

	networkSent: 'Message Sent',
	networkOpened: 'Message Opened',
	networkReplied: 'Reply Received',
	networkInterested: 'Interested',
	networkNotInterested: 'Not Interested',
	networkSendFailed: 'Message Failed',
	networkVisitDone: 'Profile Visited',
	networkVisitFailed: 'Profile Visit Failed',
	networkFollowDone: 'Followed',
	networkFollowFailed: 'Follow Failed',
	networkFollowSkipped: 'Follow Skipped',
	networkInviteDone: 'Invite Sent',
	networkInviteFailed: 'Invite Failed',
	networkInviteAccepted: 'Invite Accepted',
	networkEndorseDone: 'Endorsed',
	networkEndorseFailed: 'Endorsement Failed',
	networkEndorseSkipped: 'Endorsement Skipped',
	networkVoiceNoteDone: 'Voice Note Sent',
	networkVoiceNoteFailed: 'Voice Note Failed',
	networkLikeLastPostDone: 'Last Post Liked',
	networkLikeLastPostNoPost: 'Last Post Not Found',
	networkLikeLastPostFailed: 'Last Post Like Failed',
	networkWithdrawInvitationDone: 'Invite Withdrawn',
	networkWithdrawInvitationFailed: 'Invite Withdrawal Failed',

	messengerMessageSent: 'Message Sent',
	messengerMessageDelivered: 'Message Delivered',
	messengerMessageOpened: 'Message Opened',
	messengerReplied: 'Reply Received',
	messengerMessageFailed: 'Message Failed',

	smsSent: 'Sent',
	smsDelivered: 'Delivered',
	smsReplied: 'Reply Received',
	smsFailed: 'Failed',

	dialerCreated: 'Created',
	dialerEnded: 'Ended',
	dialerDone: 'Task Completed',
	dialerInterested: 'Interested',
	dialerNotInterested: 'Not Interested',
	callRecordingDone: 'Recording Ready',
	callTranscriptDone: 'Transcript Ready',

	apiDone: 'Step Executed',
	apiInterested: 'Interested',
	apiNotInterested: 'Not Interested',
	apiFailed: 'Step Failed',

	manualInterested: 'Interested',
	manualNotInterested: 'Not Interested',

	annotated: 'Annotated',

	paused: 'Lead Paused',
	resumed: 'Lead Resumed',
	stopped: 'Lead Stopped',
	campaignComplete: 'Campaign Completed',
	customDomainErrors: 'Custom Domain Error',
	connectionIssue: 'Connection Issue',
	sendLimitReached: 'Send Limit Reached',
	serviceWarmPaused: 'Warm-Up Paused',

	enrichmentDone: 'Enrichment Completed',
	enrichmentError: 'Enrichment Failed',
	inboxLabelUpdated: 'Inbox Label Updated',
	signalRegistered: 'Signal Registered',
	deliverabilityAlertTriggered: 'Deliverability Alert',
};

/** A heading of §6.1 with its event types, for a list to choose from. */
export interface EventGroup {
	heading: string;
	/** `name` includes the heading: 'Email: Reply Received'. */
	events: { type: EventType; name: string }[];
}

/** Every event type of §6.1 with its name, in the order of §6.1. */
export const EVENT_GROUPS: readonly EventGroup[] = Object.entries(EVENT_TYPES_BY_HEADING).map(
	([heading, types]) => ({
		heading,
		events: types.map((type) => ({ type, name: `${heading}: ${NAMES[type]}` })),
	}),
);

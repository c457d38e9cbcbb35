const words = (text: string): string[] => text.trim().split(/\s+/);

/** Every event type of §6.1, in its order, a line or more for each group. */
export const EVENT_TYPES: readonly string[] = words(`
	contacted hooked attracted warmed interested notInterested
	emailsSent emailsOpened emailsClicked emailsReplied emailsBounced emailsFailed
	emailsInterested emailsNotInterested emailsUnsubscribed
	networkSent networkOpened networkReplied networkInterested networkNotInterested
	networkSendFailed networkVisitDone networkVisitFailed networkFollowDone networkFollowFailed
	networkFollowSkipped networkInviteDone networkInviteFailed networkInviteAccepted
	networkEndorseDone networkEndorseFailed networkEndorseSkipped networkVoiceNoteDone
	networkVoiceNoteFailed networkLikeLastPostDone networkLikeLastPostNoPost
	networkLikeLastPostFailed networkWithdrawInvitationDone networkWithdrawInvitationFailed
	messengerMessageSent messengerMessageDelivered messengerMessageOpened messengerReplied
	messengerMessageFailed
	smsSent smsDelivered smsReplied smsFailed
	dialerCreated dialerEnded dialerDone dialerInterested dialerNotInterested callRecordingDone
	callTranscriptDone
	apiDone apiInterested apiNotInterested apiFailed
	manualInterested manualNotInterested
	annotated
	paused resumed stopped campaignComplete customDomainErrors connectionIssue sendLimitReached
	serviceWarmPaused
	enrichmentDone enrichmentError inboxLabelUpdated signalRegistered
	deliverabilityAlertTriggered
`);

/**
 * The activities that move a lead into each state (§6.1). The API's list of what 'contacted' covers ends in 'and so
 * on'; here it covers messages, invitations, calls and API steps.
 */
const LEADING_TO = new Map<string, readonly string[]>([
	[
		'contacted',
		words(
			'emailsSent networkSent networkInviteDone networkVoiceNoteDone messengerMessageSent smsSent dialerDone apiDone',
		),
	],
	['hooked', words('emailsOpened networkOpened messengerMessageOpened')],
	['attracted', words('emailsClicked networkInviteAccepted')],
	['warmed', words('emailsReplied networkReplied messengerReplied smsReplied')],
	[
		'interested',
		EVENT_TYPES.filter((type) => /(?<!not)Interested$/i.test(type) && type !== 'interested'),
	],
	['notInterested', EVENT_TYPES.filter((type) => /[a-z]NotInterested$/.test(type))],
]);

/** Whether an activity of this type moves a lead into the state `group` (§6.1). */
export const groupCovers = (group: string, activityType: string): boolean =>
	LEADING_TO.get(group)?.includes(activityType) === true;

const ABOUT_AN_ACCOUNT = words(
	'customDomainErrors connectionIssue sendLimitReached serviceWarmPaused deliverabilityAlertTriggered',
);
const ABOUT_A_LEAD_ALONE = words('inboxLabelUpdated signalRegistered');

/** What events of this type are about (§2.3). A type that §6.1 doesn't list counts as one about a lead in a campaign. */
export function subjectOf(type: string): 'campaign' | 'lead' | 'account' {
	if (ABOUT_AN_ACCOUNT.includes(type)) return 'account';
	return ABOUT_A_LEAD_ALONE.includes(type) ? 'lead' : 'campaign';
}

/** The removed types, each with its replacement, if any (§6.2). */
export const REMOVED_EVENT_TYPES: ReadonlyMap<string, string | undefined> = new Map([
	['skipped', undefined],
	['emailsSendFailed', 'emailsFailed'],
	['opportunitiesDone', 'annotated or task-level webhooks'],
]);

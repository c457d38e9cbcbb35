const words = (text: string): string[] => text.trim().split(/\s+/);

/** The event types of §6.1 in groups, in its order. */
export const EVENT_GROUPS: ReadonlyArray<{ group: string; types: readonly string[] }> = [
	{
		group: 'Lead states',
		types: words(`
			contacted hooked attracted warmed interested notInterested
		`),
	},
	{
		group: 'Email',
		types: words(`
			emailsSent emailsOpened emailsClicked emailsReplied emailsBounced emailsFailed
			emailsInterested emailsNotInterested emailsUnsubscribed
		`),
	},
	{
		group: 'Network',
		types: words(`
			networkSent networkOpened networkReplied networkInterested networkNotInterested
			networkSendFailed networkVisitDone networkVisitFailed networkFollowDone networkFollowFailed
			networkFollowSkipped networkInviteDone networkInviteFailed networkInviteAccepted
			networkEndorseDone networkEndorseFailed networkEndorseSkipped networkVoiceNoteDone
			networkVoiceNoteFailed networkLikeLastPostDone networkLikeLastPostNoPost
			networkLikeLastPostFailed networkWithdrawInvitationDone networkWithdrawInvitationFailed
		`),
	},
	{
		group: 'Messenger',
		types: words(`
			messengerMessageSent messengerMessageDelivered messengerMessageOpened messengerReplied
			messengerMessageFailed
		`),
	},
	{
		group: 'SMS',
		types: words(`
			smsSent smsDelivered smsReplied smsFailed
		`),
	},
	{
		group: 'Call',
		types: words(`
			dialerCreated dialerEnded dialerDone dialerInterested dialerNotInterested callRecordingDone
			callTranscriptDone
		`),
	},
	{
		group: 'API',
		types: words(`
			apiDone apiInterested apiNotInterested apiFailed
		`),
	},
	{
		group: 'Manual',
		types: words(`
			manualInterested manualNotInterested
		`),
	},
	{
		group: 'Task',
		types: words(`
			annotated
		`),
	},
	{
		group: 'Workspace',
		types: words(`
			paused resumed stopped campaignComplete customDomainErrors connectionIssue sendLimitReached
			serviceWarmPaused
		`),
	},
	{
		group: 'Other',
		types: words(`
			enrichmentDone enrichmentError inboxLabelUpdated signalRegistered
			deliverabilityAlertTriggered
		`),
	},
];

/** Every event type of §6.1, in its order. */
export const EVENT_TYPES: readonly string[] = EVENT_GROUPS.flatMap(({ types }) => types);

/** What the types of a group begin with, if that is not the name of the group. */
const BEGINNINGS: Readonly<Record<string, string>> = { Email: 'emails', Call: 'dialer' };

/** An event type in words, with its group as §6.1 writes it: `emailsReplied` is 'Email replied'. */
export function eventName(type: string): string {
	const { group = '' } = EVENT_GROUPS.find(({ types }) => types.includes(type)) ?? {};
	const beginning = BEGINNINGS[group] ?? group.toLowerCase();
	const hasBeginning = beginning !== '' && type.startsWith(beginning);
	const start = hasBeginning ? group : type.charAt(0).toUpperCase();
	const rest = type.slice(hasBeginning ? beginning.length : 1);
	const words = rest.replace(/[^A-Za-z\d]+/g, ' ').trimEnd();
	return start + words.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

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

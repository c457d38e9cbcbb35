/** The event types of the nodes and of the local service are the documented ones, each once. */
import {
	ALL_EVENTS,
	canBeThirdParty,
	EVENT_OPTIONS,
	EVENT_OPTIONS_WITH_ALL,
	EVENT_TYPES,
	EVENTS,
	isLeadState,
	problemWithEventType,
} from '../../../nodes/OutreachService/domain/eventTypes';
import { OutreachServiceTrigger } from '../../../nodes/OutreachService/OutreachServiceTrigger.node';
import { EVENT_TYPES as SERVED } from '../../../tools/service';
import {
	groupCovers,
	REMOVED_EVENT_TYPES,
	subjectOf,
} from '../../../tools/service/model/eventGroups';
import { read } from '../texts/everyDocument';

/** §6.1, word for word. */
const DOCUMENTED = `
	contacted hooked attracted warmed interested notInterested
	emailsSent emailsOpened emailsClicked emailsReplied emailsBounced emailsFailed emailsInterested
	emailsNotInterested emailsUnsubscribed
	networkSent networkOpened networkReplied networkInterested networkNotInterested networkSendFailed
	networkVisitDone networkVisitFailed networkFollowDone networkFollowFailed networkFollowSkipped
	networkInviteDone networkInviteFailed networkInviteAccepted networkEndorseDone networkEndorseFailed
	networkEndorseSkipped networkVoiceNoteDone networkVoiceNoteFailed networkLikeLastPostDone
	networkLikeLastPostNoPost networkLikeLastPostFailed networkWithdrawInvitationDone
	networkWithdrawInvitationFailed
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
	enrichmentDone enrichmentError inboxLabelUpdated signalRegistered deliverabilityAlertTriggered
`
	.trim()
	.split(/\s+/);

it('The nodes and the local service have each documented event type once, and no other', () => {
	expect(EVENT_OPTIONS.map(({ value }) => value).sort()).toEqual([...DOCUMENTED].sort());
	expect([...EVENT_TYPES].sort()).toEqual([...DOCUMENTED].sort());
	expect([...SERVED].sort()).toEqual([...DOCUMENTED].sort());
	expect(EVENT_OPTIONS_WITH_ALL.map(({ value }) => value)).toEqual([
		...EVENT_OPTIONS.map(({ value }) => value),
		ALL_EVENTS,
	]);
});

/** The documented lead states: the first line of §6.1. */
const LEAD_STATES = DOCUMENTED.filter(isLeadState);

it('The lead states are the first of the documented types', () => {
	expect(LEAD_STATES.length).toBeGreaterThan(0);
	expect(LEAD_STATES).toEqual(DOCUMENTED.slice(0, LEAD_STATES.length));
});

it('A third party’s reply can be a lead state exactly if that covers email replies', () => {
	const covering = LEAD_STATES.filter((state) => groupCovers(state, 'emailsReplied'));
	expect(LEAD_STATES.filter(canBeThirdParty)).toEqual(covering);
});

it('The hint of Trigger On for AI builders names each lead state but that of a first contact', () => {
	const { properties } = new OutreachServiceTrigger().description;
	const triggerOn = properties.find(({ name }) => name === 'events');
	const propertyHint = triggerOn?.builderHint?.propertyHint ?? '';
	const named = DOCUMENTED.filter(isLeadState).filter((state) =>
		propertyHint.includes(`'${state}'`),
	);
	expect(named.sort()).toEqual(
		DOCUMENTED.filter((type) => isLeadState(type) && type !== 'contacted').sort(),
	);
});

it('The nodes and the local service refuse each type that the API has removed, and name what it names instead', () => {
	const [, api = ''] = read('docs/api.md').split('### 6.2 Removed event types');
	const [section = ''] = api.split('\n### ');
	const lines = section.split('\n').filter((line) => line.startsWith('- `'));
	const removed = lines.map((line) => line.match(/`[^`]+`/g)!.map((name) => name.slice(1, -1)));
	expect([...REMOVED_EVENT_TYPES.keys()].sort()).toEqual(removed.map(([type]) => type).sort());
	for (const [type = '', instead] of removed) {
		expect(DOCUMENTED).not.toContain(type);
		expect(problemWithEventType(type)).toContain(`no longer has the event type '${type}'`);
		if (instead !== undefined) expect(problemWithEventType(type)).toContain(`'${instead}'`);
	}
});

/** How the description of a lead state names each type that it covers, unless the description says 'on any channel'. */
const NAMED_AS: Readonly<Record<string, string>> = {
	emailsSent: 'message',
	networkSent: 'message',
	networkVoiceNoteDone: 'message',
	messengerMessageSent: 'message',
	smsSent: 'message',
	networkInviteDone: 'invite',
	dialerDone: 'call',
	apiDone: 'API step',
	emailsClicked: 'clicked a link',
	networkInviteAccepted: 'accepted an invite',
};

it.each(LEAD_STATES)(
	'The description of the lead state %s names everything that it covers, and nothing else',
	(state) => {
		const { description } = EVENTS.get(state)!;
		const covered = DOCUMENTED.filter((type) => groupCovers(state, type));
		expect(covered).not.toEqual([]);
		if (/on (any|whatever) channel/.test(description)) {
			// The same happens on each channel.
			const [, what = ''] =
				/^The lead (?:was marked )?(.+?)(?: a message|,)? on /.exec(description) ?? [];
			const others = covered.filter((type) => !EVENTS.get(type)!.description.includes(what));
			expect([what === '', others]).toEqual([false, []]);
			return;
		}
		const named = covered.filter((type) => description.includes(NAMED_AS[type] ?? type));
		expect(named).toEqual(covered);
		// And nothing else.
		const words = new Set(Object.values(NAMED_AS).filter((word) => description.includes(word)));
		const needed = covered.map((type) => NAMED_AS[type] ?? type);
		const isNeeded = (word: string) => needed.some((one) => one.includes(word));
		expect([...words].filter((word) => !isNeeded(word))).toEqual([]);
	},
);

it('An event has a lead and a campaign for the nodes exactly if the local service sends them', () => {
	const said = DOCUMENTED.map((type) => {
		const { hasLead, hasCampaign } = EVENTS.get(type)!;
		if (!hasLead) return [type, 'account'];
		return [type, hasCampaign ? 'campaign' : 'lead'];
	});
	expect(said).toEqual(DOCUMENTED.map((type) => [type, subjectOf(type)]));
});

/** What a type begins with, for each channel (§6.1). */
const CHANNELS: Readonly<Record<string, RegExp>> = {
	api: /^api/,
	call: /^(dialer|call)/,
	email: /^emails/,
	manual: /^manual/,
	messenger: /^messenger/,
	network: /^network/,
	sms: /^sms/,
};

it('The channel of an event follows from the beginning of its type, and its group from the channel', () => {
	for (const [type, { channel, name }] of EVENTS) {
		const [expected = null] =
			Object.entries(CHANNELS).find(([, beginning]) => beginning.test(type)) ?? [];
		expect([type, channel]).toEqual([type, expected]);
		const [group = ''] = name.split(': ');
		if (expected !== null) expect([type, group.toLowerCase()]).toEqual([type, expected]);
		else expect(Object.keys(CHANNELS)).not.toContain(group.toLowerCase());
	}
});

it('The name of a channel is one word, because workflows compare it', () => {
	const channels = new Set([...EVENTS.values()].map(({ channel }) => channel ?? ''));
	channels.delete('');
	for (const channel of channels) expect(channel).toMatch(/^[a-z]+$/);
});

it('Each option has a name of its own, a description, and a label of its own at an output', () => {
	expect(new Set(EVENT_OPTIONS.map(({ name }) => name)).size).toBe(DOCUMENTED.length);
	for (const { description } of EVENT_OPTIONS) expect(description).toMatch(/^[A-Z].{8,}[^.]$/);
	const labels = [...EVENTS.values()].map(({ label }) => label);
	expect(new Set(labels).size).toBe(labels.length);
});

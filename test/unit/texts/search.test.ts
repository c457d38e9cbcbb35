/** What people type into n8n's lists finds the event they mean. */
import {
	EVENT_OPTIONS,
	EVENT_OPTIONS_WITH_ALL,
	eventName,
} from '../../../nodes/OutreachService/domain/eventTypes';

/** The events that the field 'Trigger On' lists for a text, by the rule of its component: part of the label, any case. */
const listedFor = (typed: string): string[] => {
	const rule = new RegExp(typed.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`), 'i');
	return EVENT_OPTIONS_WITH_ALL.filter(({ name }) => rule.test(name)).map(({ value }) =>
		String(value),
	);
};

const REPLIES = ['emailsReplied', 'messengerReplied', 'networkReplied', 'smsReplied', 'warmed'];
const INVITES = [
	'attracted',
	'networkInviteAccepted',
	'networkInviteDone',
	'networkInviteFailed',
	'networkWithdrawInvitationDone',
	'networkWithdrawInvitationFailed',
];

describe("What people type into 'Trigger On'", () => {
	it.each([
		['reply', REPLIES],
		['email: reply', ['emailsReplied']],
		['bounce', ['emailsBounced']],
		['undeliverable', ['emailsBounced']],
		['opt out', ['emailsUnsubscribed']],
		['opt-out', ['emailsUnsubscribed']],
		['replied', REPLIES],
		['unsubscribe', ['emailsUnsubscribed']],
		['positive', ['interested']],
		['negative', ['notInterested']],
		['open', ['emailsOpened', 'hooked', 'messengerMessageOpened', 'networkOpened']],
		['click', ['attracted', 'emailsClicked']],
		['invite', INVITES],
		['first touch', ['contacted']],
		['all events', ['*']],
	])('%s finds %j, and nothing else', (typed, expected) => {
		expect(listedFor(typed).sort()).toEqual([...expected].sort());
	});

	it.each(['call', 'phone'])('%s finds the events of calls, and no others', (typed) => {
		const calls = EVENT_OPTIONS.flatMap(({ value }) =>
			eventName(String(value)).startsWith('Call: ') ? [value] : [],
		);
		expect(calls.length).toBeGreaterThan(0);
		expect(listedFor(typed)).toEqual(calls);
	});

	it('the type of any event finds it', () => {
		for (const { value } of EVENT_OPTIONS) expect(listedFor(String(value))).toContain(value);
	});
});

it('An event has the same plain name everywhere; the list adds what finds it, in brackets', () => {
	expect(eventName('emailsReplied')).toBe('Email: Reply Received');
	expect(eventName('*')).toBe('All Events');
	for (const { name, value } of EVENT_OPTIONS_WITH_ALL) {
		const added = name.slice(eventName(String(value)).length);
		expect(name).toBe(`${eventName(String(value))}${added}`);
		expect(added).toMatch(/^( \([A-Za-z, -]+\))?$/);
	}
});

it("n8n's list of triggers begins with replies, and ends with the steps of the API and everything", () => {
	const actions = EVENT_OPTIONS_WITH_ALL.map(({ action = '' }) => action);
	expect(actions[0]).toBe('On Email: Reply Received');
	const positionOf = (group: string) => actions.findIndex((one) => one.startsWith(`On ${group}: `));
	expect(positionOf('API')).toBeGreaterThan(positionOf('Lead State'));
	expect(positionOf('API')).toBeGreaterThan(positionOf('Network'));
	expect(actions.at(-1)).toBe('On All Events');
});

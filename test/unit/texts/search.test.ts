import {
	EVENT_OPTIONS_WITH_ALL,
	EVENT_TYPES,
	eventName,
} from '../../../nodes/OutreachService/model/eventTypes';

/** The events that the field 'Trigger On' lists for a text, by the rule of its component: part of the label, any case. */
const listedFor = (typed: string): string[] => {
	const rule = new RegExp(typed.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`), 'i');
	return EVENT_OPTIONS_WITH_ALL.filter(({ name }) => rule.test(name)).map(({ value }) =>
		String(value),
	);
};

const REPLIES = ['emailsReplied', 'messengerReplied', 'networkReplied', 'smsReplied'];

describe("What people type into 'Trigger On'", () => {
	it.each([
		['reply', [...REPLIES, 'warmed']],
		['answer', [...REPLIES, 'warmed']],
		['email: reply', ['emailsReplied']],
		['open', ['emailsOpened', 'hooked', 'messengerMessageOpened', 'networkOpened']],
		['click', ['attracted', 'emailsClicked']],
		['invite accepted', ['attracted', 'networkInviteAccepted']],
		['first touch', ['contacted']],
		['all', ['*']],
	])('%s finds %j', (typed, expected) => {
		expect(listedFor(typed)).toEqual(expect.arrayContaining(expected));
		// 'all' is in 'Call', too.
		if (typed !== 'all') expect(listedFor(typed).sort()).toEqual([...expected].sort());
	});

	it('The type of an event finds it', () => {
		for (const type of EVENT_TYPES) expect(listedFor(type)).toContain(type);
	});
});

it('An event is called the same everywhere, without the words that are there for searching', () => {
	expect(eventName('emailsReplied')).toBe('Email: Reply Received');
	for (const { name, value } of EVENT_OPTIONS_WITH_ALL) {
		expect(name.startsWith(eventName(String(value)))).toBe(true);
	}
});

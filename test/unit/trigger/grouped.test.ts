/** The grouped output and the event in words, whatever an activity contains. */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod';

import { ACTIVITY_FIELDS, activitySchema } from '../../../nodes/OutreachService/domain/activity';
import { EVENT_TYPES, EVENTS } from '../../../nodes/OutreachService/domain/eventTypes';
import { chosenActivity } from '../../../nodes/OutreachService/trigger/delivery/chosenActivity';
import { grouped } from '../../../nodes/OutreachService/trigger/delivery/grouped';
import { anyCharacters } from '../../anyText';
import { tries } from '../../propertyRuns';

const recipients = fc.array(fc.record({ address: fc.emailAddress(), name: fc.string() }));
const value = fc.oneof(fc.string(), fc.nat(), fc.boolean(), fc.constant(null), recipients);
const activity: fc.Arbitrary<IDataObject> = fc.dictionary(
	fc.oneof(fc.constantFrom(...ACTIVITY_FIELDS), fc.string()),
	value,
);

/** What is made of several fields. */
const MADE = ['event.key', 'event.summary', 'event.label', 'event.channel'];

/** The fields of all groups with their values, such as `lead.email`, without those that are made of several fields. */
const leaves = (output: IDataObject): Array<[path: string, value: unknown]> =>
	Object.entries(output)
		.filter(([group]) => group !== 'activity')
		.flatMap(([group, fields]) =>
			Object.entries(fields ?? {}).map(([name, one]): [string, unknown] => [
				`${group}.${name}`,
				one,
			]),
		)
		.filter(([path]) => !MADE.includes(path));

const groupedOf = (given: IDataObject, event = '*') =>
	grouped(chosenActivity(event, activitySchema.parse(given), given));

it('The grouped output has the same keys for every activity, and only values of the activity', () => {
	const keys = leaves(groupedOf({})).map(([path]) => path);
	fc.assert(
		fc.property(activity, fc.string(), (given, event) => {
			const output = groupedOf(given, event);
			expect(output.activity).toBe(given);
			expect(leaves(output).map(([path]) => path)).toEqual(keys);
			const read = [...Object.values(activitySchema.parse(given)), null, false, []];
			for (const [path, found] of leaves(output)) {
				if (path === 'event.subscription') expect(found).toBe(event);
				else expect(read).toContainEqual(found);
			}
		}),
	);
});

const anyDate = fc
	.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
	.map((date) => date.toISOString());

it.each(ACTIVITY_FIELDS)(
	'The field %s of an activity appears exactly once in the grouped output',
	(name) => {
		fc.assert(
			fc.property(fc.stringMatching(/^\S{1,9}$/), anyDate, (text, date) => {
				const others: Record<string, unknown> = {
					sequenceStep: 7,
					isThirdPartyReply: true,
					createdAt: date,
				};
				const written = ['to', 'cc', 'bcc'].includes(name)
					? [{ address: text, name: '', since: 1 }]
					: (others[name] ?? text);
				const empty = new Map(leaves(groupedOf({})));
				const filled = leaves(groupedOf({ [name]: written }));
				const changed = filled.filter(([path, one]) => !Object.is(one, empty.get(path)));
				const values = changed.filter(([, one]) => !(Array.isArray(one) && one.length === 0));
				expect(values.map(([, one]) => one)).toEqual([written]);
			}),
		);
	},
);

describe('An event in words', () => {
	const GRACE = { leadFirstName: 'Grace', leadLastName: 'Okafor', leadEmail: 'grace@example.com' };
	const eventOf = (given: IDataObject, event = '*') =>
		z
			.object({ summary: z.string(), label: z.string().nullable(), channel: z.string().nullable() })
			.parse(groupedOf(given, event).event);

	const REPLY = 'emailsReplied';
	const ADDRESS = { leadEmail: GRACE.leadEmail };

	/** @param named the event whose label and channel it has, if any */
	it.each<[event: string, activity: IDataObject, summary: string, named: string | null]>([
		['*', { type: REPLY, ...GRACE }, 'Grace Okafor replied to an email', REPLY],
		[REPLY, { ...GRACE, subject: 'Re:\n x' }, 'Grace Okafor replied to an email: Re: x', REPLY],
		['*', { type: REPLY, ...ADDRESS }, 'grace＠example․com replied to an email', REPLY],
		['*', { type: REPLY, leadFirstName: '$&' }, '$＆ replied to an email', REPLY],
		['*', { type: 'brandNew', ...GRACE }, 'brandNew – Grace Okafor', 'brandNew'],
		['*', { type: 'toString' }, 'toString', 'toString'],
		['*', { type: '\u200d' }, 'An event', '\u200d'],
		['*', {}, 'An event', null],
		// It was delivered for an event under another type, which says more if it is known.
		['warmed', GRACE, 'Grace Okafor replied on any channel', 'warmed'],
		['warmed', { type: 'new', ...GRACE }, 'Grace Okafor replied on any channel', 'warmed'],
		['warmed', { type: REPLY, ...GRACE }, 'Grace Okafor replied to an email', REPLY],
	])('delivered for %s, of %j, is "%s"', (event, given, summary, named) => {
		const { name: label = named, channel = null } = EVENTS.get(named ?? '') ?? {};
		expect(eventOf(given, event)).toEqual({ summary, label, channel });
	});

	it('mentions no lead if it may be a test event of the service: it names neither a lead nor a campaign', () => {
		const test = { _id: 'act_1', type: 'emailsReplied', teamId: 'tea_1' };
		expect(eventOf(test).summary).toBe('Email: Reply Received');
		expect(eventOf({ ...test, subject: 'Hello' }).summary).toBe('Email: Reply Received: Hello');
		for (const type of EVENT_TYPES) expect(eventOf({ type }).summary).not.toMatch(/the lead\b/i);
		const real = ['leadId', 'campaignId', 'campaignName'].map((field) => ({ [field]: 'x_1' }));
		for (const one of real)
			expect(eventOf({ ...test, ...one }).summary).toMatch(/^The lead replied/);
	});

	it('says that a third party replied, and not the lead', () => {
		const reply = { type: 'emailsReplied', isThirdPartyReply: true, subject: 'Re: Hello' };
		expect(eventOf({ ...reply, ...GRACE }).summary).toBe(
			'A third party replied to an email – Grace Okafor: Re: Hello',
		);
		expect(eventOf(reply).summary).toBe('A third party replied to an email: Re: Hello');
		expect(eventOf({ ...reply, isThirdPartyReply: 'true' }).summary).toMatch(/^A third party/);
		expect(eventOf({ ...reply, type: 'pigeonReplied', ...GRACE }).summary).toBe(
			'pigeonReplied – a third party – Grace Okafor: Re: Hello',
		);
	});

	it.each([
		['x'.repeat(120), 'x'.repeat(120)],
		['x'.repeat(121), `${'x'.repeat(119)}…`],
		[`${'x'.repeat(118)} ${'y'.repeat(9)}`, `${'x'.repeat(118)}…`],
		[`${'x'.repeat(117)}👩‍💻👩‍💻`, `${'x'.repeat(117)}👩…`],
	])('shortens the subject %s to %s', (subject, shown) => {
		expect(eventOf({ subject }).summary).toBe(`An event: ${shown}`);
	});

	/** What people write, and what attackers do. */
	const hostile = fc
		.array(
			fc.oneof(
				anyCharacters,
				fc.constantFrom(
					'<!channel>',
					'@everyone',
					':日本:',
					'[a](https://x.test)',
					'x", "channel": "everybody',
					'\\',
					'\\"',
					'{{ $json.secret }}',
					'&lt;!channel&gt;',
					'\u202e',
					'x'.repeat(300),
					'\u200b',
					'\ud83d',
				),
			),
			{ maxLength: 6 },
		)
		.map((parts) => parts.join(''));
	const someEvent = fc.oneof(fc.constantFrom('*', ...EVENT_TYPES), hostile);
	const someActivity = fc.record(
		{
			type: fc.oneof(fc.constantFrom(...EVENT_TYPES), hostile),
			leadFirstName: hostile,
			leadLastName: hostile,
			leadEmail: hostile,
			subject: hostile,
			isThirdPartyReply: fc.boolean(),
		},
		{ requiredKeys: [] },
	);

	it('is one line of 1 to 200 characters in which nothing needs escaping, whatever the lead wrote', () => {
		fc.assert(
			fc.property(someActivity, someEvent, (activity, event) => {
				const { summary } = eventOf(activity, event);
				const { length } = Array.from(summary);
				expect(length).toBeGreaterThan(0);
				expect(length).toBeLessThanOrEqual(200);
				expect(summary).toBe(summary.trim());
				expect(summary).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u);
				expect(summary.replace(/[\u200c\u200d]/g, '')).not.toMatch(/\p{Cf}/u);
				// JSON and HTML, then all that Telegram's MarkdownV2 reserves, then mentions, URLs and the codes of emoji.
				expect(summary).not.toMatch(/["\\<>&]/);
				expect(summary).not.toMatch(/[_*[\]()~`>#+\-=|{}.!]/);
				expect(summary).not.toMatch(/@|:\S/);
				expect(JSON.parse(`{"text": "${summary}"}`)).toEqual({ text: summary });
			}),
			{ numRuns: tries(125) },
		);
	});

	it('names the lead wherever the event is about one', () => {
		for (const type of EVENT_TYPES) {
			const { summary } = eventOf({ type, ...GRACE });
			expect(summary).toContain('Grace Okafor');
			expect(summary).not.toMatch(/the lead\b/i);
		}
	});
});

import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod';

import { EVENT_TYPES } from '../../../nodes/OutreachService/model/eventTypes';
import { grouped } from '../../../nodes/OutreachService/trigger/delivery/output';

const FIELDS = [
	...['_id', 'type', 'createdAt', 'teamId', 'isThirdPartyReply', 'campaignId', 'campaignName'],
	...['sequenceId', 'sequenceStep', 'leadId', 'leadEmail', 'leadFirstName', 'leadLastName'],
	...['sendUserId', 'sendUserEmail', 'sendUserName', 'subject', 'to', 'cc', 'bcc'],
];

const recipients = fc.array(fc.record({ address: fc.emailAddress(), name: fc.string() }));
const value = fc.oneof(fc.string(), fc.nat(), fc.boolean(), fc.constant(null), recipients);
const activity: fc.Arbitrary<IDataObject> = fc.dictionary(
	fc.oneof(fc.constantFrom(...FIELDS), fc.string()),
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

it('The grouped output has the same keys for every activity, and only values of the activity', () => {
	const keys = leaves(grouped({}, '*', 'key')).map(([path]) => path);
	fc.assert(
		fc.property(activity, fc.string(), (given, event) => {
			const output = grouped(given, event, 'key');
			expect(output.activity).toBe(given);
			expect(leaves(output).map(([path]) => path)).toEqual(keys);
			const known = [...Object.values(given), null, false, []];
			for (const [path, found] of leaves(output)) {
				if (path === 'event.subscription') expect(found).toBe(event);
				else expect(known).toContainEqual(found);
			}
		}),
	);
});

it('Each field of an activity appears exactly once in the grouped output', () => {
	fc.assert(
		fc.property(fc.constantFrom(...FIELDS), fc.string({ minLength: 1 }), (name, text) => {
			const written = ['to', 'cc', 'bcc'].includes(name)
				? [{ address: text, name: '', since: 1 }]
				: ({ sequenceStep: 7, isThirdPartyReply: true }[name] ?? text);
			const empty = new Map(leaves(grouped({}, '*', 'key')));
			const filled = leaves(grouped({ [name]: written }, '*', 'key'));
			const changed = filled.filter(([path, one]) => !Object.is(one, empty.get(path)));
			const values = changed.filter(([, one]) => !(Array.isArray(one) && one.length === 0));
			expect(values.map(([, one]) => one)).toEqual([written]);
		}),
	);
});

describe('An event in words', () => {
	const GRACE = { leadFirstName: 'Grace', leadLastName: 'Okafor', leadEmail: 'grace@example.com' };
	const eventOf = (given: IDataObject) =>
		z
			.object({ summary: z.string(), label: z.string().nullable(), channel: z.string().nullable() })
			.parse(grouped(given, '*', 'key').event);

	it.each([
		[
			{ type: 'emailsReplied', ...GRACE, subject: 'Re: Quick\n question' },
			'Grace Okafor replied to an email: Re: Quick question',
			'Email: Reply Received',
			'email',
		],
		[
			{ type: 'smsReplied', leadEmail: 'grace@example.com' },
			'grace@example.com replied to a text message',
			'SMS: Reply Received',
			'sms',
		],
		[{ type: 'dialerEnded', ...GRACE }, 'A call ended (Grace Okafor)', 'Call: Ended', 'call'],
		[
			{ type: 'networkEndorseDone', leadFirstName: '$&', leadLastName: null },
			"$&'s skills were endorsed",
			'Network: Endorsed',
			'network',
		],
		[
			{ type: 'warmed', ...GRACE },
			'Grace Okafor replied on any channel',
			'Lead State: Warmed',
			null,
		],
		[
			{ type: 'connectionIssue' },
			'A mailbox can no longer be reached',
			'Workspace: Connection Issue',
			null,
		],
		[{ type: 'brandNew', ...GRACE }, 'brandNew (Grace Okafor)', 'brandNew', null],
		[
			{ type: 'emailsOpened', leadLastName: 'Okafor ', subject: '  Hello ' },
			'Okafor opened an email: Hello',
			'Email: Opened',
			'email',
		],
		[{ type: 'toString' }, 'toString', 'toString', null],
		[GRACE, '(Grace Okafor)', null, null],
		[{}, '', null, null],
	])('%j is "%s"', (given, summary, label, channel) => {
		expect(eventOf(given)).toEqual({ summary, label, channel });
	});

	it.each([
		['x'.repeat(120), 'x'.repeat(120)],
		['x'.repeat(121), `${'x'.repeat(119)}…`],
		[`${'x'.repeat(118)} ${'y'.repeat(9)}`, `${'x'.repeat(118)}…`],
	])('shortens the subject %s to %s', (subject, shown) => {
		expect(eventOf({ subject }).summary).toBe(shown);
	});

	it('is one short line in which no messenger renders anything, whatever the lead wrote', () => {
		const hostile = fc
			.array(
				fc.oneof(
					fc.string({ unit: 'binary' }),
					fc.constantFrom(
						...['<!channel>', '<@U1>', '<https://x.test|Click>', '@everyone', '@here', '**b**'],
						...[':warning:', ':+1', 'x@everyone', 'x@here_'],
						...[
							'_i_',
							'~s~',
							'`c`',
							'[a](https://x.test)',
							'<b>',
							'# Big',
							'\n- x',
							'\u202e',
							'||s||',
						],
						...['x'.repeat(300), '\u200b', '\ud83d', 'https://x.test'],
					),
				),
				{ maxLength: 6 },
			)
			.map((parts) => parts.join(''));
		const types = fc.oneof(fc.constantFrom(...EVENT_TYPES), hostile);
		fc.assert(
			fc.property(
				types,
				hostile,
				hostile,
				hostile,
				hostile,
				(type, first, last, email, subject) => {
					const { summary } = eventOf({
						type,
						leadFirstName: first,
						leadLastName: last,
						leadEmail: email,
						subject,
					});
					expect(Array.from(summary).length).toBeLessThanOrEqual(200);
					expect(summary).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
					expect(summary).not.toMatch(/[<>*_~`|[\]]|:\/\/|(^|[^\p{L}\p{N}.+-])@|^[#+-]/u);
					expect(summary).not.toMatch(/:[\w+-]+:|@(everyone|here|channel)\b/);
				},
			),
		);
	});

	it('keeps an email address and ordinary punctuation', () => {
		const subject = "Re: Invoice #12 (50 %), isn't it?!";
		expect(eventOf({ type: 'smsReplied', leadEmail: 'g.o+1@example.com', subject }).summary).toBe(
			`g.o+1@example.com replied to a text message: ${subject}`,
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

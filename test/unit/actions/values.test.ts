import fc from 'fast-check';
import type { z } from 'zod';

import {
	choice,
	eventOrOwnSchema,
	eventSchema,
	filtersSchema,
	newEventSchema,
	secretSchema,
	truth,
	urlSchema,
	webhookIdSchema,
	wholeNumber,
} from '../../../nodes/OutreachService/actions/values';
import { EVENT_TYPES } from '../../../nodes/OutreachService/model/eventTypes';
import { campaignIdSchema } from '../../../nodes/OutreachService/model/campaignId';

const SCHEMAS = {
	urlSchema,
	eventSchema,
	campaignIdSchema,
	secretSchema,
	webhookIdSchema,
	truth,
	wholeNumber: wholeNumber(1),
	choice: choice(['a', 'b']),
	filtersSchema,
};

it.each(Object.entries(SCHEMAS))(
	'%s explains why it rejects a value, and never quotes it',
	(_, schema) => {
		const value = fc.oneof(fc.anything(), fc.string({ minLength: 12, unit: 'grapheme' }));
		fc.assert(
			fc.property(value, (given) => {
				const [issue] = schema.safeParse(given).error?.issues ?? [];
				fc.pre(issue !== undefined);
				expect(issue.message).toMatch(/^(Its? |The |An |Invalid|Expected|Required)/);
				if (typeof given === 'string' && given.length > 9)
					expect(issue.message).not.toContain(given);
			}),
		);
	},
);

it('A webhook ID is extracted from any URL of the webhook, and is safe in a path', () => {
	const id = fc.stringMatching(/^hoo_[\w-]{1,40}$/);
	fc.assert(
		fc.property(id, fc.webUrl(), (webhookId, base) => {
			expect(webhookIdSchema.parse(` ${webhookId} `)).toBe(webhookId);
			const url = `${base.replace(/[?#].*$/, '').replace(/\/$/, '')}/hooks/${webhookId}`;
			for (const suffix of ['', '/', '?x=1', '/?x=1#y']) {
				expect(webhookIdSchema.parse(`${url}${suffix}`)).toBe(webhookId);
			}
		}),
	);
	fc.assert(
		fc.property(fc.string(), (text) => {
			const { data } = webhookIdSchema.safeParse(text);
			if (data !== undefined) expect(encodeURIComponent(data)).toBe(data);
		}),
	);
});

it('An HTTP or HTTPS URL is kept as it is, whatever the case of its scheme', () => {
	const anyUrl = fc.webUrl({ validSchemes: ['http', 'https'], withQueryParameters: true });
	fc.assert(
		fc.property(anyUrl, (url) => {
			expect(urlSchema.parse(` ${url}\n`)).toBe(url);
			const upperCase = url.replace(/^https?/, (scheme) => scheme.toUpperCase());
			expect(urlSchema.parse(upperCase)).toBe(upperCase);
		}),
	);
});

it('Whole numbers and booleans may be given as text, and an empty value counts as not set', () => {
	fc.assert(
		fc.property(fc.integer({ min: 1 }), (n) => {
			expect(wholeNumber(1).parse(String(n))).toBe(n);
			expect(wholeNumber(1).parse(n)).toBe(n);
		}),
	);
	for (const text of ['true', ' TRUE ', 'True']) expect(truth.parse(text)).toBe(true);
	for (const text of ['false', 'FALSE\n']) expect(truth.parse(text)).toBe(false);
	for (const empty of ['', ' ', null, undefined]) {
		expect(truth.parse(empty)).toBeUndefined();
		expect(wholeNumber(1).parse(empty)).toBeUndefined();
		expect(choice(['a']).parse(empty)).toBeUndefined();
	}
});

it('A secret is kept as it is, unless it begins or ends with a space', () => {
	fc.assert(
		fc.property(fc.string({ maxLength: 500 }), (secret) => {
			const parsed = secretSchema.safeParse(secret);
			expect(parsed.data).toBe(secret === secret.trim() ? secret : undefined);
		}),
	);
});

describe('The reason for rejecting', () => {
	const EVENT = "It must be an event type such as emailsReplied, or '*' for all events";
	const ID = 'It must be an ID such as hoo_4fT9x or the API URL of a webhook';
	it.each<[given: unknown, schema: z.ZodTypeAny, expected: string]>([
		['many', wholeNumber(1), 'It must be a number'],
		[1.5, wholeNumber(1), 'It must be a whole number'],
		['0', wholeNumber(1), 'It must be at least 1'],
		[2 ** 53, wholeNumber(1), 'It is too large'],
		['maybe', truth, 'It must be true or false'],
		['c', choice(['a', 'b']), 'It must be one of: a, b'],
		[7, urlSchema, 'It must be text'],
		['', urlSchema, 'It is empty'],
		[`https://a.test/${'x'.repeat(2_000)}`, urlSchema, 'It has more than 2000 characters'],
		['http:///in', urlSchema, 'It has no host'],
		['HTTPS://?event=warmed', urlSchema, 'It has no host'],
		['https://a.test/a b', urlSchema, 'It is not a valid URL'],
		['', eventSchema, 'It is empty'],
		['my warmed', eventSchema, EVENT],
		['warmed!', eventSchema, EVENT],
		['**', eventSchema, EVENT],
		['x'.repeat(501), secretSchema, 'It has more than 500 characters'],
		['hoo/1', webhookIdSchema, ID],
		['h o o', webhookIdSchema, ID],
		['own', newEventSchema, "Choose an event, or 'All Events'"],
	])('%j is told', (given, schema, expected) => {
		expect(schema.safeParse(given).error?.issues[0]?.message).toBe(expected);
	});
});

it.each([
	['one of several values', choice(['a', 'b']), ' b ', 'b'],
	[
		'a URL within a URL',
		urlSchema,
		'https://a.test/?to=https:///in',
		'https://a.test/?to=https:///in',
	],
	['an event that is left empty', eventOrOwnSchema, '', 'own'],
])('%s can be given', (_, schema: z.ZodTypeAny, given, expected) => {
	expect(schema.parse(given)).toStrictEqual(expected);
});

describe('A value that is nearly right comes with a correction:', () => {
	const reason = (schema: z.ZodTypeAny, value: string) =>
		schema.safeParse(value).error?.issues[0]?.message;

	it.each([
		['crm.example.com/hooks', 'https://crm.example.com/hooks'],
		['//crm.example.com:8443', 'https://crm.example.com:8443'],
		['htps://crm.example.com/a-b', 'https://crm.example.com/a-b'],
		['https:/crm.example.com', 'https://crm.example.com'],
	])('the URL %s', (given, meant) => {
		expect(reason(urlSchema, given)).toMatch(
			/^It must begin with http:\/\/ or https:\/\/\. Did you/,
		);
		expect(reason(urlSchema, given)).toContain(`Did you mean ${meant}?`);
		expect(urlSchema.parse(meant)).toBe(meant);
	});

	it.each(['hooks', 'user:pw@crm.example.com', 'crm.example.com/?token=s3cret', 'a b.com'])(
		'but not the URL %s, which may mean anything or hold a secret',
		(given) => {
			expect(reason(urlSchema, given)).toBe('It must begin with http:// or https://');
		},
	);

	it.each([
		['emailReplied', 'emailsReplied'],
		['EmailsReplied', 'emailsReplied'],
		['emails_replied', 'emailsReplied'],
		['emailsRepleid', 'emailsReplied'],
		['networkInviteAccept3d', 'networkInviteAccepted'],
		['warmd', 'warmed'],
	])('the event %s', (given, meant) => {
		expect(reason(eventSchema, given)).toContain(`Did you mean '${meant}'?`);
	});

	it('but no event that the service has, or may have added', () => {
		for (const type of [...EVENT_TYPES, '*', 'emailsForwarded', 'smsOpened', 'dialerStarted']) {
			expect(eventSchema.parse(type)).toBe(type);
		}
	});

	it.each(['hoo_4f T9x', 'hoo_ 4fT9x', 'hoo_4fT9\u200bx'])('the ID %j', (given) => {
		expect(reason(webhookIdSchema, given)).toMatch(/Did you mean hoo_4fT9x\?$/);
	});
});

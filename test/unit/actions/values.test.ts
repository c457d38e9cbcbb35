import fc from 'fast-check';
import type { z } from 'zod';

import {
	choice,
	eventSchema,
	filtersSchema,
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

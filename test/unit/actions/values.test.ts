import fc from 'fast-check';

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
import { campaignIdSchema } from '../../../nodes/OutreachService/model/campaignId';

const EVERY = {
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

it.each(Object.entries(EVERY))(
	'%s refuses with words, and never quotes what it got',
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

it('An ID is found in any address of a webhook, and is safe in a path', () => {
	const id = fc.stringMatching(/^hoo_[\w-]{1,40}$/);
	fc.assert(
		fc.property(id, fc.webUrl(), (webhookId, base) => {
			expect(webhookIdSchema.parse(` ${webhookId} `)).toBe(webhookId);
			const address = `${base.replace(/[?#].*$/, '').replace(/\/$/, '')}/hooks/${webhookId}`;
			for (const more of ['', '/', '?x=1', '/?x=1#y']) {
				expect(webhookIdSchema.parse(`${address}${more}`)).toBe(webhookId);
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

it('An address of either kind is taken as it is, however its beginning is written', () => {
	const url = fc.webUrl({ validSchemes: ['http', 'https'], withQueryParameters: true });
	fc.assert(
		fc.property(url, (address) => {
			expect(urlSchema.parse(` ${address}\n`)).toBe(address);
			const loud = address.replace(/^https?/, (scheme) => scheme.toUpperCase());
			expect(urlSchema.parse(loud)).toBe(loud);
		}),
	);
});

it('Whole numbers and truth values mean the same as text', () => {
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

it('A secret is taken as it is', () => {
	fc.assert(
		fc.property(fc.string({ maxLength: 500 }), (secret) => {
			const parsed = secretSchema.safeParse(secret);
			expect(parsed.data).toBe(secret === secret.trim() ? secret : undefined);
		}),
	);
});

import fc from 'fast-check';

import {
	webhookListSchema,
	settingsOf,
	type Webhook,
} from '../../../nodes/OutreachService/model/schemas';

const TYPES = {
	type: 'string',
	campaignId: 'string',
	createdAt: 'string',
	toolLinkId: 'number',
	isFirst: 'boolean',
	disabled: 'boolean',
} as const;

/** A webhook with anything in its optional fields. */
const webhook: fc.Arbitrary<Webhook> = fc
	.tuple(
		fc.record({ _id: fc.string({ minLength: 1 }), targetUrl: fc.webUrl() }),
		fc.dictionary(
			fc.constantFrom(...Object.keys(TYPES), 'brandNew'),
			fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.array(fc.string())),
		),
	)
	.map(([required, optional]) => ({ ...optional, ...required }));

const notWebhook = fc.oneof(
	fc.constantFrom(null, 42, 'text', [], {}, { _id: '', targetUrl: 'https://a.test' }),
	fc.record({ _id: fc.oneof(fc.integer(), fc.constant(null)), targetUrl: fc.webUrl() }),
	fc.record({ _id: fc.uuid(), targetUrl: fc.oneof(fc.integer(), fc.constant(null)) }),
);

describe('A list of webhooks', () => {
	it('keeps every webhook unchanged, whatever its optional fields contain', () => {
		fc.assert(
			fc.property(fc.array(webhook), (list) => {
				expect(webhookListSchema.parse(list)).toEqual(list);
			}),
		);
	});

	it('leaves out entries that are not webhooks, if at least one is', () => {
		fc.assert(
			fc.property(fc.array(notWebhook), webhook, fc.array(notWebhook), (before, one, after) => {
				expect(webhookListSchema.parse([...before, one, ...after])).toEqual([one]);
			}),
		);
	});

	it('cannot consist of nothing but other entries', () => {
		fc.assert(
			fc.property(fc.array(notWebhook, { minLength: 1 }), (list) => {
				expect(webhookListSchema.safeParse(list).success).toBe(false);
			}),
		);
	});

	it.each([[null], [{}], [''], [{ hooks: [] }]])('cannot be %j', (value) => {
		expect(webhookListSchema.safeParse(value).success).toBe(false);
	});
});

describe('The settings of a webhook', () => {
	it('are the fields with the documented type; others count as absent', () => {
		fc.assert(
			fc.property(webhook, (one) => {
				const settings = settingsOf(one);
				for (const [name, type] of Object.entries(TYPES)) {
					const given = one[name];
					const isUsable = typeof given === type && given !== '';
					const expected = isUsable ? given : undefined;
					expect([name, settings[name as keyof typeof TYPES] || undefined]).toEqual([
						name,
						expected || undefined,
					]);
				}
			}),
		);
	});
});

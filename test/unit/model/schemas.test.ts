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

/** A webhook whose optional fields can have anything in them. */
const hook: fc.Arbitrary<Webhook> = fc
	.tuple(
		fc.record({ _id: fc.string({ minLength: 1 }), targetUrl: fc.webUrl() }),
		fc.dictionary(
			fc.constantFrom(...Object.keys(TYPES), 'brandNew'),
			fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.array(fc.string())),
		),
	)
	.map(([required, optional]) => ({ ...optional, ...required }));

const notHook = fc.oneof(
	fc.constantFrom(null, 42, 'text', [], {}, { _id: '', targetUrl: 'https://a.test' }),
	fc.record({ _id: fc.oneof(fc.integer(), fc.constant(null)), targetUrl: fc.webUrl() }),
	fc.record({ _id: fc.uuid(), targetUrl: fc.oneof(fc.integer(), fc.constant(null)) }),
);

describe('A list of webhooks', () => {
	it('keeps every webhook as it came, whatever its optional fields hold', () => {
		fc.assert(
			fc.property(fc.array(hook), (list) => {
				expect(webhookListSchema.parse(list)).toEqual(list);
			}),
		);
	});

	it('leaves out entries that are not webhooks, as long as there is one that is', () => {
		fc.assert(
			fc.property(fc.array(notHook), hook, fc.array(notHook), (before, one, after) => {
				expect(webhookListSchema.parse([...before, one, ...after])).toEqual([one]);
			}),
		);
	});

	it('is not a list in which nothing is a webhook', () => {
		fc.assert(
			fc.property(fc.array(notHook, { minLength: 1 }), (list) => {
				expect(webhookListSchema.safeParse(list).success).toBe(false);
			}),
		);
	});

	it.each([[null], [{}], [''], [{ hooks: [] }]])('is not %j', (value) => {
		expect(webhookListSchema.safeParse(value).success).toBe(false);
	});
});

describe('The settings of a webhook', () => {
	it('are the fields of the documented type; others count as absent', () => {
		fc.assert(
			fc.property(hook, (one) => {
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

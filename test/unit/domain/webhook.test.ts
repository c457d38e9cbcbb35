/** Which settings a listed webhook has, whatever its fields contain, and whether a list has all webhooks. */
import fc from 'fast-check';

import {
	eventOf,
	saysThereIsMore,
	settingsOf,
	webhookListSchema,
	type Webhook,
} from '../../../nodes/OutreachService/domain/webhook';
import { anyUrl } from '../../anyText';

const TYPES = {
	type: 'string',
	campaignId: 'string',
	createdAt: 'string',
	toolLinkId: 'number',
	isFirst: 'boolean',
	disabled: 'boolean',
};

/** A webhook with anything in its optional fields. */
const webhook: fc.Arbitrary<Webhook> = fc
	.tuple(
		fc.record({ _id: fc.string({ minLength: 1 }), targetUrl: anyUrl }),
		fc.dictionary(
			fc.constantFrom(...Object.keys(TYPES), 'brandNew'),
			fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.array(fc.string())),
		),
	)
	.map(([required, optional]) => ({ ...optional, ...required }));

it('The settings of a webhook are the fields with the documented type; others count as absent', () => {
	fc.assert(
		fc.property(webhook, (one) => {
			const settings: Record<string, unknown> = settingsOf(one);
			for (const [name, type] of Object.entries(TYPES)) {
				const given = one[name];
				const expected = typeof given === type && given ? given : undefined;
				expect([name, settings[name] || undefined]).toEqual([name, expected]);
			}
			// JavaScript cannot hold it exactly.
			expect(settingsOf({ ...one, toolLinkId: 2 ** 53 }).toolLinkId).toBeUndefined();
		}),
	);
});

it.each([
	['emailsReplied', 'emailsReplied'],
	['*', '*'],
	[undefined, '*'],
	[null, '*'],
	['', '*'],
	[5, undefined],
	[['emailsReplied'], undefined],
])('The event of a webhook with the type %j is %j', (type, event) => {
	expect(eventOf({ _id: 'hoo_1', targetUrl: 'https://crm.test/in', type })).toBe(event);
});

it('A secret that the service lists is no part of a webhook', () => {
	const one = { _id: 'hoo_1', targetUrl: 'https://crm.test/in' };
	expect(webhookListSchema.parse([{ ...one, secret: 'whsec_1' }])).toEqual([one]);
});

it.each<[boolean, object, string]>([
	[true, { hooks: [], hasMore: true }, ''],
	[true, { hooks: [], meta: { total: 2 } }, ''],
	[true, [], '<https://api.test/hooks?page=2>; title="a;b"; rel="last next"'],
	[false, { hooks: [], hasMore: false, meta: { total: 1 } }, ''],
	[false, [], '<https://api.test/hooks;rel=next>; rel="prev"; title="; rel=next"'],
])(
	'Whether the service has more webhooks than one in its list is %s for %j, %s',
	(isSo, ...said) => {
		expect(saysThereIsMore(...said, 1)).toBe(isSo);
	},
);

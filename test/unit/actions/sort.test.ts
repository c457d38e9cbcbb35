import fc from 'fast-check';

import {
	sorted,
	sortSchema,
	type SortRules,
} from '../../../nodes/OutreachService/actions/webhook/sort';
import { settingsOf, type Webhook } from '../../../nodes/OutreachService/model/schemas';

const absent = { nil: undefined };
/** A time in milliseconds has fewer digits before September 2001, and is negative before 1970. */
const times = ['1960-05-01T00:00:00Z', '1999-12-31T23:59:59Z', '2026-01-02T03:00:00+09:00'];
const createdAt = fc.option(fc.constantFrom(...times, 'some day', '', null), absent);
const webhook: fc.Arbitrary<Webhook> = fc.record({
	_id: fc.uuid(),
	targetUrl: fc.constantFrom('https://a.test', 'https://b.test', 'https://É.test'),
	createdAt,
	type: fc.option(fc.constantFrom('warmed', 'smsSent', null), absent),
	campaignId: fc.option(fc.constantFrom('cam_1', 'cam_2', '', null), absent),
});
const field = fc.constantFrom('createdAt', 'campaignId', 'targetUrl', 'type');
const rule = fc.record({ field, direction: fc.constantFrom('asc', 'desc') });
const webhooks = fc.array(webhook, { maxLength: 12 });

const rulesOf = (property: unknown): SortRules => sortSchema.parse({ property }).property ?? [];
const idsOf = (list: readonly Webhook[]) => list.map(({ _id }) => _id);
const timeOf = (webhook: Webhook) => Date.parse(settingsOf(webhook).createdAt ?? '');

describe('Sorting webhooks', () => {
	it('keeps every webhook, leaves the given list unchanged, and does nothing to a sorted list', () => {
		fc.assert(
			fc.property(webhooks, fc.array(rule, { maxLength: 3 }), (list, rules) => {
				const before = idsOf(list);
				const once = sorted(list, rulesOf(rules));
				expect(idsOf(list)).toEqual(before);
				expect([...idsOf(once)].sort()).toEqual([...before].sort());
				expect(idsOf(sorted(once, rulesOf(rules)))).toEqual(idsOf(once));
			}),
		);
	});

	it('puts the oldest or the newest first, and those without a valid time last', () => {
		fc.assert(
			fc.property(webhooks, fc.constantFrom('asc', 'desc'), (list, direction) => {
				const all = sorted(list, rulesOf([{ field: 'createdAt', direction }])).map(timeOf);
				const known = all.filter((time) => !Number.isNaN(time));
				expect(all.slice(0, known.length)).toEqual(known);
				const ascending = [...known].sort((a, b) => a - b);
				expect(known).toEqual(direction === 'asc' ? ascending : ascending.reverse());
			}),
		);
	});

	it('keeps the order of the service for webhooks that a rule considers equal', () => {
		fc.assert(
			fc.property(webhooks, rule, (list, one) => {
				const same = list.map(({ _id }) => ({ _id, targetUrl: 'https://a.test' }));
				expect(idsOf(sorted(same, rulesOf([one])))).toEqual(idsOf(same));
				expect(idsOf(sorted(list, []))).toEqual(idsOf(list));
			}),
		);
	});

	it('applies the second rule to webhooks that are equal under the first, such as those without a value', () => {
		fc.assert(
			fc.property(webhooks, rule, (list, second) => {
				const bare = list.map((one) => ({ ...one, campaignId: null }));
				const both = sorted(bare, rulesOf([{ field: 'campaignId' }, second]));
				expect(idsOf(both)).toEqual(idsOf(sorted(bare, rulesOf([second]))));
			}),
		);
	});

	it('sorts by creation time, oldest first, when a rule does not say otherwise', () => {
		fc.assert(
			fc.property(webhooks, (list) => {
				const full = sorted(list, rulesOf([{ field: 'createdAt', direction: 'asc' }]));
				expect(idsOf(sorted(list, rulesOf([{}])))).toEqual(idsOf(full));
			}),
		);
	});
});

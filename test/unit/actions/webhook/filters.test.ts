import fc from 'fast-check';

import { isEmpty, passes } from '../../../../nodes/OutreachService/actions/webhook/filters';
import type { Filters } from '../../../../nodes/OutreachService/actions/values';
import type { Webhook } from '../../../../nodes/OutreachService/model/schemas';

const absent = { nil: undefined };
const event = fc.constantFrom('warmed', 'smsSent');
const campaignId = fc.constantFrom('cam_1', 'cam_2');
const webhook = fc.record({
	_id: fc.string({ minLength: 1 }),
	targetUrl: fc.webUrl(),
	type: fc.option(event, absent),
	campaignId: fc.option(campaignId, absent),
}) satisfies fc.Arbitrary<Webhook>;
const unset = fc.constantFrom(undefined, '');
const filters: fc.Arbitrary<Filters> = fc.record({
	event: fc.oneof(unset, event, fc.constant('*')),
	campaignId: fc.oneof(unset, campaignId),
	targetUrl: fc.oneof(unset, fc.constantFrom('http', '.com', 'A'), fc.string()),
});

describe('Filters', () => {
	it('let a webhook through when every one that is set does, and all webhooks when none is set', () => {
		fc.assert(
			fc.property(webhook, filters, (one, given) => {
				const each = Object.entries(given).map(([name, value]) => passes(one, { [name]: value }));
				expect(passes(one, given)).toBe(each.every(Boolean));
				if (isEmpty(given)) expect(passes(one, given)).toBe(true);
				expect(isEmpty(given)).toBe(Object.values(given).join('') === '');
			}),
		);
	});

	it('match the event, the campaign, and any part of the target URL in upper or lower case', () => {
		fc.assert(
			fc.property(webhook, webhook, fc.nat(), fc.nat(), (one, other, from, to) => {
				expect(passes(one, { event: one.type ?? '*' })).toBe(true);
				expect(passes(one, { event: other.type ?? '*' })).toBe(one.type === other.type);
				expect(passes(one, { campaignId: other.campaignId ?? '' })).toBe(
					other.campaignId === undefined || one.campaignId === other.campaignId,
				);
				const part = one.targetUrl.slice(from % 20, (from % 20) + (to % 20));
				expect(passes(one, { targetUrl: part.toUpperCase() })).toBe(true);
				expect(passes({ ...one, targetUrl: part.toUpperCase() }, { targetUrl: part })).toBe(true);
				expect(passes(one, { targetUrl: `${one.targetUrl}!` })).toBe(false);
			}),
		);
	});
});

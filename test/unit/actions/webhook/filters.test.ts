import fc from 'fast-check';

import { passes } from '../../../../nodes/OutreachService/actions/webhook/filters';
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
const filters = fc.record({
	event: fc.option(fc.oneof(event, fc.constant('*')), absent),
	campaignId: fc.option(campaignId, absent),
	targetUrl: fc.option(fc.oneof(fc.constantFrom('http', '.com', 'A'), fc.string()), absent),
});

it('Filters let a webhook through when every one that is set does', () => {
	fc.assert(
		fc.property(webhook, filters, (one, given) => {
			const each = Object.entries(given).map(([name, value]) => passes(one, { [name]: value }));
			expect(passes(one, given)).toBe(each.every(Boolean));
			expect(passes(one, {})).toBe(true);
		}),
	);
});

it('Filters match the event, the campaign, and any part of the target URL in upper or lower case', () => {
	fc.assert(
		fc.property(webhook, webhook, fc.nat(), fc.nat(), (one, other, from, to) => {
			expect(passes(one, { event: one.type ?? '*' })).toBe(true);
			expect(passes(one, { event: other.type ?? '*' })).toBe(one.type === other.type);
			expect(passes(one, { campaignId: other.campaignId })).toBe(
				other.campaignId === undefined || one.campaignId === other.campaignId,
			);
			const part = one.targetUrl.slice(from % 20, (from % 20) + (to % 20));
			expect(passes(one, { targetUrl: part.toUpperCase() })).toBe(true);
			expect(passes({ ...one, targetUrl: part.toUpperCase() }, { targetUrl: part })).toBe(true);
			expect(passes(one, { targetUrl: `${one.targetUrl}!` })).toBe(false);
		}),
	);
});

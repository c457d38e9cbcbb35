import fc from 'fast-check';

import { isEmpty, passes } from '../../../nodes/OutreachService/actions/filters';
import { redacted } from '../../../nodes/OutreachService/actions/secrets';
import type { Filters } from '../../../nodes/OutreachService/actions/values';
import type { Webhook } from '../../../nodes/OutreachService/model/schemas';

const absent = { nil: undefined };
const event = fc.constantFrom('warmed', 'smsSent');
const campaignId = fc.constantFrom('cam_1', 'cam_2');
const hook = fc.record({
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
	it('find less with each one that is set, and everything when none is', () => {
		fc.assert(
			fc.property(hook, filters, (one, given) => {
				const each = Object.entries(given).map(([name, value]) => passes(one, { [name]: value }));
				expect(passes(one, given)).toBe(each.every(Boolean));
				if (isEmpty(given)) expect(passes(one, given)).toBe(true);
				expect(isEmpty(given)).toBe(Object.values(given).join('') === '');
			}),
		);
	});

	it('find a webhook by what it has, by any part of its address in any case, and by nothing else', () => {
		fc.assert(
			fc.property(hook, hook, fc.nat(), fc.nat(), (one, other, from, to) => {
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

describe('Parameters without secrets', () => {
	const secret = fc.stringMatching(/^s3cret-[a-z]{8,30}$/);
	const others = fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.oneof(fc.string(), fc.nat()));

	it('hold none, and everything else as it was', () => {
		fc.assert(
			fc.property(others, others, secret, (parameters, fields, own) => {
				const given = { ...parameters, secret: own, additionalFields: { ...fields, secret: own } };
				const hidden = redacted(given);
				expect(JSON.stringify(hidden)).not.toContain(own);
				const masked = { ...fields, secret: '(hidden)' };
				expect(hidden).toEqual({ ...given, secret: '(hidden)', additionalFields: masked });
				expect(given.secret).toBe(own);
			}),
		);
	});

	it('are unchanged where there was none', () => {
		fc.assert(
			fc.property(others, others, (parameters, additionalFields) => {
				expect(redacted(parameters)).toEqual(parameters);
				expect(Object.keys(redacted(parameters))).toEqual(Object.keys(parameters));
				const given = { ...parameters, additionalFields };
				expect(redacted(given)).toEqual(given);
			}),
		);
	});
});

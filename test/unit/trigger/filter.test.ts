import fc from 'fast-check';

import type { Activity } from '../../../nodes/OutreachService/model/activity';
import { isLeadState } from '../../../nodes/OutreachService/model/eventTypes';
import { subscribedEvents, type Selection } from '../../../nodes/OutreachService/model/selection';
import { eventOf, passesFilters } from '../../../nodes/OutreachService/trigger/delivery/receive';
import { read } from './selections';

const TYPES = ['emailsReplied', 'smsSent', 'brandNew', 'warmed', 'hooked'];
const type = fc.constantFrom(...TYPES);
const activityType = fc.option(type, { nil: undefined });
const inUrl = fc.oneof(type, fc.constant('*'), fc.string({ minLength: 1 }));
const events = fc.uniqueArray(type, { minLength: 1 });
const subscription = fc.constantFrom('hookPerEvent', 'singleHook');

describe('A delivery', () => {
	it('comes for a chosen event: the one in its target URL if that has a webhook, otherwise that of its type', () => {
		fc.assert(
			fc.property(inUrl, activityType, events, subscription, (stated, given, chosen, mode) => {
				const selection = read(chosen, { subscription: mode });
				const subscribed = subscribedEvents(selection);
				const hasOne = subscribed.includes('*');
				const event = eventOf(stated, { type: given }, selection);
				if (stated !== '*' && subscribed.includes(stated)) expect(event).toBe(stated);
				// Nothing tells what an activity without a type is.
				else if (given === undefined) expect(event).toBeUndefined();
				// A lead state has a webhook of its own, which delivers it as well.
				else if (hasOne && isLeadState(given)) expect(event).toBeUndefined();
				else expect(event).toBe(chosen.includes(given) ? given : undefined);
			}),
		);
	});

	it('comes for all events when all are chosen, whatever its URL and type', () => {
		fc.assert(
			fc.property(inUrl, activityType, subscription, (stated, given, mode) => {
				expect(eventOf(stated, { type: given }, read(['*'], { subscription: mode }))).toBe('*');
			}),
		);
	});
});

describe('An activity', () => {
	const id = fc.constantFrom<string[]>('cam_1', 'cam_2', 'cam_3');
	const activity: fc.Arbitrary<Activity> = fc.record({
		campaignId: fc.option(id, { nil: undefined }),
		isThirdPartyReply: fc.option(fc.boolean(), { nil: undefined }),
	});
	const passes = (
		given: Activity,
		campaigns: string[],
		thirdPartyReplies: Selection['thirdPartyReplies'],
	) => passesFilters(given, read(['*'], { campaignId: campaigns.join(), thirdPartyReplies }));

	it("passes unless it belongs to another campaign, and by either 'exclude' or 'only'", () => {
		fc.assert(
			fc.property(activity, fc.uniqueArray(id), (given, chosen) => {
				const isOther = chosen.length > 0 && ![undefined, ...chosen].includes(given.campaignId);
				const isThirdParty = given.isThirdPartyReply === true;
				expect(passes(given, chosen, 'include')).toBe(!isOther);
				expect(passes(given, chosen, 'exclude')).toBe(!isOther && !isThirdParty);
				expect(passes(given, chosen, 'only')).toBe(!isOther && isThirdParty);
			}),
		);
	});
});

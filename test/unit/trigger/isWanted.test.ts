import fc from 'fast-check';

import { STATE_GROUPS } from '../../../nodes/OutreachService/model/eventTypes';
import type { Activity } from '../../../nodes/OutreachService/model/schemas';
import { isWanted, subscriptionOf } from '../../../nodes/OutreachService/trigger/delivery/receive';
import {
	subscribedEvents,
	type Selection,
} from '../../../nodes/OutreachService/trigger/parameters';

const absent = { nil: undefined };
const type = fc.constantFrom<string[]>('emailsReplied', 'smsSent', 'brandNew', 'warmed', 'hooked');
const campaignId = fc.option(fc.constantFrom<string[]>('cam_1', 'cam_2'), absent);
const activity: fc.Arbitrary<Activity> = fc.record({
	type: fc.option(type, absent),
	campaignId,
	isThirdPartyReply: fc.option(fc.boolean(), absent),
});
const event = fc.oneof(type, fc.constant('*'));
const events = fc.oneof(fc.uniqueArray(type, { minLength: 1 }), fc.constant<string[]>(['*']));

const OPEN: Selection = {
	events: ['*'],
	campaignId: undefined,
	isFirst: false,
	subscription: 'hookPerEvent',
	verifySecret: true,
	ignoreDuplicates: true,
	thirdPartyReplies: 'include',
	repairMinutes: 15,
	output: 'activity',
};

describe('A delivery', () => {
	it('belongs to the subscription that it states, if the node has it, and to all events otherwise', () => {
		fc.assert(
			fc.property(event, events, (stated, selected) => {
				const selection: Selection = { ...OPEN, events: selected };
				expect(subscriptionOf(stated, selection)).toBe(selected.includes(stated) ? stated : '*');
				expect(subscriptionOf(stated, OPEN)).toBe('*');
			}),
		);
	});
});

describe('An activity', () => {
	it('is wanted when nothing is filtered, and no less when the webhook is for its event alone', () => {
		fc.assert(
			fc.property(activity, event, type, events, (given, from, own, selected) => {
				expect(isWanted(given, from, OPEN)).toBe(true);
				expect(isWanted(given, own, { ...OPEN, events: selected })).toBe(true);
			}),
		);
	});

	it('of another campaign is not wanted, unless it is a third-party reply; one without a campaign is', () => {
		fc.assert(
			fc.property(activity, event, campaignId, (given, from, chosen) => {
				const isOther = ![undefined, chosen].includes(given.campaignId);
				const isDropped = chosen && isOther && given.isThirdPartyReply !== true;
				expect(isWanted(given, from, { ...OPEN, campaignId: chosen })).toBe(!isDropped);
			}),
		);
	});

	it('is either a third-party reply or not: what exclude drops is what only takes', () => {
		fc.assert(
			fc.property(activity, event, events, campaignId, (given, from, selected, chosen) => {
				const takes = (thirdPartyReplies: Selection['thirdPartyReplies']) =>
					isWanted(given, from, {
						...OPEN,
						events: selected,
						campaignId: chosen,
						thirdPartyReplies,
					});
				const [exclude, only] = [takes('exclude'), takes('only')];
				expect(exclude || only).toBe(takes('include'));
				expect(exclude && only).toBe(false);
				if (only) expect(given.isThirdPartyReply).toBe(true);
			}),
		);
	});

	it('from the webhook for everything is wanted when its type is selected, and no group brings it anyway', () => {
		fc.assert(
			fc.property(activity, fc.uniqueArray(type, { minLength: 1 }), (given, selected) => {
				const selection: Selection = { ...OPEN, events: selected, subscription: 'singleHook' };
				fc.pre(subscribedEvents(selection).includes('*'));
				const expected =
					given.type === undefined ||
					(selected.includes(given.type) && !STATE_GROUPS.has(given.type));
				expect(isWanted(given, '*', selection)).toBe(expected);
			}),
		);
	});

	it('from a webhook that the node does not subscribe to is wanted when its type is selected', () => {
		fc.assert(
			fc.property(activity, fc.uniqueArray(type, { minLength: 1 }), (given, selected) => {
				const expected = given.type !== undefined && selected.includes(given.type);
				expect(isWanted(given, '*', { ...OPEN, events: selected })).toBe(expected);
			}),
		);
	});
});

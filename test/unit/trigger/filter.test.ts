import fc from 'fast-check';

import { LEAD_STATES } from '../../../nodes/OutreachService/model/eventTypes';
import type { Activity } from '../../../nodes/OutreachService/model/schemas';
import { isSelected, subscriptionOf } from '../../../nodes/OutreachService/trigger/delivery/filter';
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
				expect(isSelected(given, from, OPEN)).toBe(true);
				expect(isSelected(given, own, { ...OPEN, events: selected })).toBe(true);
			}),
		);
	});

	it('of another campaign is not wanted, unless it is a third-party reply; one without a campaign is', () => {
		fc.assert(
			fc.property(activity, event, campaignId, (given, from, chosen) => {
				const isOther = ![undefined, chosen].includes(given.campaignId);
				const isDropped = chosen && isOther && given.isThirdPartyReply !== true;
				expect(isSelected(given, from, { ...OPEN, campaignId: chosen })).toBe(!isDropped);
			}),
		);
	});

	it('is either a third-party reply or not: what exclude drops is what only takes', () => {
		fc.assert(
			fc.property(activity, event, events, campaignId, (given, from, selected, chosen) => {
				const takes = (thirdPartyReplies: Selection['thirdPartyReplies']) =>
					isSelected(given, from, {
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
					(selected.includes(given.type) && !LEAD_STATES.has(given.type));
				expect(isSelected(given, '*', selection)).toBe(expected);
			}),
		);
	});

	it('from a webhook that the node does not subscribe to is wanted when its type is selected', () => {
		fc.assert(
			fc.property(activity, fc.uniqueArray(type, { minLength: 1 }), (given, selected) => {
				const expected = given.type !== undefined && selected.includes(given.type);
				expect(isSelected(given, '*', { ...OPEN, events: selected })).toBe(expected);
			}),
		);
	});
});

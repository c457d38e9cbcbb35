import fc from 'fast-check';

import { LEAD_STATES } from '../../../nodes/OutreachService/model/eventTypes';
import type { Activity } from '../../../nodes/OutreachService/model/schemas';
import type { Selection } from '../../../nodes/OutreachService/model/selection';
import {
	isSelected,
	selectedEvent,
	subscriptionOf,
} from '../../../nodes/OutreachService/trigger/delivery/filter';
import { subscribedEvents } from '../../../nodes/OutreachService/trigger/parameters';

const absent = { nil: undefined };
const type = fc.constantFrom<string[]>('emailsReplied', 'smsSent', 'brandNew', 'warmed', 'hooked');
const campaignId = fc.option(fc.constantFrom<string[]>('cam_1', 'cam_2', 'cam_3'), absent);
const campaignIds = fc.uniqueArray(fc.constantFrom<string[]>('cam_1', 'cam_2'));
const activity: fc.Arbitrary<Activity> = fc.record({
	type: fc.option(type, absent),
	campaignId,
	isThirdPartyReply: fc.option(fc.boolean(), absent),
});
const event = fc.oneof(type, fc.constant('*'));
const events = fc.oneof(fc.uniqueArray(type, { minLength: 1 }), fc.constant<string[]>(['*']));

const NO_FILTER: Selection = {
	events: ['*'],
	campaignIds: [],
	isFirst: false,
	subscription: 'hookPerEvent',
	verifySecret: true,
	duplicateMemory: 'process',
	ignoreDuplicates: true,
	thirdPartyReplies: 'include',
	reportProblems: true,
	testWith: 'realEvent',
	repairMinutes: 15,
	output: 'activity',
};

describe('A delivery', () => {
	it('belongs to the subscription in its target URL if the node has it, otherwise to that of its type, or to all events', () => {
		fc.assert(
			fc.property(event, event, events, (stated, type, selected) => {
				const selection: Selection = { ...NO_FILTER, events: selected };
				const ofType = selected.includes(type) ? type : '*';
				expect(subscriptionOf(stated, { type }, selection)).toBe(
					selected.includes(stated) ? stated : ofType,
				);
				expect(subscriptionOf(stated, {}, selection)).toBe(
					selected.includes(stated) ? stated : '*',
				);
				expect(subscriptionOf(stated, { type }, NO_FILTER)).toBe('*');
			}),
		);
	});

	it('belongs, beside one webhook for all events, to that of a lead state only by its target URL', () => {
		fc.assert(
			fc.property(event, type, events, (stated, own, selected) => {
				const selection: Selection = { ...NO_FILTER, events: selected, subscription: 'singleHook' };
				const subscribed = subscribedEvents(selection);
				const ofType = !subscribed.includes('*') && subscribed.includes(own) ? own : '*';
				expect(subscriptionOf(stated, { type: own }, selection)).toBe(
					subscribed.includes(stated) ? stated : ofType,
				);
			}),
		);
	});
});

describe('An activity', () => {
	it('is selected when nothing is filtered, and when its webhook is for a single event', () => {
		fc.assert(
			fc.property(activity, event, type, events, (given, from, own, selected) => {
				expect(isSelected(given, from, NO_FILTER)).toBe(true);
				expect(isSelected(given, own, { ...NO_FILTER, events: selected })).toBe(true);
			}),
		);
	});

	it('is dropped if it belongs to another campaign; one without a campaign is selected', () => {
		fc.assert(
			fc.property(activity, event, campaignIds, (given, from, chosen) => {
				const isOther = ![undefined, ...chosen].includes(given.campaignId);
				const isDropped = chosen.length > 0 && isOther;
				expect(isSelected(given, from, { ...NO_FILTER, campaignIds: chosen })).toBe(!isDropped);
			}),
		);
	});

	it("is selected by either 'exclude' or 'only', depending on whether it is a third-party reply", () => {
		fc.assert(
			fc.property(activity, event, events, campaignIds, (given, from, selected, chosen) => {
				const selects = (thirdPartyReplies: Selection['thirdPartyReplies']) =>
					isSelected(given, from, {
						...NO_FILTER,
						events: selected,
						campaignIds: chosen,
						thirdPartyReplies,
					});
				const [exclude, only] = [selects('exclude'), selects('only')];
				expect(exclude || only).toBe(selects('include'));
				expect(exclude && only).toBe(false);
				if (only) expect(given.isThirdPartyReply).toBe(true);
			}),
		);
	});

	it('from the webhook for everything is selected by its type, unless a lead state has its own webhook', () => {
		fc.assert(
			fc.property(activity, fc.uniqueArray(type, { minLength: 1 }), (given, selected) => {
				const selection: Selection = { ...NO_FILTER, events: selected, subscription: 'singleHook' };
				fc.pre(subscribedEvents(selection).includes('*'));
				const expected =
					given.type === undefined ||
					(selected.includes(given.type) && !LEAD_STATES.has(given.type));
				expect(isSelected(given, '*', selection)).toBe(expected);
			}),
		);
	});

	it('from a webhook that the node does not have is selected by its type', () => {
		fc.assert(
			fc.property(activity, fc.uniqueArray(type, { minLength: 1 }), (given, selected) => {
				const expected = given.type !== undefined && selected.includes(given.type);
				expect(isSelected(given, '*', { ...NO_FILTER, events: selected })).toBe(expected);
			}),
		);
	});
});

it('With one webhook for everything, an activity came for the selected event that it is', () => {
	const selection = { ...NO_FILTER, events: ['emailsReplied', 'warmed'] };
	expect(selectedEvent('*', { type: 'emailsReplied' }, selection)).toBe('emailsReplied');
	// The webhook of a lead state delivers activities of other types.
	expect(selectedEvent('warmed', { type: 'emailsReplied' }, selection)).toBe('warmed');
	expect(selectedEvent('*', { type: 'paused' }, { ...selection, events: ['*'] })).toBe('*');
});

/** At which output an event comes out, and that each output has a webhook that delivers to it. */
import fc from 'fast-check';

import {
	canDeliver,
	EVENT_TYPES,
	isLeadState,
} from '../../../nodes/OutreachService/domain/eventTypes';
import { outputOf, subscribedEvents } from '../../../nodes/OutreachService/parameters/chosenEvents';
import { chosenEvent } from '../../../nodes/OutreachService/trigger/delivery/applySelection';
import { tries } from '../../propertyRuns';
import { read } from './selections';

const type = fc.constantFrom(...EVENT_TYPES, 'brandNew');
const selection = fc
	.record({
		events: fc.uniqueArray(fc.oneof(type, fc.constantFrom('*', 'warmed', 'hooked')), {
			minLength: 1,
			maxLength: 6,
		}),
		subscription: fc.constantFrom('hookPerEvent', 'singleHook'),
	})
	.map(({ events, subscription }) => read(events, { subscription, outputs: 'perEvent' }));

it('An event of a lead state comes out at its output, one of a named type at its own, any other at everything else or not at all', () => {
	fc.assert(
		fc.property(
			selection,
			fc.oneof(type, fc.constant(null)),
			fc.nat(),
			(selected, typeOfEvent, pick) => {
				const { events } = selected;
				const subscribed = subscribedEvents(selected);
				const delivers = subscribed[pick % subscribed.length] ?? '';
				const isForAll = delivers === '*' || !canDeliver(delivers, typeOfEvent);
				const isNamed =
					typeOfEvent !== null && events.includes(typeOfEvent) && !isLeadState(typeOfEvent);
				const rest = events.includes('*') ? events.length - 1 : undefined;
				const own = isForAll ? typeOfEvent : delivers;
				// Without a webhook for everything, each webhook is for one type; so a lead state can be the type of an activity.
				const isState =
					typeOfEvent !== null && !subscribed.includes('*') && events.includes(typeOfEvent);
				const expected = !isForAll || isNamed || isState ? events.indexOf(own ?? '') : rest;

				const event = chosenEvent(delivers, { type: typeOfEvent }, selected);
				expect(event === undefined ? undefined : outputOf(events, event)).toBe(expected);
			},
		),
		{ numRuns: tries(250) },
	);
});

it('What comes at the URL of another event does not come out there', () => {
	const chosen = read(['emailsReplied', 'emailsUnsubscribed', 'warmed', 'brandNew'], {});
	const at = (event: string, type: string | null) => chosenEvent(event, { type }, chosen);
	expect(at('emailsReplied', 'emailsOpened')).toBeUndefined();
	expect(at('emailsReplied', 'emailsUnsubscribed')).toBe('emailsUnsubscribed');
	// What can have another type than its event does.
	expect(at('emailsUnsubscribed', 'entityUnsubscribed')).toBe('emailsUnsubscribed');
	expect(at('warmed', 'emailsReplied')).toBe('warmed');
	expect(at('brandNew', 'emailsReplied')).toBe('brandNew');
	expect(at('emailsReplied', null)).toBe('emailsReplied');
	const withRest = read(['emailsReplied', '*'], { outputs: 'perEvent' });
	expect(chosenEvent('emailsReplied', { type: 'emailsOpened' }, withRest)).toBe('*');
});

/** The events that a user has chosen: which webhooks they need, and at which output each comes out. */
import { z } from 'zod';

import { ALL_EVENTS, isLeadState } from '../domain/eventTypes';

/**
 * The events as a workflow stores them: the canvas knows no values of expressions. `outputs` needs none, because events
 * that come from an expression are refused with it (D75).
 */
const storedEventsSchema = z.object({
	events: z.union([z.string(), z.array(z.string())]).nullish(),
	options: z
		.object({
			customEventTypes: z.string().optional().catch(undefined),
			outputs: z.string().optional().catch(undefined),
		})
		.optional(),
});
export type StoredEvents = z.infer<typeof storedEventsSchema>;

/* istanbul ignore next: its source is a part of the expressions of the canvas, and must refer to nothing else */
/**
 * The chosen events: each once. `*` makes the others needless; with an output for each event it means everything else, and
 * comes last (D75). A text separates events by commas.
 */
export function eventsIn({ events, options = {} }: StoredEvents): string[] {
	const types = [events ?? [], options.customEventTypes ?? '']
		.flatMap((given) => (typeof given === 'string' ? given.split(',') : given))
		.map((type) => type.trim())
		.filter((type, index, all) => type !== '' && all.indexOf(type) === index);
	if (!types.includes('*')) return types;
	return options.outputs === 'perEvent' ? [...types.filter((type) => type !== '*'), '*'] : ['*'];
}

/**
 * The output at which an event comes out (D75): its own, or else that of everything else.
 * @param events of the outputs, in their order: see {@link eventsIn}
 * @returns its index; undefined when the event has no output
 */
export function outputOf(events: readonly string[], event: string): number | undefined {
	const output = [event, ALL_EVENTS].find((one) => events.includes(one));
	return output === undefined ? undefined : events.indexOf(output);
}

/**
 * The events of a node with an output for each, in the order of the outputs; undefined for a node with one output.
 * @param parameters as n8n stores them
 */
export function eventsOfOutputs(parameters: unknown): string[] | undefined {
	const stored = storedEventsSchema.safeParse(parameters).data;
	return stored?.options?.outputs === 'perEvent' ? eventsIn(stored) : undefined;
}

/**
 * The events for which a webhook is registered. One webhook for everything delivers all of them, but a lead state keeps its
 * own: nothing in an activity tells that it belongs to one (§6.1, D8).
 */
export function subscribedEvents({
	events,
	subscription,
}: {
	events: string[];
	subscription: 'hookPerEvent' | 'singleHook';
}): string[] {
	if (subscription === 'hookPerEvent' && !events.includes(ALL_EVENTS)) return events;
	const states = events.filter(isLeadState);
	return states.length === events.length ? events : [ALL_EVENTS, ...states];
}

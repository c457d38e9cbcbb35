/** The events that a user has chosen: which webhooks they need, and at which output each comes out. */
import { z } from 'zod';

import { ALL_EVENTS, isLeadState } from '../domain/eventTypes';

/** The values of *Separate Outputs*. They are typed so that the compiler refuses a comparison with any other value. */
export const OUTPUT_VALUES = ['single', 'perEvent'] as const;

/**
 * The chosen events as a workflow stores them, without the results of expressions: the canvas does not know them, and an
 * output for each event allows no expressions (D75).
 */
const storedEventsSchema = z.object({
	events: z.union([z.string(), z.array(z.string())]).nullish(),
	options: z
		.object({
			customEventTypes: z.string().optional().catch(undefined),
			outputs: z.enum(OUTPUT_VALUES).optional().catch(undefined),
		})
		.optional(),
});
/** The chosen events as a workflow stores them, see {@link eventsIn}. */
export type StoredEvents = z.infer<typeof storedEventsSchema>;

/* istanbul ignore next: its source is a part of the expressions of the canvas, and must refer to nothing else */
/**
 * The chosen events, each once. With `*`, the others are left out, because it includes them. But if each event has an
 * output, `*` means everything else, and comes last (D75). In a text, commas separate events.
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
 * @param events the events of the outputs, in their order: see {@link eventsIn}
 * @returns the index of the output; undefined when the event has none
 */
export function outputOf(events: readonly string[], event: string): number | undefined {
	const output = [event, ALL_EVENTS].find((candidate) => events.includes(candidate));
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
 * The events for which webhooks are registered. With one webhook for everything, that is `*`; but each lead state has a
 * webhook of its own, because nothing in an activity tells that it belongs to a lead state (§6.1, D8).
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

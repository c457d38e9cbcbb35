import { z } from 'zod';

import { EVENTS } from '../../domain/eventTypes';
import { eventsIn } from '../../parameters/selection';

/**
 * The parameters as they are written: the canvas knows no values of expressions. `outputs` needs none, because events
 * that come from an expression are refused with it (D75).
 */
const writtenSchema = z.object({
	events: z.union([z.string(), z.array(z.string())]).optional(),
	options: z
		.object({
			customEventTypes: z.string().optional().catch(undefined),
			outputs: z.string().optional().catch(undefined),
		})
		.optional(),
});
type Written = z.infer<typeof writtenSchema>;
type Texts = Readonly<Record<string, string | undefined>>;

// The sources of these functions and of `eventsIn` are parts of expressions, so they refer to nothing but their
// parameters. Two closing braces in a row would end the expression.

/* istanbul ignore next: the counters of the coverage would be references */
function subtitleOf(parameters: Written, names: Texts, listed: typeof eventsIn): string {
	const [first, ...others] = listed(parameters);
	if (first === undefined) return 'No Event Selected';
	if ([first, ...others].some((type) => type.startsWith('='))) return 'Events From an Expression';
	const name = names[first] ?? first;
	if (others.length === 0) return name;
	if (parameters.options?.outputs === 'perEvent') return 'An Output for Each Event';
	return name + ' + ' + String(others.length);
}

/* istanbul ignore next: as above */
function outputsOf(parameters: Written, labels: Texts, listed: typeof eventsIn) {
	const events = parameters.options?.outputs === 'perEvent' ? listed(parameters) : [];
	if (events.length === 0) return ['main'];
	const isRest = (type: string) => type === '*' && events.length > 1;
	return events.map((type) => ({
		type: 'main',
		displayName: isRest(type) ? 'Other events' : (labels[type] ?? type),
	}));
}

/** An expression that calls a function with the parameters, and with a text for each event. */
const expression = (
	run: typeof subtitleOf | typeof outputsOf,
	text: 'name' | 'label',
): `={{${string}}}` => {
	const texts = Object.fromEntries([...EVENTS].map(([type, event]) => [type, event[text]]));
	return `={{ (${run.toString()})($parameter, ${JSON.stringify(texts)}, ${eventsIn.toString()}) }}`;
};

/** The text under the node on the canvas: the name of its first event, and how many others there are. */
export const triggerSubtitle = expression(subtitleOf, 'name');

/** One output, or one with a label for each event. The editor evaluates it, and an execution does not. */
export const triggerOutputs = expression(outputsOf, 'label');

/**
 * The events of a node with an output for each, in the order of the outputs; undefined for a node with one output.
 * @param parameters as n8n stores them
 */
export function eventsOfOutputs(parameters: unknown): string[] | undefined {
	const written = writtenSchema.safeParse(parameters).data;
	return written?.options?.outputs === 'perEvent' ? eventsIn(written) : undefined;
}

/** What the canvas shows of a trigger: the text under the node, and the labels of its outputs. */
import { EVENTS } from '../../domain/eventTypes';
import { eventsIn, type StoredEvents } from '../../parameters/chosenEvents';

type Texts = Readonly<Record<string, string | undefined>>;

// The sources of these functions and of `eventsIn` are parts of expressions, so they refer to nothing but their
// parameters. Two closing braces in a row would end the expression.

/* istanbul ignore next: the counters of the coverage would be references */
function subtitleOf(parameters: StoredEvents, names: Texts, listed: typeof eventsIn): string {
	const [first, ...others] = listed(parameters);
	if (first === undefined) return 'No Event Selected';
	if ([first, ...others].some((type) => type.startsWith('='))) return 'Events From an Expression';
	const name = names[first] ?? first;
	if (others.length === 0) return name;
	if (parameters.options?.outputs === 'perEvent') return 'An Output for Each Event';
	return name + ' + ' + String(others.length);
}

/* istanbul ignore next: as above */
function outputsOf(parameters: StoredEvents, labels: Texts, listed: typeof eventsIn) {
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

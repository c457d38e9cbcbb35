import { ALL_EVENTS, EVENTS } from '../../model/eventTypes';

const NAMES = Object.fromEntries([...EVENTS].map(([type, { name }]) => [type, name]));

/** The text under the node on the canvas: the name of its first event, and how many others there are. */
export const triggerSubtitle = [
	// The editor gives an expression as it is written.
	'={{ ((names, events) => events.some(type => type.startsWith("=")) ? "Events From an Expression" :',
	`events.includes("${ALL_EVENTS}") ? names["${ALL_EVENTS}"]`,
	': (names[events[0]] || events[0] || "No Event Selected")',
	'+ (events.length > 1 ? " + " + (events.length - 1) : "")',
	`)(${JSON.stringify(NAMES)},`,
	'[...[$parameter["events"] || []].flat(), ...($parameter["options"]?.customEventTypes || "").split(",").map(type => type.trim()).filter(type => type)]',
	') }}',
].join(' ');

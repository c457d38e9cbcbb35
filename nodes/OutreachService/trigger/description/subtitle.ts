import { EVENT_OPTIONS_WITH_ALL } from '../../model/eventOptions';
import { ALL_EVENTS } from '../../model/eventTypes';

const NAMES = Object.fromEntries<string>(
	EVENT_OPTIONS_WITH_ALL.map(({ name, value }) => [String(value), name]),
);

/** The text under the node on the canvas: the name of its event, or the number of events. */
export const triggerSubtitle = [
	'={{ ((names, events) =>',
	`events.includes("${ALL_EVENTS}") ? names["${ALL_EVENTS}"]`,
	': events.length > 1 ? events.length + " Events"',
	': names[events[0]] || events[0] || "No Event Selected"',
	`)(${JSON.stringify(NAMES)},`,
	'[...($parameter["events"] || []), ...($parameter["options"]?.customEventTypes || "").split(",").map(type => type.trim()).filter(type => type)]',
	') }}',
].join(' ');

import { EVENT_TYPES, REMOVED_EVENT_TYPES, STATE_GROUPS } from './eventTypes';

const known: ReadonlySet<string> = new Set(EVENT_TYPES);
const groups = new Map<string, ReadonlySet<string>>(
	Object.entries(STATE_GROUPS).map(([group, members]) => [group, new Set(members)]),
);

/** Whether §6.1 lists this type. */
export const isEventType = (type: string): boolean => known.has(type);

/** Whether §6.2 lists this type. */
export const isRemovedEventType = (type: string): boolean =>
	Object.hasOwn(REMOVED_EVENT_TYPES, type);

/** Whether an activity of this type moves a lead into the state `group` (§6.1). False if `group` isn't a state group. */
export const groupCovers = (group: string, activityType: string): boolean =>
	groups.get(group)?.has(activityType) ?? false;

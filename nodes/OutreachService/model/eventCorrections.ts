import { misspelled } from '../utils/nearest';
import { ALL_EVENTS, EVENT_TYPES } from './eventTypes';

/**
 * The type that somebody meant who misspelled it (D49). A type that is merely unknown may be one that the service added
 * later, and is nobody's mistake.
 */
export const meantBy = (type: string): string | undefined =>
	type === ALL_EVENTS || replacementOf(type) !== undefined
		? undefined
		: misspelled(type, EVENT_TYPES);

const REMOVED: Readonly<Record<string, string>> = {
	skipped: 'It has no replacement: remove it from the selection.',
	emailsSendFailed: "Use 'emailsFailed' ('Email: Failed') instead.",
	opportunitiesDone: "Use 'annotated' ('Task: Annotated') or the event of the task instead.",
};

/**
 * What to use in place of an event type that the service no longer has (§6.2).
 * @returns a sentence for the user, or undefined when the type was not removed.
 */
export function replacementOf(type: string): string | undefined {
	return Object.hasOwn(REMOVED, type) ? REMOVED[type] : undefined;
}

const names = new Map();

/** Sets the names of the event types, as in `GET /about`. */
export function setEventNames(groups) {
	for (const { events } of groups) for (const { type, name } of events) names.set(type, name);
}

/** The name of an event with its type: 'Email: Reply Received (emailsReplied)'. A type without a name stands alone. */
export const eventLabel = (type) => (names.has(type) ? `${names.get(type)} (${type})` : type);

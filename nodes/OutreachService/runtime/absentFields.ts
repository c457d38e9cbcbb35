/** Fields that a condition of *Only When* names, and that the first events of a node lack (D88). */

/** How many events of a node must lack a field before the log names it. */
export const ABSENT_EVENTS = 10;

/** Finds the fields that the first events of each node all lack. */
export class AbsentFields {
	/** How many events a node has had, at most {@link ABSENT_EVENTS}, and the fields that all of them lacked. */
	private readonly nodes = new Map<string, { events: number; fields: readonly string[] }>();

	/** The number of nodes that had an event. */
	get size(): number {
		return this.nodes.size;
	}

	/**
	 * Counts an event.
	 * @param key the node and its conditions: with other conditions, its events are counted anew
	 * @param fields those that the event lacks
	 * @returns the fields that the log must name now, because none of the first {@link ABSENT_EVENTS} events had them
	 */
	add(key: string, fields: readonly string[]): readonly string[] {
		const before = this.nodes.get(key) ?? { events: 0, fields };
		if (before.events === ABSENT_EVENTS) return [];
		const events = before.events + 1;
		const absent = before.fields.filter((field) => fields.includes(field));
		this.nodes.set(key, { events, fields: absent });
		return events === ABSENT_EVENTS ? absent : [];
	}
}

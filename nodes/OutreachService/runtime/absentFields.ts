/** How many events lacked a field that a condition of *Only When* names. */

/** How many events of a node must lack a field before the log names it. */
export const ABSENT_EVENTS = 10;

/** The maximum number of fields that are counted; beyond that, the oldest is forgotten. */
const MAX_FIELDS = 1_000;

/** Counts how many of the first events of each node lack a field that a condition names (D88). */
export class AbsentFields {
	/** The number of events that lacked a field, by node and field; `decided` once an event had it or the log named it. */
	private readonly counts = new Map<string, number | 'decided'>();

	get size(): number {
		return this.counts.size;
	}

	/**
	 * Counts an event.
	 * @param nodeKey see `nodeKey`
	 * @param isAbsent whether the event lacks the field
	 * @returns whether the log must name the field now, because the first {@link ABSENT_EVENTS} events all lacked it
	 */
	add(nodeKey: string, field: string, isAbsent: boolean): boolean {
		const key = `${nodeKey}\n${field}`;
		const count = this.counts.get(key) ?? 0;
		if (count === 'decided') return false;
		const [oldest] = this.counts.keys();
		const isFull = !this.counts.has(key) && this.counts.size >= MAX_FIELDS;
		if (isFull && oldest !== undefined) this.counts.delete(oldest);
		const isNamed = isAbsent && count + 1 >= ABSENT_EVENTS;
		this.counts.set(key, isAbsent && !isNamed ? count + 1 : 'decided');
		return isNamed;
	}
}

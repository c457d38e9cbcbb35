/** A list that keeps only the newest `capacity` entries, so that a long run doesn't fill the memory. */
export class Ring<T> {
	private entries: T[] = [];

	constructor(private readonly capacity: number) {}

	push(entry: T): void {
		this.entries.push(entry);
		// Trimmed in batches: removing one entry at a time would move the whole list on every push.
		if (this.entries.length >= 2 * this.capacity) this.entries = this.newest(this.capacity);
	}

	/** At most `count` entries, oldest first; without `count`, all. */
	newest(count = this.capacity): T[] {
		return this.entries.slice(-Math.min(count, this.capacity));
	}

	clear(): void {
		this.entries = [];
	}
}

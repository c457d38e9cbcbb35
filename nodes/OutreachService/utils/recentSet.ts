/** A set that forgets old values: it keeps the latest ones, at least as many as it is told, and at most twice as many. */
export class RecentSet {
	private latest = new Set<string>();

	private earlier = new Set<string>();

	/** @param atLeast the minimum number of values that are kept */
	constructor(private readonly atLeast: number) {}

	get size(): number {
		return this.latest.size + this.earlier.size;
	}

	has(value: string): boolean {
		return this.latest.has(value) || this.earlier.has(value);
	}

	/** Adds a value. @returns whether it is new */
	add(value: string): boolean {
		if (this.has(value)) return false;
		// Half of the values are forgotten at once: one at a time would cost more, the more have been forgotten.
		if (this.latest.size >= this.atLeast) [this.latest, this.earlier] = [new Set(), this.latest];
		this.latest.add(value);
		return true;
	}
}

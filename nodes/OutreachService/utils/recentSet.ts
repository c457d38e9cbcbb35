/** A set that forgets old values: it has at least the latest so many, and at most twice as many. */
export class RecentSet {
	private latest = new Set<string>();

	private earlier = new Set<string>();

	constructor(private readonly atLeast: number) {}

	get size(): number {
		return this.latest.size + this.earlier.size;
	}

	has(value: string): boolean {
		return this.latest.has(value) || this.earlier.has(value);
	}

	/** @returns whether it is new */
	add(value: string): boolean {
		if (this.has(value)) return false;
		// Forgetting one value at a time would cost more the more have been forgotten.
		if (this.latest.size >= this.atLeast) [this.latest, this.earlier] = [new Set(), this.latest];
		this.latest.add(value);
		return true;
	}
}

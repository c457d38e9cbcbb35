/** A set that forgets its oldest value when there are too many. */
export class RecentSet {
	private readonly values = new Set<string>();

	constructor(private readonly max: number) {}

	get size(): number {
		return this.values.size;
	}

	has(value: string): boolean {
		return this.values.has(value);
	}

	/** @returns whether it is new */
	add(value: string): boolean {
		const isNew = !this.values.has(value);
		this.values.add(value);
		const [oldest] = this.values;
		if (this.values.size > this.max && oldest !== undefined) this.values.delete(oldest);
		return isNew;
	}
}

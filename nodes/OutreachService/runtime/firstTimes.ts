/** The maximum number of keys; beyond that, all are forgotten. */
const MAX_KEYS = 500;

/** Tells whether something happens for the first time in this process. */
export class FirstTimes {
	private readonly keys = new Set<string>();

	get size(): number {
		return this.keys.size;
	}

	isFirst(key: string): boolean {
		if (this.keys.has(key)) return false;
		if (this.keys.size >= MAX_KEYS) this.keys.clear();
		this.keys.add(key);
		return true;
	}
}

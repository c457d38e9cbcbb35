import { createHash, randomUUID } from 'node:crypto';

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Creates an identifier (§2): a prefix such as `hoo_`, then 17 letters and digits, the same for the same text. */
export const makeId = (prefix: string, of: string = randomUUID()): string =>
	prefix + digestOf(of).toString('base64').replace(/\W/g, '').slice(0, 17);

/** A whole number from 0 to `below` - 1, the same for the same text. */
export const numberFrom = (text: string, below: number): number =>
	digestOf(text).readUInt32BE() % below;

/**
 * Returns true for a share (0 to 1) of the calls, spread evenly: with 0.25, for every fourth one. Random selection would
 * make tests that rely on the share flaky.
 */
export function evenShare(): (share: number) => boolean {
	let calls = 0;
	return (share) => {
		const before = Math.floor(calls * share + 1e-9);
		calls += 1;
		return Math.floor(calls * share + 1e-9) > before;
	};
}

/** A list that keeps only the newest `capacity` entries, so that a long run doesn't fill the memory. */
export class Ring<T> {
	private entries: T[] = [];

	constructor(private readonly capacity: number) {}

	push(entry: T): void {
		this.entries.push(entry);
		// Trimmed in batches: removing one entry at a time would move the whole list on every push.
		if (this.entries.length >= 2 * this.capacity) this.entries = this.newest();
	}

	/** Oldest first. */
	newest(): T[] {
		return this.entries.slice(-this.capacity);
	}

	clear(): void {
		this.entries = [];
	}
}

import { randomInt } from 'node:crypto';

/** `pick(n)` returns a whole number from 0 to n - 1. */
export type Pick = (below: number) => number;

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Creates an identifier (§2): a prefix such as `hoo_`, then 17 letters and digits. */
export function makeId(prefix: string, pick: Pick = randomInt): string {
	let id = prefix;
	for (let length = 0; length < 17; length++) id += ALPHABET.charAt(pick(ALPHABET.length));
	return id;
}

/** Hashes any text to a seed (FNV-1a). */
export function seedFromText(text: string): number {
	let hash = 0x811c9dc5;
	for (const character of text) {
		hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
	}
	return hash >>> 0;
}

/** A generator that depends on its seed alone (mulberry32). Good enough for sample data, not for secrets. */
export function seededPick(seed: number): Pick {
	let state = seed >>> 0;
	return (below) => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
	};
}

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

	/** At most `count` entries, oldest first. */
	newest(count = this.capacity): T[] {
		return this.entries.slice(-Math.min(count, this.capacity));
	}

	clear(): void {
		this.entries = [];
	}
}

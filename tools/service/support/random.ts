/** `pick(n)` returns a whole number from 0 to n - 1. */
export type Pick = (below: number) => number;

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

/** A source of numbers that depends on its seed alone: `pick(n)` gives a whole number from 0 to n - 1. */
export type Pick = (below: number) => number;

/** FNV-1a over a text: turns any text into a seed. */
export function seedFromText(text: string): number {
	let hash = 0x811c9dc5;
	for (const character of text) {
		hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
	}
	return hash >>> 0;
}

/** The mulberry32 generator: small, quick, and even enough for sample data. Not for secrets. */
export function seededPick(seed: number): Pick {
	let state = seed >>> 0;
	return (below) => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
	};
}

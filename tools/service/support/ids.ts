import { randomInt } from 'node:crypto';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Creates an identifier (§2): a prefix such as `hoo_`, then 17 letters and digits. `pick(n)` returns 0 to n - 1. */
export function makeId(prefix: string, pick: (below: number) => number = randomInt): string {
	let id = prefix;
	for (let length = 0; length < 17; length++) id += ALPHABET.charAt(pick(ALPHABET.length));
	return id;
}

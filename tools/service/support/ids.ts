import { randomInt } from 'node:crypto';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** An identifier as §2 has them: a prefix such as `hoo_`, then 17 letters and digits taken with `pick(62)`. */
export function makeId(prefix: string, pick: (below: number) => number = randomInt): string {
	let id = prefix;
	for (let length = 0; length < 17; length++) id += ALPHABET.charAt(pick(ALPHABET.length));
	return id;
}

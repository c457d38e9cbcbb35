import { createHash, randomUUID } from 'node:crypto';

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Creates an identifier (§2): a prefix such as `hoo_`, then 17 letters and digits, the same for the same text. */
export const makeId = (prefix: string, of: string = randomUUID()): string =>
	prefix + digestOf(of).toString('base64').replace(/\W/g, '').slice(0, 17);

/** A whole number from 0 to `below` - 1, the same for the same text. */
export const numberFrom = (text: string, below: number): number =>
	digestOf(text).readUInt32BE() % below;

/** Adds to a list that keeps only its newest entries, so that a long run doesn't fill the memory. */
export function addTo<T>(list: T[], entry: T, capacity: number): void {
	list.push(entry);
	if (list.length > capacity) list.shift();
}

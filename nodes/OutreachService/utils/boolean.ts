/** True or false, as people and services write it. */
const WRITTEN: ReadonlyMap<string, boolean> = new Map([
	...['true', 'yes', 'y', 'on', '1'].map((text) => [text, true] as const),
	...['false', 'no', 'n', 'off', '0'].map((text) => [text, false] as const),
]);

/** The boolean that a value means, whatever its case; undefined for any other value, such as `maybe`, an empty text or null. */
export const booleanOf = (value: unknown): boolean | undefined =>
	['string', 'number', 'boolean'].includes(typeof value)
		? WRITTEN.get(String(value).trim().toLowerCase())
		: undefined;

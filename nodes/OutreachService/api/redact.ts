const HIDDEN = '(hidden)';

/** A value as a text may hold it: as it is, in JSON or in a URL. */
const waysToWrite = (value: string): Set<string> =>
	new Set([
		value,
		JSON.stringify(value).slice(1, -1),
		// Half a character cannot be encoded.
		encodeURIComponent(value.replace(/\p{Surrogate}/gu, '\uFFFD')),
	]);

/** A text without the values that must not be shown, however often it repeats them. */
export const redact = (text: string, confidential: readonly string[]): string =>
	confidential
		.filter((value) => value !== '')
		.flatMap((value) => [...waysToWrite(value)])
		.reduce((rest, value) => rest.replaceAll(value, HIDDEN), text);

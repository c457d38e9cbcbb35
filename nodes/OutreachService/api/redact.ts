const HIDDEN = '(hidden)';

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');

/** A pattern for a character as a text may hold it: as it is, escaped in JSON, or encoded in a URL or a form. */
function written(character: string): string {
	const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
	// Half a character cannot be encoded.
	const encoded = encodeURIComponent(character.replace(/\p{Surrogate}/gu, '\uFFFD'));
	return [
		escaped(character),
		escaped(JSON.stringify(character).slice(1, -1)),
		units.map((unit) => `\\\\u${hex(unit, 4)}`).join(''),
		encoded.startsWith('%') ? encoded : `%${hex(units[0] ?? 0, 2)}`,
		...(character === '/' ? ['\\\\\\/'] : []),
		...(character === ' ' ? ['\\+'] : []),
	].join('|');
}

const patternOf = (value: string): RegExp =>
	new RegExp(
		[...value.matchAll(/./gsu)].map(([character]) => `(?:${written(character)})`).join(''),
		'gi',
	);

/** A text without the values that must not be shown, however often and in whatever encoding it repeats them. */
export const redact = (text: string, confidential: readonly string[]): string =>
	confidential
		.filter((value) => value !== '')
		// One value may be part of another.
		.toSorted((one, other) => other.length - one.length)
		.reduce((rest, value) => rest.replace(patternOf(value), HIDDEN), text);

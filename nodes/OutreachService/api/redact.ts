const HIDDEN = '(hidden)';

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');

/** How a text may write a character: as it is, escaped in JSON, or encoded in a URL or a form. */
function waysToWrite(character: string): string[] {
	const units = Array.from({ length: character.length }, (_, index) =>
		hex(character.charCodeAt(index), 4),
	);
	// Half a character cannot be encoded.
	const encoded = encodeURIComponent(character.replace(/\p{Surrogate}/gu, '\uFFFD'));
	const percent = encoded.startsWith('%') ? encoded : `%${hex(character.charCodeAt(0), 2)}`;
	return [
		...new Set([
			character,
			JSON.stringify(character).slice(1, -1),
			units.map((unit) => `\\u${unit}`).join(''),
			units.map((unit) => `\\u${unit.toUpperCase()}`).join(''),
			percent.toLowerCase(),
			percent.toUpperCase(),
			...(character === '/' ? ['\\/'] : []),
			...(character === ' ' ? ['+'] : []),
		]),
	];
}

/** Where a value may end that begins at `start`; undefined when it does not begin there. */
function endOf(text: string, start: number, characters: readonly string[][]): number | undefined {
	let ends = new Set([start]);
	for (const ways of characters) {
		const next = new Set<number>();
		for (const end of ends) {
			for (const way of ways) if (text.startsWith(way, end)) next.add(end + way.length);
		}
		if (next.size === 0) return undefined;
		ends = next;
	}
	return Math.max(...ends);
}

/** Not with a regular expression: of a value that looks like an encoding, it may try every combination. */
function without(text: string, value: string): string {
	const characters = [...value.matchAll(/./gsu)].map(([character]) => waysToWrite(character));
	let rest = '';
	let index = 0;
	while (index < text.length) {
		const end = endOf(text, index, characters);
		rest += end === undefined ? text.charAt(index) : HIDDEN;
		index = end ?? index + 1;
	}
	return rest;
}

/** A text without the values that must not be shown, however often and in whatever encoding it repeats them. */
export const redact = (text: string, confidential: readonly string[]): string =>
	confidential
		.filter((value) => value !== '')
		// One value may be part of another.
		.toSorted((one, other) => other.length - one.length)
		.reduce(without, text);

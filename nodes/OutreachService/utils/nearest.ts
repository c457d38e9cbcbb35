/** What somebody meant who misspelled a word. */

/** A text without case, separators and plurals: `emails_replied`, `EmailReplied` and `emailsReplied` are the same. */
const plain = (text: string): string =>
	text
		.replace(/s(?=[^a-z]|$)/g, '')
		.replace(/[^a-z\d]/gi, '')
		.toLowerCase();

/** Whether two texts differ in one letter that is missing, added, replaced, or swapped with its neighbour. */
function isOneOff(first: string, second: string): boolean {
	const [short, long] = first.length <= second.length ? [first, second] : [second, first];
	let at = 0;
	while (at < short.length && short[at] === long[at]) at += 1;
	if (long.length - short.length === 1) return short.slice(at) === long.slice(at + 1);
	if (long.length !== short.length) return false;
	const isSwapped = short[at] === long[at + 1] && short[at + 1] === long[at];
	return (
		short.slice(at + 1) === long.slice(at + 1) ||
		(isSwapped && short.slice(at + 2) === long.slice(at + 2))
	);
}

/** The minimum number of letters of a misspelled word. Shorter ones are too near to each other for a guess. */
const SHORTEST = 5;

/** The text that somebody meant who typed another one; undefined when it is one of the texts, or none is near it. */
export function misspelled(typed: string, texts: Iterable<string>): string | undefined {
	const candidates = [...texts];
	if (candidates.includes(typed)) return undefined;
	const plainTyped = plain(typed);
	const exact = candidates.find((text) => plain(text) === plainTyped);
	if (exact !== undefined || plainTyped.length < SHORTEST) return exact;
	return candidates.find((text) => isOneOff(plain(text), plainTyped));
}

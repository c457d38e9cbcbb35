/** Without case, separators and plurals: `emails_replied`, `EmailReplied` and `emailsReplied` are the same. */
const plain = (text: string): string =>
	text
		.replace(/s(?=[^a-z]|$)/g, '')
		.replace(/[^a-z\d]/gi, '')
		.toLowerCase();

/** Whether one letter too many, too few, swapped with its neighbour or replaced is all that tells two texts apart. */
function isOneOff(one: string, other: string): boolean {
	const [short, long] = one.length <= other.length ? [one, other] : [other, one];
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

/** The text that somebody meant who typed another; undefined when none is so near that it could be nothing else. */
export function misspelled(given: string, texts: Iterable<string>): string | undefined {
	const typed = plain(given);
	const all = [...texts];
	return all.includes(given)
		? undefined
		: (all.find((text) => plain(text) === typed) ??
				all.find((text) => isOneOff(plain(text), typed)));
}

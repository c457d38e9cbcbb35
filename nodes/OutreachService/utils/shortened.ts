/** Texts that must not get too long. */

/**
 * A text of at most so many characters, with an ellipsis if its end is left out. No character is cut in half, and the text may
 * be megabytes long.
 */
export function shortened(text: string, longest: number): string {
	// A character has two units at the most.
	const characters = Array.from(text.slice(0, 2 * (longest + 1)));
	if (characters.length <= longest) return text;
	const kept = characters.slice(0, longest - 1).join('');
	return `${kept.replace(/[\s\u200c\u200d]+$/, '')}…`;
}

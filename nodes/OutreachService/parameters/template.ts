/** Finds an expression that returns nothing among the texts around it (D66): `=/leads/{{ $json.id }}/pause`. */
import { ExpressionParser } from 'n8n-workflow';

/** The texts around the expressions of a template, which may be empty: one more than it has expressions. */
function textsAround(template: `=${string}`): string[] {
	const chunks = ExpressionParser.splitExpression(template.slice(1));
	const texts = chunks.filter(({ type }) => type === 'text').map(({ text }) => text);
	return chunks.at(-1)?.type === 'code' ? [...texts, ''] : texts;
}

/**
 * Whether a result can be these texts with something between them.
 * @param shortest the minimum number of characters between two of them
 */
function fits(result: string, [first = '', ...others]: string[], shortest: number): boolean {
	if (!result.startsWith(first)) return false;
	const last = others.pop();
	if (last === undefined) return result === first;
	let end = first.length;
	for (const text of others) {
		// The first place of each text leaves the most for those after it.
		const start = result.indexOf(text, end + shortest);
		if (start === -1) return false;
		end = start + text.length;
	}
	return result.endsWith(last) && result.length - last.length >= end + shortest;
}

const withoutSpaces = (text: string): string => text.replace(/\s+/g, '');

/**
 * Whether one of the expressions in a template has certainly returned nothing, or nothing but spaces: n8n writes nothing in
 * its place.
 */
export function hasGap(template: `=${string}`, result: string): boolean {
	const texts = textsAround(template).map(withoutSpaces);
	const shown = withoutSpaces(result);
	return fits(shown, texts, 0) && !fits(shown, texts, 1);
}

/** What to say of a template that {@link hasGap}. */
export const GAP = 'One of its expressions returns nothing. Check the result of each';

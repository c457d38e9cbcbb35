/** Finds what an expression that returns nothing leaves (D66): nothing, a gap, `undefined`, or an empty part. */
import { ExpressionParser } from 'n8n-workflow';

import { decoded } from '../domain/targetUrl';

/** Whether the result of an expression selects nothing: it is absent, blank, or a list of such values, also as text. */
export const isNothing = (value: unknown): boolean =>
	value === undefined ||
	value === null ||
	(typeof value === 'string' && /^[\s,]*$/.test(value)) ||
	(Array.isArray(value) && value.every(isNothing));

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
function hasGap(template: `=${string}`, result: string): boolean {
	const texts = textsAround(template).map(withoutSpaces);
	const shown = withoutSpaces(result);
	return fits(shown, texts, 0) && !fits(shown, texts, 1);
}

/**
 * What JavaScript writes in place of a missing value: `'/leads/' + $json.id` becomes `/leads/undefined`. It counts between
 * any characters but letters, digits and spaces: `cam_undefined` and `https://null.example.com`, but not `nullable`.
 */
const LEFT_PART = /(?:^|[^\p{L}\d\s])(?:undefined|null|NaN|\[object \w+\])(?:$|[^\p{L}\d\s])/u;

/** Whether a result is or lists a text with such a part, also percent-encoded. */
const hasLeftPart = (result: unknown): boolean =>
	[result].flat().some((text) => typeof text === 'string' && LEFT_PART.test(decoded(text.trim())));

/**
 * Why a result cannot be used, although it is something: a part of it shows that an expression has returned nothing.
 * @param template the expression, perhaps with text around it or with other expressions
 * @returns undefined for a result without such a part
 */
export function problemWithResult(template: `=${string}`, result: unknown): string | undefined {
	if (typeof result === 'string' && hasGap(template, result)) {
		return 'One of its expressions returns nothing. Check the result of each';
	}
	if (hasLeftPart(result)) {
		return 'A part of it is undefined, null or NaN, which an expression leaves when it returns nothing. Check the result of each expression in it';
	}
	return undefined;
}

/** Whether a part is blank: encoded, a blank ID is `%20`, and a list of nothing is `%2C`. */
const isBlank = (part: string): boolean => /^[\s,]*$/.test(decoded(part));

/** Whether a segment of a path is blank: `/leads//pause`. A slash may be at its end. */
export const hasBlankSegment = (path: string): boolean =>
	path.replace(/\/$/, '').split('/').slice(1).some(isBlank);

/** Whether a value in a query is blank: `?token=`. A name without an equals sign has no value. */
export const hasBlankValue = (query: string): boolean =>
	query.split('&').some((part) => {
		const [, value] = part.split(/=(.*)/s, 2);
		return value !== undefined && isBlank(value);
	});

/** What to say of a text with a blank part. */
export const BLANK_PART = 'A part of it is empty. Check the result of each expression in it';

/** What a parameter can hold: the schemas that both nodes use, and expressions as a workflow stores them (D66). */
import { z } from 'zod';

import { zodMessage } from '../utils/zodMessage';

/** The maximum number of characters of an ID or an event type: more than any has. */
export const LONGEST_ID = 100;

/** Whether a stored value is an expression of n8n. */
export const isExpression = (stored: unknown): stored is `=${string}` =>
	typeof stored === 'string' && stored.startsWith('=');

/**
 * Makes a schema accept its values as text, too: expressions and AI models often return numbers and booleans as text.
 * @param read reads the value of a text; returns undefined for a text that is something else
 */
const orAsText = <T extends z.ZodTypeAny>(schema: T, read: (trimmed: string) => unknown) =>
	z.preprocess(
		(value) => (typeof value === 'string' ? (read(value.trim()) ?? value) : value),
		schema,
	);

/** True or false, also as text. */
export const booleanParameter = orAsText(
	z.boolean({ message: 'It must be true or false' }),
	(text) => (/^(true|false)$/i.test(text) ? text.toLowerCase() === 'true' : undefined),
);

/** A text with commas, or a list of texts, which an expression may return. */
export const textOrList = z.preprocess(
	(value) =>
		Array.isArray(value) && value.every((one) => typeof one === 'string')
			? value.join(', ')
			: value,
	z.string({ message: 'It must be text' }),
);

/** One of several values. */
export const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
	z.enum(values, { message: `It must be one of: ${values.join(', ')}` });

/** The number that a text is; undefined for any other text. */
const numberIn = (written: string): number | undefined =>
	/^-?\d+(\.\d+)?$/.test(written) ? Number(written) : undefined;

/** A number within limits. */
function limited(min: number, max: number) {
	const message =
		max === Number.MAX_SAFE_INTEGER
			? `It must be a number of at least ${min}`
			: `It must be a number from ${min} to ${max}`;
	return z.number({ message }).min(min, message).max(max, message);
}

/** A number within limits, also as text: n8n's variables are texts. */
export const numberBetween = (min: number, max: number) => orAsText(limited(min, max), numberIn);

/** A whole number within limits, also as text. */
export const wholeNumber = (min: number, max = Number.MAX_SAFE_INTEGER) =>
	orAsText(limited(min, max).int('It must be a whole number'), numberIn);

/** @param longest the maximum number of characters */
const textOfAtMost = (longest: number) =>
	z
		.string(zodMessage((value) => (value === undefined ? 'It is empty' : 'It must be text')))
		.max(longest, `It has more than ${longest} characters`);

/** A text that is not blank, without the spaces around it. @param longest the maximum number of characters */
export const text = (longest: number) => textOfAtMost(longest).trim().min(1, 'It is empty');

/** A secret. It is sent as it is, so spaces around it are refused: the receiver would reject a secret with them. */
export const secretParameter = textOfAtMost(500).refine(
	(secret) => secret === secret.trim(),
	'It begins or ends with a space or a line break',
);

/** What a parameter can hold: the schemas that both nodes use, and expressions as a workflow stores them (D66). */
import { z } from 'zod';

/** The maximum number of characters of an ID or an event type: more than any has. */
export const LONGEST_ID = 100;

export const isExpression = (stored: unknown): stored is string =>
	typeof stored === 'string' && stored.startsWith('=');

/** What an expression returns that selects nothing; also in a list, which commas may separate. */
export const isNothing = (value: unknown): boolean =>
	value === undefined ||
	value === null ||
	(typeof value === 'string' && /^[\s,]*$/.test(value)) ||
	(Array.isArray(value) && value.every(isNothing));

/**
 * Expressions and AI models often return numbers and booleans as text.
 * @param read returns undefined for a text that is something else
 */
const orAsText = <T extends z.ZodTypeAny>(schema: T, read: (trimmed: string) => unknown) =>
	z.preprocess(
		(given) => (typeof given === 'string' ? (read(given.trim()) ?? given) : given),
		schema,
	);

/** True or false, also as text. */
export const booleanParameter = orAsText(
	z.boolean({ message: 'It must be true or false' }),
	(text) => (/^(true|false)$/i.test(text) ? text.toLowerCase() === 'true' : undefined),
);

/** One of several values. */
export const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
	orAsText(z.enum(values, { message: `It must be one of: ${values.join(', ')}` }), (text) => text);

/** A number within limits. */
export function numberBetween(min: number, max: number) {
	const message = `It must be a number from ${min} to ${max}`;
	return z.number({ message }).min(min, message).max(max, message);
}

/** A whole number from `min`, also as text. */
export const wholeNumber = (min: number) =>
	orAsText(
		z
			.number({ message: 'It must be a number' })
			.int('It must be a whole number')
			.min(min, `It must be at least ${min}`)
			.max(Number.MAX_SAFE_INTEGER, 'It is too large'),
		(text) => (/^-?\d+$/.test(text) ? Number(text) : undefined),
	);

const textOfAtMost = (longest: number) =>
	z
		.string({ required_error: 'It is empty', invalid_type_error: 'It must be text' })
		.max(longest, `It has more than ${longest} characters`);

/** A text without the spaces around it. */
export const text = (longest: number) => textOfAtMost(longest).trim().min(1, 'It is empty');

/** A secret is sent as it is: a space copied with it would make the receiver reject it. */
export const secretParameter = textOfAtMost(500).refine(
	(secret) => secret === secret.trim(),
	'It begins or ends with a space or a line break',
);

/** Parameters as a workflow stores them, and what their expressions return (D66). */
import { z } from 'zod';

export const isExpression = (written: unknown): written is string =>
	typeof written === 'string' && written.startsWith('=');

/** What an expression returns that selects nothing; also in a list, which commas may separate. */
export const isNothing = (value: unknown): boolean =>
	value === undefined ||
	value === null ||
	(typeof value === 'string' && /^[\s,]*$/.test(value)) ||
	(Array.isArray(value) && value.every(isNothing));

/** Expressions and AI models often return numbers and booleans as text. */
export const fromText = (read: (trimmed: string) => unknown) => (given: unknown) =>
	typeof given === 'string' ? (read(given.trim()) ?? given) : given;

/** True or false, also as text. */
export const truth = z.preprocess(
	fromText((word) => (/^(true|false)$/i.test(word) ? word.toLowerCase() === 'true' : undefined)),
	z.boolean({ message: 'It must be true or false' }),
);

/** One of several values. */
export const choice = <const T extends readonly [string, ...string[]]>(values: T) =>
	z.preprocess(
		fromText((word) => word),
		z.enum(values, { message: `It must be one of: ${values.join(', ')}` }),
	);

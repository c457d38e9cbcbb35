/** Reading the parameters of an item, and the schemas that several of them are made of. */
import { NodeOperationError } from 'n8n-workflow';
import { z } from 'zod';

import type { Item } from './operation';

/**
 * The error for a parameter that cannot be used.
 * @param reason a sentence; it never quotes the value, which may be a secret
 */
export function parameterError(
	{ ctx, index, labels }: Item,
	name: string,
	reason: string,
): NodeOperationError {
	const message = `The value of '${labels.get(name) ?? name}' cannot be used`;
	const description = /[.?]$/.test(reason) ? reason : `${reason}.`;
	return new NodeOperationError(ctx.getNode(), message, { itemIndex: index, description });
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** n8n accepts it in any case. */
const IS_FROM_AI = /\$fromai\s*\(/i;

const isNothing = (value: unknown): boolean =>
	(value ?? '') === '' ||
	(typeof value === 'string' && value.trim() === '') ||
	(Array.isArray(value) && value.length === 0);

/**
 * A value, or undefined for one that an AI model leaves empty.
 * @param raw as the parameter was written
 * @throws NodeOperationError for an expression that returns nothing: the user meant something by it, and a value that is
 *   not set does more than a wrong one, such as a filter that selects everything
 */
function valueOf(item: Item, name: string, given: unknown, raw: unknown): unknown {
	const isExpression = typeof raw === 'string' && raw.startsWith('=');
	if (!isExpression || !isNothing(given)) return given ?? undefined;
	if (IS_FROM_AI.test(raw)) return undefined;
	throw parameterError(item, name, 'Its expression returned nothing');
}

/** The value of a parameter; of a collection, the values of its fields. */
function givenFor(item: Item, name: string): unknown {
	const { ctx, index } = item;
	const given: unknown = ctx.getNodeParameter(name, index, null);
	const raw: unknown = ctx.getNodeParameter(name, index, null, { rawExpressions: true });
	if (!isRecord(given) || !isRecord(raw)) return valueOf(item, name, given, raw);
	return Object.fromEntries(
		Object.entries(given).map(([key, value]) => [key, valueOf(item, key, value, raw[key])]),
	);
}

/**
 * Reads a parameter of an item. A field that is left out or left empty is not set.
 * @param given the value, where the parameter holds more than that
 * @throws NodeOperationError that names the parameter, or the field in it, and the item
 */
export function readParameter<S extends z.ZodTypeAny>(
	item: Item,
	name: string,
	schema: S,
	given: unknown = givenFor(item, name),
): z.output<S> {
	const parsed: z.SafeParseReturnType<unknown, z.output<S>> = schema.safeParse(given);
	if (parsed.success) return parsed.data;
	const [issue] = parsed.error.issues;
	const field = String(issue?.path[0] ?? name);
	const reason = issue?.message ?? 'It has the wrong type';
	throw parameterError(item, item.labels.has(field) ? field : name, reason);
}

export const LONGEST_URL = 2_000;
export const LONGEST_ID = 100;

const NO_TEXT = { required_error: 'It is empty', invalid_type_error: 'It must be text' };

const atMost = (longest: number): [longest: number, message: string] => [
	longest,
	`It has more than ${longest} characters`,
];

/** A text without the spaces around it. */
export const shortText = (longest: number) =>
	z
		.string(NO_TEXT)
		.trim()
		.max(...atMost(longest));

/** A text that must be given. */
export const requiredText = (longest: number) => shortText(longest).min(1, 'It is empty');

/** A secret is sent as it is: a space copied with it would make the receiver reject it. */
export const secretSchema = z
	.string(NO_TEXT)
	.max(...atMost(500))
	.refine((secret) => secret === secret.trim(), 'It begins or ends with a space or a line break');

/** Expressions and AI models often return numbers and booleans as text; an empty text counts as not set. */
const fromText = (read: (text: string) => unknown) => (given: unknown) =>
	typeof given === 'string' ? read(given.trim()) : (given ?? undefined);

/** A whole number from `min`, also as text. */
export const wholeNumber = (min: number) =>
	z.preprocess(
		fromText((text) => (/^-?\d+$/.test(text) ? Number(text) : text || undefined)),
		z
			.number({ message: 'It must be a number' })
			.int('It must be a whole number')
			.min(min, `It must be at least ${min}`)
			.max(Number.MAX_SAFE_INTEGER, 'It is too large')
			.optional(),
	);

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
	['true', true],
	['false', false],
]);

/** True or false, also as text. */
export const truth = z.preprocess(
	fromText((text) => BOOLEANS.get(text.toLowerCase()) ?? (text || undefined)),
	z.boolean({ message: 'It must be true or false' }).optional(),
);

/** One of several values; undefined when it is empty. */
export const choice = <const T extends readonly [string, ...string[]]>(values: T) =>
	z.preprocess(
		fromText((text) => text || undefined),
		z.enum(values, { message: `It must be one of: ${values.join(', ')}` }).optional(),
	);

/** What is left empty in the editor is not set. */
export const orUnset = <T extends z.ZodTypeAny>(schema: T) =>
	z.preprocess(
		(given) => (typeof given === 'string' && given.trim() === '' ? undefined : given),
		schema.optional(),
	);

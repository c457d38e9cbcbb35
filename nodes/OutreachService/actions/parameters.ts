import { NodeOperationError } from 'n8n-workflow';
import type { z } from 'zod';

import type { Item } from './operation';
import { webhookIdSchema } from './values';

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

const reasonOf = (issue: z.ZodIssue | undefined): string =>
	issue?.message ?? 'It has the wrong type';

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
 * @throws NodeOperationError that names the parameter, or the field in it, and the item
 */
export function readParameter<S extends z.ZodTypeAny>(
	item: Item,
	name: string,
	schema: S,
): z.output<S> {
	const parsed: z.SafeParseReturnType<unknown, z.output<S>> = schema.safeParse(
		givenFor(item, name),
	);
	if (parsed.success) return parsed.data;
	const [issue] = parsed.error.issues;
	const field = String(issue?.path[0] ?? name);
	throw parameterError(item, item.labels.has(field) ? field : name, reasonOf(issue));
}

/**
 * Reads which webhook is meant, in whatever mode the resource locator is.
 * @throws NodeOperationError that names the parameter and the item
 */
export function readWebhookId(item: Item): string {
	const given: unknown = item.ctx.getNodeParameter('webhookId', item.index, '');
	const id = typeof given === 'object' && given !== null && 'value' in given ? given.value : given;
	const parsed = webhookIdSchema.safeParse(id ?? '');
	if (parsed.success) return parsed.data;
	throw parameterError(item, 'webhookId', reasonOf(parsed.error.issues[0]));
}

import { NodeOperationError } from 'n8n-workflow';
import type { z } from 'zod';

import type { Item } from './operation';
import { collectionSchema, webhookIdSchema } from './values';

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

/** n8n accepts it in any case. */
const IS_FROM_AI = /\$fromai\s*\(/i;

const reasonOf = (issue: z.ZodIssue | undefined): string =>
	issue?.message ?? 'It has the wrong type';

/**
 * Reads a parameter of an item.
 * @throws NodeOperationError that names the parameter, or the field in it, and the item
 */
export function readParameter<S extends z.ZodTypeAny>(
	item: Item,
	name: string,
	schema: S,
): z.output<S> {
	const given: unknown = item.ctx.getNodeParameter(name, item.index, null);
	const parsed: z.SafeParseReturnType<unknown, z.output<S>> = schema.safeParse(given ?? undefined);
	if (parsed.success) return parsed.data;
	const [issue] = parsed.error.issues;
	const field = String(issue?.path[0] ?? name);
	throw parameterError(item, item.labels.has(field) ? field : name, reasonOf(issue));
}

/** Whether a parameter holds an expression that returns nothing, where a default would do something irrevocable. */
export function returnsNothing({ ctx, index }: Item, name: string): boolean {
	const raw: unknown = ctx.getNodeParameter(name, index, '', { rawExpressions: true });
	if (typeof raw !== 'string' || !raw.startsWith('=')) return false;
	return (ctx.getNodeParameter(name, index, null) ?? undefined) === undefined;
}

/**
 * The field of a collection whose expression returns an empty text, where leaving it out would do something irrevocable.
 * Not one that an AI model fills in: what it leaves empty is not set.
 */
export function blankExpressionIn({ ctx, index }: Item, name: string): string | undefined {
	const given = collectionSchema.parse(ctx.getNodeParameter(name, index, {}));
	// An expression for the whole collection never gets here: n8n takes it for an empty one.
	const raw = collectionSchema.parse(
		ctx.getNodeParameter(name, index, {}, { rawExpressions: true }),
	);
	return Object.keys(given).find((key) => {
		const [expression, value] = [raw[key], given[key]];
		const isExpression = typeof expression === 'string' && expression.startsWith('=');
		const isBlank = typeof value === 'string' && value.trim() === '';
		return isExpression && isBlank && !IS_FROM_AI.test(expression);
	});
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

import type { IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import type { z } from 'zod';

import { webhookIdSchema } from './values';

/** The display names of a parameter, and of the fields in it when it is a collection. */
export type Labels = Readonly<Record<string, string>>;

/** Reports what is wrong with a parameter, for its item. */
export function parameterError(
	ctx: IExecuteFunctions,
	itemIndex: number,
	label: string,
	reason: string,
): NodeOperationError {
	return new NodeOperationError(ctx.getNode(), `The value of '${label}' cannot be used`, {
		itemIndex,
		description: `${reason}.`.replace(/\.\.$/, '.'),
	});
}

/** Why a value is refused. It never quotes the value itself, which may be a secret. */
const reasonOf = (issue: z.ZodIssue | undefined): string =>
	issue?.message ?? 'It has the wrong type';

/**
 * Reads a parameter of an item.
 * @throws NodeOperationError that names the parameter and the item
 */
export function readParameter<S extends z.ZodTypeAny>(
	ctx: IExecuteFunctions,
	itemIndex: number,
	name: string,
	schema: S,
	labels: Labels,
): z.output<S> {
	const given: unknown = ctx.getNodeParameter(name, itemIndex, null);
	const parsed: z.SafeParseReturnType<unknown, z.output<S>> = schema.safeParse(given ?? undefined);
	if (parsed.success) return parsed.data;
	const issue = parsed.error.issues[0];
	const field = String(issue?.path[0] ?? name);
	throw parameterError(ctx, itemIndex, labels[field] ?? labels[name] ?? name, reasonOf(issue));
}

/**
 * Reads which webhook is meant, whatever mode of the resource locator is used.
 * @throws NodeOperationError that names the parameter and the item
 */
export function readWebhookId(ctx: IExecuteFunctions, itemIndex: number): string {
	const given: unknown = ctx.getNodeParameter('webhookId', itemIndex, '');
	const id = typeof given === 'object' && given !== null && 'value' in given ? given.value : given;
	const parsed = webhookIdSchema.safeParse(id ?? '');
	if (parsed.success) return parsed.data;
	throw parameterError(ctx, itemIndex, 'Webhook', reasonOf(parsed.error.issues[0]));
}

import type { IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { z } from 'zod';

import { replacementOf } from '../model/eventTypes';

const LONGEST_TEXT = 2_000;

/** An address that the service can post to (§4.2). */
export const urlSchema = z
	.string()
	.trim()
	.min(1, 'It is empty')
	.max(LONGEST_TEXT, `It has more than ${LONGEST_TEXT} characters`)
	.refine((url) => /^https?:\/\//i.test(url), 'It has to begin with http:// or https://')
	.refine((url) => URL.canParse(url) && !/\s/.test(url), 'It is not a valid address');

/** An event type or `*`; removed types are refused with their replacement (§6.2, D12). */
export const eventSchema = z
	.string()
	.trim()
	.min(1, 'It is empty')
	.max(100, 'It has more than 100 characters')
	.superRefine((type, context) => {
		const replacement = replacementOf(type);
		if (replacement === undefined) return;
		context.addIssue({
			code: 'custom',
			message: `The service no longer has '${type}'. ${replacement}`,
		});
	});

const text = (longest: number) =>
	z.string().trim().max(longest, `It has more than ${longest} characters`);

export const campaignIdSchema = text(100).refine(
	(id) => /^[\w-]*$/.test(id),
	'An ID has only letters, digits, hyphens and underscores',
);

export const secretSchema = text(500);

/** The ID of a webhook, also inside a pasted address such as `https://api.example.com/api/hooks/hoo_1` (§2.1). */
export const webhookIdSchema = z
	.string()
	.trim()
	.min(1, 'It is empty')
	.transform((given) => /^https?:\/\/[^?#]*\/hooks\/([^/?#]+)\/?$/i.exec(given)?.[1] ?? given)
	.refine(
		(id) => /^[\w-]{1,100}$/.test(id),
		'It is neither an ID nor the API address of a webhook',
	);

export const filtersSchema = z.object({
	event: text(100).optional(),
	campaignId: campaignIdSchema.optional(),
	targetUrl: text(LONGEST_TEXT).optional(),
});

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

/**
 * Reads a parameter of an item.
 * @param labels the display names of the parameter, and of the fields in it when it is a collection
 * @throws NodeOperationError that names the parameter and the item
 */
export function readParameter<S extends z.ZodTypeAny>(
	ctx: IExecuteFunctions,
	itemIndex: number,
	name: string,
	schema: S,
	labels: Readonly<Record<string, string>>,
): z.infer<S> {
	const parsed = schema.safeParse(ctx.getNodeParameter(name, itemIndex, null) ?? undefined);
	if (parsed.success) return parsed.data as z.infer<S>;
	const issue = parsed.error.issues[0];
	const field = String(issue?.path[0] ?? name);
	throw parameterError(
		ctx,
		itemIndex,
		labels[field] ?? labels[name] ?? name,
		issue?.message ?? 'It has the wrong type',
	);
}

/** Reads which webhook is meant, whatever mode of the resource locator is used. */
export function readWebhookId(ctx: IExecuteFunctions, itemIndex: number): string {
	const given: unknown = ctx.getNodeParameter('webhookId', itemIndex, '');
	const id = typeof given === 'object' && given !== null && 'value' in given ? given.value : given;
	const parsed = webhookIdSchema.safeParse(id ?? '');
	if (parsed.success) return parsed.data;
	throw parameterError(ctx, itemIndex, 'Webhook', parsed.error.issues[0]?.message ?? 'It is no ID');
}

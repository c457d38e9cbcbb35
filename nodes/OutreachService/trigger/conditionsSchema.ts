import type { FilterValue } from 'n8n-workflow';
import { z } from 'zod';

const TYPES = ['string', 'number', 'boolean', 'array', 'object', 'dateTime', 'any'] as const;

const operandSchema = z
	.union([z.string(), z.number(), z.boolean(), z.null()])
	.optional()
	.catch(undefined);

const conditionSchema = z.object({
	id: z.string().catch(''),
	leftValue: operandSchema,
	operator: z.object({
		type: z.enum(TYPES),
		operation: z.string(),
		rightType: z.enum(TYPES).optional().catch(undefined),
		singleValue: z.boolean().optional().catch(undefined),
	}),
	rightValue: z.union([operandSchema, z.array(operandSchema)]),
});

/** A condition whose field is not filled in yet. */
const isEmpty = ({ leftValue }: z.output<typeof conditionSchema>): boolean =>
	String(leftValue ?? '').trim() === '';

/**
 * The value of n8n's filter parameter. Conditions without a field are left out, as the editor adds one when the option
 * is added.
 * @returns undefined without conditions
 */
export const conditionsSchema = z
	.object({
		combinator: z.enum(['and', 'or']).catch('and'),
		conditions: z.array(conditionSchema).catch([]),
		options: z
			.object({
				caseSensitive: z.boolean().catch(false),
				version: z.union([z.literal(1), z.literal(2), z.literal(3)]).catch(2),
			})
			.catch({ caseSensitive: false, version: 2 }),
	})
	.transform(({ combinator, conditions, options }): FilterValue | undefined => {
		const filledIn = conditions.filter((condition) => !isEmpty(condition));
		if (filledIn.length === 0) return undefined;
		return {
			combinator,
			conditions: filledIn.map(({ rightValue, leftValue, operator, id }) => ({
				id,
				operator: {
					type: operator.type,
					operation: operator.operation,
					...(operator.rightType ? { rightType: operator.rightType } : {}),
					...(operator.singleValue === undefined ? {} : { singleValue: operator.singleValue }),
				},
				leftValue,
				rightValue,
			})),
			// Values are converted where possible: a list or an expression may return a number as text.
			options: { ...options, leftValue: '', typeValidation: 'loose' },
		};
	});

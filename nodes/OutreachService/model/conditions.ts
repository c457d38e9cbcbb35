import type { FilterValue } from 'n8n-workflow';
import { z } from 'zod';

import { parseJson } from '../utils/json';

const TYPES = ['string', 'number', 'boolean', 'array', 'object', 'dateTime', 'any'] as const;

const NO_VALUE = {
	message: 'The value of a condition must be a text, a number, a date, or true or false',
};
const NO_OPERATOR = {
	message: 'A condition has an operator that cannot be used here. Choose it again',
};

/** `{{ $now }}` and `{{ new Date() }}` are objects, which know how to be written as ISO 8601. */
const writtenOut = (value: unknown): unknown =>
	typeof value === 'object' && value !== null && 'toJSON' in value
		? parseJson(JSON.stringify(value))
		: value;

type Operand = string | number | boolean | null | undefined;

const isOperand = (value: unknown): value is Operand =>
	value === null || ['string', 'number', 'boolean', 'undefined'].includes(typeof value);

const operandSchema = z.preprocess(writtenOut, z.custom<Operand>(isOperand, NO_VALUE).optional());

const operandsSchema = z.preprocess(
	writtenOut,
	z
		.custom<
			Operand | Operand[]
		>((value) => (Array.isArray(value) ? value.every(isOperand) : isOperand(value)), NO_VALUE)
		.optional(),
);

/** A condition that cannot be read is rejected: left out, it would let every event through. */
const conditionSchema = z.object({
	id: z.string().catch(''),
	leftValue: operandSchema,
	operator: z.object(
		{
			type: z.enum(TYPES, NO_OPERATOR),
			operation: z.string(NO_OPERATOR),
			rightType: z.enum(TYPES).optional().catch(undefined),
			singleValue: z.boolean().optional().catch(undefined),
		},
		NO_OPERATOR,
	),
	rightValue: operandsSchema,
});

/** With or without the equals sign and the braces of an expression. */
const FIELD_EXPRESSION =
	/^=?\s*(?:\{\{\s*)?\$json((?:\.[\w$]+|\[(?:\d+|"[^"]*"|'[^']*')\])+)\s*(?:\}\})?\s*$/;

/**
 * The field on the left side of a condition: its name, or `{{ $json.name }}`, which the editor accepts with every
 * operator, whereas it takes a name for a value with those for numbers and dates. The expression is not evaluated.
 * @returns undefined for any other expression
 */
export function fieldOf(leftValue: string): string | undefined {
	const path = FIELD_EXPRESSION.exec(leftValue)?.[1];
	if (path === undefined) {
		return /\{\{|\$json/.test(leftValue) ? undefined : leftValue.replace(/^=/, '').trim();
	}
	return [...path.matchAll(/[\w$]+|"[^"]*"|'[^']*'/g)]
		.map(([part]) => part.replace(/^["']|["']$/g, ''))
		.join('.');
}

/**
 * The value of n8n's filter parameter. Conditions without a field are left out, as the editor adds one when the option
 * is added.
 * @returns undefined without conditions
 */
export const conditionsSchema = z
	.object({
		combinator: z.enum(['and', 'or']).catch('and'),
		conditions: z
			.array(conditionSchema)
			.nullish()
			.transform((conditions) => conditions ?? []),
		options: z
			.object({
				caseSensitive: z.boolean().catch(false),
				version: z.union([z.literal(1), z.literal(2), z.literal(3)]).catch(2),
			})
			.catch({ caseSensitive: false, version: 2 }),
	})
	.transform(({ combinator, conditions, options }): FilterValue | undefined => {
		const filledIn = conditions.flatMap(({ leftValue, ...condition }) => {
			const field = fieldOf(String(leftValue ?? ''));
			return field ? [{ ...condition, leftValue: field }] : [];
		});
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

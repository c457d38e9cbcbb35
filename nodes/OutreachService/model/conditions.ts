import type { FilterValue, IDataObject } from 'n8n-workflow';
import { executeFilter, tryToParseDateTime } from 'n8n-workflow';
import { z } from 'zod';

import { isRecord, parseJson } from '../utils/json';
import { misspelled } from '../utils/nearest';
import { activitySchema } from './activity';

const TYPES = ['string', 'number', 'boolean', 'array', 'object', 'dateTime', 'any'] as const;

const NO_VALUE = {
	message: 'The value of a condition must be a text, a number, a date, or true or false',
};
const NO_CONDITIONS = { message: 'It must be an object with conditions' };
const NO_FIELD = {
	message:
		'The left side of a condition must be a field, such as sequenceStep or {{ $json.sequenceStep }}, and no other expression',
};
const NO_OPERATOR = {
	message: 'A condition has an operator that cannot be used here. Choose it again',
};

/** `{{ $now }}` and `{{ new Date() }}` are objects, which know how to be written as ISO 8601. */
const writtenOut = (value: unknown): unknown =>
	typeof value === 'object' && value !== null && 'toJSON' in value
		? parseJson(JSON.stringify(value))
		: value;

const operandSchema = z.union([z.string(), z.number(), z.boolean()]).nullish();
const operandsSchema = z.preprocess(
	writtenOut,
	z.union([operandSchema, z.array(operandSchema)], { errorMap: () => NO_VALUE }),
);

/** With or without the equals sign and the braces of an expression. */
const FIELD_EXPRESSION =
	/^=?\s*(?:\{\{\s*)?\$json((?:\.[\w$]+|\[(?:\d+|"[^"]*"|'[^']*')\])+)\s*(?:\}\})?\s*$/;

/**
 * The field on the left side of a condition: its name, or `{{ $json.name }}`, which the editor accepts with every
 * operator, whereas it takes a name for a value with those for numbers and dates. The expression is not evaluated.
 * @returns undefined for any other expression
 */
function fieldOf(leftValue: string): string | undefined {
	const path = FIELD_EXPRESSION.exec(leftValue)?.[1];
	if (path === undefined) {
		return /\{\{|\$json/.test(leftValue) ? undefined : leftValue.replace(/^=/, '').trim();
	}
	return [...path.matchAll(/[\w$]+|"[^"]*"|'[^']*'/g)]
		.map(([part]) => part.replace(/^["']|["']$/g, ''))
		.join('.');
}

/** The fields that the API spec documents (§2.3). An activity may have others. */
const FIELDS = Object.keys(activitySchema.shape);

/** The field that somebody meant who misspelled one, or named it as the grouped output does; undefined for any other. */
function meantField(field: string): string | undefined {
	if (FIELDS.includes(field.split('.')[0] ?? '')) return undefined;
	const flat = field.replace(/^(activity|event|email)\./, '').replace(/^sender\./, 'sendUser.');
	if (FIELDS.includes(flat)) return flat;
	// Shorter names are too near to each other for a guess.
	return flat.length < 5 ? undefined : misspelled(flat, FIELDS);
}

/** The left side of a condition, as it is stored; it reads the activity as the service delivers it, whatever the output. */
const fieldSchema = z
	.string(NO_FIELD)
	.default('')
	.transform((leftValue, context) => {
		const field = fieldOf(leftValue);
		const meant = field === undefined ? undefined : meantField(field);
		if (field !== undefined && meant === undefined) return field;
		const message = meant
			? `No event has the field on the left side of a condition. Did you mean '${meant}'?`
			: NO_FIELD.message;
		context.addIssue({ code: 'custom', message });
		return z.NEVER;
	});

/** A condition that cannot be read is rejected: left out, it would let every event through. */
const conditionSchema = z
	.object({
		id: z.string().catch(''),
		leftValue: fieldSchema,
		operator: z.object(
			{
				type: z.enum(TYPES, NO_OPERATOR),
				operation: z.string(NO_OPERATOR),
				rightType: z.enum(TYPES, NO_OPERATOR).optional(),
				singleValue: z.boolean(NO_OPERATOR).optional(),
			},
			NO_OPERATOR,
		),
		rightValue: operandsSchema,
	})
	.transform(({ rightValue, ...condition }) => ({ ...condition, rightValue }));

/** Values are converted where possible: a list or an expression may return a number as text. */
const OPTIONS: FilterValue['options'] = {
	caseSensitive: false,
	leftValue: '',
	typeValidation: 'loose',
	version: 2,
};

/**
 * The value of n8n's filter parameter. Conditions without a field are left out, as the editor adds one when the option
 * is added.
 * @returns undefined without conditions
 */
export const conditionsSchema = z
	.object(
		{
			combinator: z.enum(['and', 'or']).catch('and'),
			conditions: z.array(conditionSchema, NO_CONDITIONS).default([]),
		},
		NO_CONDITIONS,
	)
	.transform(({ combinator, conditions }): FilterValue | undefined => {
		const filledIn = conditions.filter(({ leftValue }) => leftValue !== '');
		return filledIn.length === 0
			? undefined
			: { combinator, conditions: filledIn, options: OPTIONS };
	});

/** The result of conditions: whether they are met, or why one of them cannot be evaluated. */
export type Evaluation = { ok: true; isMet: boolean } | { ok: false; reason: string };

type Condition = FilterValue['conditions'][number];
type LeftValue = Condition['leftValue'];

/** n8n evaluates lists and objects, too, although it declares only plain values. */
const isLeftValue = (value: unknown): value is LeftValue =>
	['string', 'number', 'boolean', 'object'].includes(typeof value);

/** The value of a field: `campaignName`, or with dots for one inside another, such as `to.0.address`. */
function valueOf(activity: IDataObject, field: string): LeftValue {
	const path = Object.hasOwn(activity, field) ? [field] : field.split('.');
	const value = path.reduce<unknown>(
		(at, key) => (isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined),
		activity,
	);
	return isLeftValue(value) ? value : undefined;
}

/** A date with its zone. What is not a date stays as it is: n8n says so. */
function zoned(value: LeftValue, timeZone: string): LeftValue {
	if (typeof value !== 'string') return value;
	try {
		return tryToParseDateTime(value, timeZone).toISO() ?? value;
	} catch {
		return value;
	}
}

/**
 * Evaluates the conditions of the option *Only When* (D30). Each names a field on its left side; n8n does the rest,
 * without its expression engine. A value that cannot be converted to the type of its condition cannot be evaluated: the
 * condition counts as not met.
 * @param timeZone of the workflow, for dates without one. n8n would take that of the workflow whose expression the
 *   process has evaluated last.
 */
export function evaluateConditions(
	activity: IDataObject,
	{ conditions, combinator, options }: FilterValue,
	timeZone: string,
): Evaluation {
	let reason: string | undefined;
	const isMet = (condition: Condition): boolean => {
		const { type, operation } = condition.operator;
		const inZone = (value: LeftValue) => (type === 'dateTime' ? zoned(value, timeZone) : value);
		try {
			return executeFilter({
				combinator: 'and',
				conditions: [
					{
						...condition,
						leftValue: inZone(valueOf(activity, String(condition.leftValue))),
						rightValue: inZone(condition.rightValue),
					},
				],
				// Otherwise n8n lowercases the value, and a pattern with a capital never matches.
				options: { ...options, caseSensitive: /^(not)?regex$/i.test(operation) },
			});
		} catch (error) {
			reason ??= error instanceof Error ? error.message : String(error);
			return false;
		}
	};
	const areMet = combinator === 'and' ? conditions.every(isMet) : conditions.some(isMet);
	return areMet || reason === undefined ? { ok: true, isMet: areMet } : { ok: false, reason };
}

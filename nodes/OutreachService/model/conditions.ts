import type { FilterValue, IDataObject } from 'n8n-workflow';
import { executeFilter, tryToParseDateTime } from 'n8n-workflow';
import { z } from 'zod';

import { isRecord, parseJson } from '../utils/json';
import { misspelled } from '../utils/nearest';
import { activityFieldsSchema } from './activity';

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

const operandsSchema = z.preprocess(
	writtenOut,
	z.custom<Operand | Operand[]>((value) => [value].flat().every(isOperand), NO_VALUE).optional(),
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
const FIELDS = Object.keys(activityFieldsSchema.shape);

/** Shorter names are too near to each other for a guess. */
const SHORTEST_GUESS = 5;

/** The field that somebody meant who named one that no activity has; undefined for one that it may have. */
function meantField(field: string): string | undefined {
	if (FIELDS.includes(field.split('.')[0] ?? '')) return undefined;
	if (field.startsWith('activity.')) return field.slice('activity.'.length);
	// As the grouped output has it.
	const ungrouped = field.replace(/^(event|email)\./, '').replace(/^sender\./, 'sendUser.');
	if (ungrouped === 'id') return '_id';
	if (FIELDS.includes(ungrouped)) return ungrouped;
	return field.length >= SHORTEST_GUESS ? misspelled(ungrouped, FIELDS) : undefined;
}

/** The left side of a condition, as it is stored; it reads the activity as the service delivers it, whatever the output. */
const fieldSchema = z.custom<Operand>(isOperand, NO_VALUE).transform((leftValue, context) => {
	const field = fieldOf(String(leftValue ?? ''));
	const meant = field === undefined ? undefined : meantField(field);
	if (field !== undefined && meant === undefined) return field;
	context.addIssue({
		code: 'custom',
		message:
			meant === undefined
				? 'The left side of a condition must be a field, such as sequenceStep or {{ $json.sequenceStep }}. Other expressions cannot be evaluated before the workflow starts.'
				: `No event has the field on the left side of a condition. Did you mean '${meant}'? Conditions read the activity as the service delivers it.`,
	});
	return z.NEVER;
});

/** A condition that cannot be read is rejected: left out, it would let every event through. */
const conditionSchema = z.object({
	id: z.string().catch(''),
	leftValue: fieldSchema,
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
		const filledIn = conditions.filter(({ leftValue }) => leftValue !== '');
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

/** A date with its zone. What is no date stays as it is: n8n says so. */
function zoned<T>(value: T, timeZone: string): T | string {
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
		const { operator, rightValue } = condition;
		const isDate = operator.type === 'dateTime';
		const value = valueOf(activity, String(condition.leftValue));
		const leftValue = isDate ? zoned(value, timeZone) : value;
		try {
			return executeFilter({
				combinator: 'and',
				conditions: [
					{
						...condition,
						leftValue,
						rightValue:
							isDate && !Array.isArray(rightValue) ? zoned(rightValue, timeZone) : rightValue,
					},
				],
				// Otherwise n8n lowercases the value, and a pattern with a capital never matches.
				options: { ...options, caseSensitive: options.caseSensitive || isPattern(condition) },
			});
		} catch (error) {
			reason ??= error instanceof Error ? error.message : String(error);
			return false;
		}
	};
	const areMet = combinator === 'and' ? conditions.every(isMet) : conditions.some(isMet);
	return areMet || reason === undefined ? { ok: true, isMet: areMet } : { ok: false, reason };
}

const isPattern = ({ operator }: Condition): boolean =>
	operator.operation === 'regex' || operator.operation === 'notRegex';

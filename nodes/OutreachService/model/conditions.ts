import type { FilterValue, IDataObject } from 'n8n-workflow';
import { executeFilter, tryToParseDateTime } from 'n8n-workflow';
import { z } from 'zod';

import { isRecord, parseJson } from '../utils/json';
import { misspelled } from '../utils/nearest';
import { activityFields, ADDED_EVENT_FIELDS, GROUPS } from './activity';

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
	/^=?\s*(?:\{\{\s*)?\$json((?:\??\.[\p{L}\p{N}_$]+|(?:\?\.)?\[(?:\d+|"[^"]*"|'[^']*')\])+)\s*(?:\}\})?\s*$/u;
/** The parts of such a path: names, positions in a list, and texts in brackets. */
const PATH_PARTS = /[\p{L}\p{N}_$]+|"[^"]*"|'[^']*'/gu;

/** What the left side of a condition names. */
type Field = {
	/** With dots for one inside another, such as `to.0.address`. */
	name: string;
	/** Whether it is written as `{{ $json["name"] }}`: then it counts as meant, however unusual it is (D88). */
	isQuoted: boolean;
};

/**
 * The field on the left side of a condition: its name, or `{{ $json.name }}`, which the editor accepts with every
 * operator, whereas it takes a name for a value with those for numbers and dates. The expression is not evaluated.
 * @returns undefined for any other expression
 */
function fieldOf(leftValue: string): Field | undefined {
	const path = FIELD_EXPRESSION.exec(leftValue)?.[1];
	if (path !== undefined) {
		const parts = [...path.matchAll(PATH_PARTS)].map(([part]) => part);
		return {
			name: parts.map((part) => part.replace(/^["']|["']$/g, '')).join('.'),
			isQuoted: parts.length === 1 && /^["']/.test(parts[0] ?? ''),
		};
	}
	if (/\{\{|\$json/.test(leftValue)) return undefined;
	const name = leftValue.replace(/^=/, '').trim();
	return { name: name.replace(/\[["']?([^\]"']+)["']?\]/g, '.$1'), isQuoted: false };
}

/** The fields that the API spec documents (§2.3). An activity may have others. */
const FIELDS = Object.keys(activityFields.shape);
const LISTS = ['to', 'cc', 'bcc'];

/** The paths of *Output: Grouped*, such as `lead.email`, with the field of the activity that they show. */
const GROUPED_PATHS: ReadonlyMap<string, string> = new Map(
	Object.entries(GROUPS).flatMap(([group, fields]) =>
		Object.entries(fields).map(([name, field]): [string, string] => [`${group}.${name}`, field]),
	),
);

/** The documented field that somebody meant who misspelled it; undefined for any other. */
function misspelledField(name: string): string | undefined {
	// What is nested is not documented.
	if (FIELDS.includes(name) || name.includes('.')) return undefined;
	const inOtherCase = FIELDS.find((field) => field.toLowerCase() === name.toLowerCase());
	// Shorter names are too near to each other for a guess.
	return inOtherCase ?? (name.length < 5 ? undefined : misspelled(name, FIELDS));
}

/** The field that a path of *Output: Grouped* shows: `leadEmail` for `lead.email`, `to.0.address` for `email.to.0.address`. */
function shownField(name: string): string | undefined {
	const [group = '', field = '', ...inside] = name.split('.');
	const shown = GROUPED_PATHS.get(`${group}.${field}`);
	return shown && [shown, ...inside].join('.');
}

/** What to enter for a field that services may add. */
const wayOut = (name: string): string =>
	`If your events do have the field '${name}', enter {{ $json["${name}"] }}`;

/**
 * Why no event can have a field, and what to write instead (D88): a condition on it would drop every event.
 * @returns undefined for a field that an event may have
 */
function problemOfField({ name, isQuoted }: Field): string | undefined {
	if (isQuoted) return undefined;
	const [first = '', second = '', ...others] = name.split('.');
	const isInside = second !== '';
	// People bring the first from the Webhook node, and the second from the output 'Grouped'.
	if (isInside && ['body', 'activity'].includes(first)) {
		const rest = [second, ...others].join('.');
		const meant = shownField(rest) ?? misspelledField(rest) ?? rest;
		return `The conditions read the activity itself, so no event has the field '${name}'. Did you mean '${meant}'?`;
	}
	if (isInside && ['headers', 'query', 'params'].includes(first)) {
		return `The conditions read the activity and not the request, so no event has the field '${name}'. Enter a field of the activity, such as campaignName`;
	}
	if (first === 'event' && ADDED_EVENT_FIELDS.some((added) => added === second)) {
		return `The node adds the field '${name}' after it has checked the conditions. Enter a field of the activity, such as type, or use an If node after the trigger`;
	}
	const shown = shownField(name);
	if (shown !== undefined) {
		return `The conditions read the activity as the service delivered it, whatever the output. Did you mean '${shown}'? ${wayOut(name)}`;
	}
	const isEntry = LISTS.includes(first) && /^(\d+|length)$/.test(second);
	if (isInside && FIELDS.includes(first) && !isEntry) {
		const meant = LISTS.includes(first) ? `${first}.0.${second}` : first;
		return `No event has the field '${name}', because '${first}' has no such field. Did you mean '${meant}'?`;
	}
	const meant = misspelledField(name);
	return (
		meant && `No documented field is called '${name}'. Did you mean '${meant}'? ${wayOut(name)}`
	);
}

/** The left side of a condition, as it is stored; it reads the activity as the service delivers it, whatever the output. */
const fieldSchema = z
	.string(NO_FIELD)
	.default('')
	.transform((leftValue, context) => {
		const field = fieldOf(leftValue);
		const message = field === undefined ? NO_FIELD.message : problemOfField(field);
		if (field !== undefined && message === undefined) return field.name;
		context.addIssue({ code: 'custom', message });
		return z.NEVER;
	});

/** What is said of a value that does not meet an operation; the value of the condition follows. */
const MISSES: Readonly<Record<string, string>> = {
	equals: 'is not',
	notEquals: 'is the same as',
	contains: 'does not contain',
	notContains: 'contains',
	startsWith: 'does not start with',
	notStartsWith: 'starts with',
	endsWith: 'does not end with',
	notEndsWith: 'ends with',
	regex: 'does not match',
	notRegex: 'matches',
	gt: 'is not greater than',
	gte: 'is less than',
	lt: 'is not less than',
	lte: 'is greater than',
	after: 'is not after',
	afterOrEquals: 'is before',
	before: 'is not before',
	beforeOrEquals: 'is after',
	lengthEquals: 'does not have the length',
	lengthNotEquals: 'has the length',
	lengthGt: 'is not longer than',
	lengthGte: 'is shorter than',
	lengthLt: 'is not shorter than',
	lengthLte: 'is longer than',
};
/** The same of the operations that compare with nothing. */
const MISSES_ALONE: Readonly<Record<string, string>> = {
	true: 'is not true',
	false: 'is not false',
	exists: 'counts as absent',
	notExists: 'exists',
	empty: 'is not empty',
	notEmpty: 'is empty',
};

const PRESENCE = ['exists', 'notExists', 'empty', 'notEmpty'];
const EQUALITY = ['equals', 'notEquals'];
const LENGTHS = ['Equals', 'NotEquals', 'Gt', 'Gte', 'Lt', 'Lte'].map((one) => `length${one}`);
const TEXT_PARTS = ['contains', 'startsWith', 'endsWith', 'regex'];
const NO_TEXT_PARTS = ['notContains', 'notStartsWith', 'notEndsWith', 'notRegex'];

/** The operations of n8n's filter. n8n takes one that it does not know for a condition that is never met. */
const OPERATIONS: Readonly<Record<(typeof TYPES)[number], readonly string[]>> = {
	string: [...PRESENCE, ...EQUALITY, ...TEXT_PARTS, ...NO_TEXT_PARTS],
	number: [...PRESENCE, ...EQUALITY, 'gt', 'gte', 'lt', 'lte'],
	dateTime: [...PRESENCE, ...EQUALITY, 'after', 'afterOrEquals', 'before', 'beforeOrEquals'],
	boolean: [...PRESENCE, ...EQUALITY, 'true', 'false'],
	array: [...PRESENCE, 'contains', 'notContains', ...LENGTHS],
	object: PRESENCE,
	any: ['exists', 'notExists'],
};

/** A condition that cannot be read is rejected: left out, it would let every event through. */
const conditionSchema = z
	.object({
		id: z.string().catch(''),
		leftValue: fieldSchema,
		operator: z
			.object(
				{
					type: z.enum(TYPES, NO_OPERATOR),
					operation: z.string(NO_OPERATOR),
					rightType: z.enum(TYPES, NO_OPERATOR).optional(),
					singleValue: z.boolean(NO_OPERATOR).optional(),
				},
				NO_OPERATOR,
			)
			.refine(({ type, operation }) => OPERATIONS[type].includes(operation), NO_OPERATOR),
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

type Condition = FilterValue['conditions'][number];
type LeftValue = Condition['leftValue'];

/** A condition that an activity does not meet. */
export type Miss = {
	condition: Condition;
	/** Undefined when the activity does not have the field. */
	value: LeftValue;
	/** Why the condition cannot be evaluated; undefined when it can. */
	reason?: string | undefined;
};

/** The result of conditions, and every one that is not met; of conditions that `or` combines, some may be missed. */
export type Evaluation = { isMet: boolean; misses: readonly Miss[] };

/** n8n evaluates lists and objects, too, although it declares only plain values. */
const isLeftValue = (value: unknown): value is LeftValue =>
	['string', 'number', 'boolean', 'object'].includes(typeof value);

/** The value at a path with dots, which names may contain, too: those of a lead's own fields are up to the user. */
function valueAt(object: unknown, path: string): unknown {
	if (!isRecord(object)) return undefined;
	if (Object.hasOwn(object, path)) return object[path];
	for (let dot = path.indexOf('.'); dot !== -1; dot = path.indexOf('.', dot + 1)) {
		const name = path.slice(0, dot);
		const inner = Object.hasOwn(object, name) ? object[name] : undefined;
		const value = valueAt(inner, path.slice(dot + 1));
		if (value !== undefined) return value;
	}
	return undefined;
}

/**
 * The value of a field: `campaignName`, or with dots for one inside another, such as `to.0.address`.
 * @returns undefined when the activity does not have it; null is a value
 */
function valueOf(activity: IDataObject, field: string): LeftValue {
	const value = valueAt(activity, field);
	return isLeftValue(value) ? value : undefined;
}

/** The operations that ask for a field to be absent. */
const ASKS_FOR_ABSENCE = ['notExists', 'empty'];

/** The fields that conditions name, without those that are asked to be absent, and whether an activity has them. */
export function namedFields(
	activity: IDataObject,
	{ conditions }: FilterValue,
): Array<{ field: string; isAbsent: boolean }> {
	return conditions
		.filter(({ operator }) => !ASKS_FOR_ABSENCE.includes(operator.operation))
		.map(({ leftValue }) => String(leftValue))
		.map((field) => ({ field, isAbsent: valueOf(activity, field) === undefined }));
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

/** A blank number or date is none, as is null: n8n would take it for 0, or say that it cannot be converted. */
const BLANK_IS_NONE = ['number', 'dateTime', 'boolean'];
const isBlank = (value: LeftValue): boolean => typeof value === 'string' && value.trim() === '';

/** The maximum numbers of characters of a value and of a reason: an email may have megabytes. */
const LONGEST_VALUE = 100;
const LONGEST_REASON = 300;

const shortened = (text: string, longest: number): string =>
	text.length <= longest ? text : `${text.slice(0, longest)}…`;

/** Why an activity does not meet a condition; undefined when it does. */
function missOf(
	activity: IDataObject,
	condition: Condition,
	options: FilterValue['options'],
	timeZone: string,
): Miss | undefined {
	const { type, operation } = condition.operator;
	const inZone = (one: LeftValue) => (type === 'dateTime' ? zoned(one, timeZone) : one);
	const value = valueOf(activity, String(condition.leftValue));
	const isNone = value === null || (BLANK_IS_NONE.includes(type) && isBlank(value));
	try {
		const isMet = executeFilter({
			combinator: 'and',
			conditions: [
				{
					...condition,
					leftValue: isNone ? undefined : inZone(value),
					rightValue: inZone(condition.rightValue),
				},
			],
			// Otherwise n8n lowercases the value, and a pattern with a capital never matches.
			options: { ...options, caseSensitive: /^(not)?regex$/i.test(operation) },
		});
		return isMet ? undefined : { condition, value };
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		// It quotes the value.
		return { condition, value, reason: shortened(reason, LONGEST_REASON) };
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
	const misses = conditions
		.map((condition) => missOf(activity, condition, options, timeZone))
		.filter((miss) => miss !== undefined);
	const isMet = combinator === 'and' ? misses.length === 0 : misses.length < conditions.length;
	return { isMet, misses };
}

const quoted = (value: unknown): string =>
	shortened(
		typeof value === 'string' ? `'${value}'` : JSON.stringify(value ?? null),
		LONGEST_VALUE,
	);

/** What a miss is, for a user: *campaignName is 'Sample campaign', which does not contain 'Q3'*. */
export function missText({ condition, value, reason }: Miss): string {
	const { leftValue: field, rightValue, operator } = condition;
	if (value === undefined) return `there is no ${String(field)}`;
	const found = `${String(field)} is ${quoted(value)}`;
	if (reason !== undefined) return `${found}, which cannot be compared (${reason})`;
	const { operation } = operator;
	const miss = MISSES[operation];
	if (miss === undefined)
		return `${found}, which ${MISSES_ALONE[operation] ?? 'is not what the condition asks for'}`;
	return `${found}, which ${miss} ${quoted(rightValue)}`;
}

/** The option *Only When* as a workflow stores it: what is read of n8n's filter parameter, and what is refused (D88). */
import type { FilterValue } from 'n8n-workflow';
import { z } from 'zod';

import { activityFields, ADDED_EVENT_FIELDS, GROUPS } from '../domain/activity';
import { problemWithRightSide, type Operation } from '../domain/conditions';
import { isJsonObject, parseJson } from '../utils/json';
import { misspelled } from '../utils/nearest';
import { zodMessage } from '../utils/zodMessage';

const TYPES = ['string', 'number', 'boolean', 'array', 'object', 'dateTime', 'any'] as const;

const NO_VALUE = 'The value of a condition must be a text, a number, a date, or true or false';
const NO_CONDITIONS = { message: 'It must be an object with conditions' };
const NO_COMBINATOR = { message: 'Conditions can only be combined with AND or OR' };
const NO_FIELD =
	'The left side of a condition must be a field, such as sequenceStep or {{ $json.sequenceStep }}, and no other expression';
const NO_OPERATOR = {
	message: 'A condition has an operator that cannot be used here. Choose it again',
};

/** `{{ $now }}` and `{{ new Date() }}` are objects, which know how to be written as ISO 8601. */
const writtenOut = (value: unknown): unknown =>
	typeof value === 'object' && value !== null && 'toJSON' in value
		? parseJson(JSON.stringify(value))
		: value;

/** Whether no expression is evaluated in a field of a stored object: in some fields of a condition. */
export function isKeptInCondition(
	stored: Readonly<Record<string, unknown>>,
	field: string,
): boolean {
	if (!isJsonObject(stored.operator)) return false;
	// An operator such as 'exists' has no right side, but the editor may have kept that of an earlier operator.
	if (stored.operator.singleValue === true) return true;
	// The left side names a field of the events.
	return field === 'leftValue' && stored.leftValue !== null;
}

/** Files that people or AI models write may have capitals. */
const inLowerCase = (value: unknown): unknown =>
	typeof value === 'string' ? value.toLowerCase() : value;

/** What is on the right side of a condition: a value, or a list of values. */
const operandSchema = z.union([z.string(), z.number(), z.boolean()]).nullish();
const operandsSchema = z.preprocess(
	writtenOut,
	z.union(
		[operandSchema, z.array(operandSchema)],
		zodMessage(() => NO_VALUE),
	),
);

/** `$json` and the path of a field, with or without the equals sign and the braces of an expression. */
const FIELD_EXPRESSION =
	/^=?\s*(?:\{\{\s*)?\$json((?:\??\.[\p{L}\p{N}_$]+|(?:\?\.)?\[(?:\d+|"[^"]*"|'[^']*')\])+)\s*(?:\}\})?\s*$/u;
/** The parts of the path of a field: names, positions in a list, and texts in brackets. */
const PATH_PARTS = /[\p{L}\p{N}_$]+|"[^"]*"|'[^']*'/gu;

/** What the left side of a condition names. */
type Field = {
	/** With dots for a field inside another one, such as `to.0.address`. */
	name: string;
	/** Whether it is written as `{{ $json["name"] }}`: then it counts as meant, however unusual it is (D88). */
	isQuoted: boolean;
};

/**
 * The field on the left side of a condition, which is a name or `{{ $json.name }}`. The editor accepts the latter with every
 * operator, but takes a name for a value with the operators for numbers and dates. The expression is not evaluated.
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

/** The fields that the API documents (§2.3). An activity may have others. */
const FIELDS = Object.keys(activityFields.shape);
/** The fields that are lists. */
const LISTS = ['to', 'cc', 'bcc'];

/** The paths of *Data Format: Grouped*, such as `lead.email`, with the field of the activity that each of them shows. */
const GROUPED_PATHS: ReadonlyMap<string, string> = new Map(
	Object.entries(GROUPS).flatMap(([group, fields]) =>
		Object.entries(fields).map(([name, field]): [string, string] => [`${group}.${name}`, field]),
	),
);

/** The documented field that somebody meant who misspelled it; undefined for any other. */
function misspelledField(name: string): string | undefined {
	// The fields inside other fields are not documented.
	if (FIELDS.includes(name) || name.includes('.')) return undefined;
	const inOtherCase = FIELDS.find((field) => field.toLowerCase() === name.toLowerCase());
	// Shorter names are too near to each other for a guess.
	return inOtherCase ?? (name.length < 5 ? undefined : misspelled(name, FIELDS));
}

/**
 * The field that a path of *Data Format: Grouped* shows: `leadEmail` for `lead.email`, `to.0.address` for
 * `email.to.0.address`.
 */
function shownField(name: string): string | undefined {
	const [group = '', field = '', ...inside] = name.split('.');
	const shown = GROUPED_PATHS.get(`${group}.${field}`);
	return shown && [shown, ...inside].join('.');
}

/** What to enter for a field that services may add. */
const wayOut = (name: string): string =>
	`If your events do have the field '${name}', enter {{ $json["${name}"] }}`;

/**
 * Why no event can have a field, and what to write instead (D88): a condition on such a field would drop every event.
 * @returns undefined for a field that an event may have
 */
function problemWithField({ name, isQuoted }: Field): string | undefined {
	if (isQuoted) return undefined;
	const [first = '', second = '', ...others] = name.split('.');
	const isInside = second !== '';
	// People know 'body' from the Webhook node, and 'activity' from the data format 'Grouped'.
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
		return `The conditions read the activity as the service delivered it, whatever the 'Data Format' is. Did you mean '${shown}'? ${wayOut(name)}`;
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

/** The left side of a condition, as it is stored; it names a field of the activity as delivered, in any data format. */
const fieldSchema = z
	.string({ message: NO_FIELD })
	.default('')
	.transform((leftValue, context) => {
		const field = fieldOf(leftValue);
		const message = field === undefined ? NO_FIELD : problemWithField(field);
		if (field !== undefined && message === undefined) return field.name;
		context.addIssue({ code: 'custom', message });
		return z.NEVER;
	});

const PRESENCE: readonly Operation[] = ['exists', 'notExists', 'empty', 'notEmpty'];
/** The operations without a right side. */
const ALONE: readonly Operation[] = [...PRESENCE, 'true', 'false'];

const EQUALITY: readonly Operation[] = ['equals', 'notEquals'];
const LENGTHS: readonly Operation[] = [
	'lengthEquals',
	'lengthNotEquals',
	'lengthGt',
	'lengthGte',
	'lengthLt',
	'lengthLte',
];
const TEXT_PARTS: readonly Operation[] = ['contains', 'startsWith', 'endsWith', 'regex'];
const NO_TEXT_PARTS: readonly Operation[] = [
	'notContains',
	'notStartsWith',
	'notEndsWith',
	'notRegex',
];

/** The operations of n8n's filter. To n8n, a condition with an operation that it does not know is never met. */
const OPERATIONS: Readonly<Record<(typeof TYPES)[number], readonly Operation[]>> = {
	string: [...PRESENCE, ...EQUALITY, ...TEXT_PARTS, ...NO_TEXT_PARTS],
	number: [...PRESENCE, ...EQUALITY, 'gt', 'gte', 'lt', 'lte'],
	dateTime: [...PRESENCE, ...EQUALITY, 'after', 'afterOrEquals', 'before', 'beforeOrEquals'],
	boolean: [...PRESENCE, ...EQUALITY, 'true', 'false'],
	array: [...PRESENCE, 'contains', 'notContains', ...LENGTHS],
	object: PRESENCE,
	any: ['exists', 'notExists'],
};

/** Values are converted where possible: a list or an expression may return a number as text. */
const OPTIONS: FilterValue['options'] = {
	caseSensitive: false,
	leftValue: '',
	typeValidation: 'loose',
	version: 2,
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
			.refine(
				({ type, operation }) => OPERATIONS[type].some((one) => one === operation),
				NO_OPERATOR,
			)
			// The editor stores this. Without it, n8n would convert what is on the right side all the same.
			.transform((operator) =>
				ALONE.some((one) => one === operator.operation)
					? { ...operator, singleValue: true }
					: operator,
			),
		rightValue: operandsSchema.optional(),
	})
	// In n8n's type, each condition has a right value, even if that is undefined.
	.transform(({ rightValue, ...condition }) => ({ ...condition, rightValue }));

/**
 * The value of n8n's filter parameter. Conditions without a field are left out, because the editor adds one with the option.
 * @returns undefined without conditions
 */
export const conditionsSchema = z
	.object(
		{
			combinator: z.preprocess(inLowerCase, z.enum(['and', 'or'], NO_COMBINATOR)).default('and'),
			conditions: z.array(conditionSchema, NO_CONDITIONS).default([]),
		},
		NO_CONDITIONS,
	)
	.transform(({ combinator, conditions }, context): FilterValue | undefined => {
		const filledIn = conditions.filter(({ leftValue }) => leftValue !== '');
		if (filledIn.length === 0) return undefined;
		const problems = filledIn.flatMap((condition) => {
			const problem = problemWithRightSide(condition, OPTIONS);
			return problem === undefined ? [] : [{ field: condition.leftValue, problem }];
		});
		// With OR, another condition may still be met.
		const [first] = problems;
		if (first && (combinator === 'and' || problems.length === filledIn.length)) {
			const message = `The right side of the condition on '${first.field}' cannot be used: ${first.problem}`;
			context.addIssue({ code: 'custom', message });
			return z.NEVER;
		}
		return { combinator, conditions: filledIn, options: OPTIONS };
	});

/** The option *Only When* as a workflow stores it: what is read of n8n's filter parameter, and what is refused (D88). */
import { z } from 'zod';

import { ACTIVITY_FIELDS, ADDED_EVENT_FIELDS, GROUPS } from '../domain/activity';
import { OPERATIONS, pathOf, problemWithRightSide, type Conditions } from '../domain/conditions';
import { isJsonObject } from '../utils/json';
import { misspelled } from '../utils/nearest';
import { zodMessage } from '../utils/zodMessage';

const TYPES = ['string', 'number', 'boolean', 'array', 'object', 'dateTime', 'any'] as const;

const NO_VALUE = 'The value of a condition must be a text, a number, a date, or true or false';
const NO_CONDITIONS = { message: 'It must be an object with conditions' };
const NO_COMBINATOR = { message: 'Conditions can only be combined with AND or OR' };
const NO_FIELD =
	'The left side of a condition must be a field, such as sequenceStep or {{ $json.sequenceStep }}, and no other expression';
/** With operators for numbers and dates, n8n's editor drops a name without braces. */
const EMPTY_FIELD =
	'A condition has no field on its left side. Enter its name, such as campaignName; for numbers and dates, an expression such as {{ $json.sequenceStep }}';
const NO_OPERATOR = {
	message: 'A condition has an operator that cannot be used here. Choose it again',
};

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
const operandsSchema = z.union(
	[operandSchema, z.array(operandSchema)],
	zodMessage(() => NO_VALUE),
);

/** `$json` and the path of a field, with or without the equals sign and the braces of an expression. */
const FIELD_EXPRESSION =
	/^=?\s*(?:\{\{\s*)?\$json((?:\??\.[\p{L}\p{N}_$]+|(?:\?\.)?\[(?:\d+|"[^"]*"|'[^']*')\])+)\s*(?:\}\})?\s*$/u;
/** The parts of the path of a field: names, positions in a list, and texts in brackets. */
const PATH_PARTS = /[\p{L}\p{N}_$]+|"[^"]*"|'[^']*'/gu;

/** What the left side of a condition names. */
type Field = {
	/** As it was entered, or, for an expression, a path such as `to.0.address`. */
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
	const name = leftValue.replace(/^=/, '');
	return { name: name.trim() === '' ? '' : name, isQuoted: false };
}

/** The fields that are lists. */
const LISTS = ['to', 'cc', 'bcc'];

/** The paths of *Data Format: Grouped*, such as `lead.email`, with the field of the activity that each of them shows. */
const GROUPED_PATHS: ReadonlyMap<string, string> = new Map(
	Object.entries(GROUPS).flatMap(([group, fields]) =>
		Object.entries(fields).map(([name, field]): [string, string] => [`${group}.${name}`, field]),
	),
);

/** Names that are too short for a documented field, and what people mean by them. */
const SHORT_NAMES: ReadonlyMap<string, string> = new Map([
	['campaign', 'campaignName'],
	['email', 'leadEmail'],
	['sequence', 'sequenceStep'],
	['sender', 'sendUserEmail'],
]);

/**
 * The field that a path of *Data Format: Grouped* shows: `leadEmail` for `lead.email`, `to.0.address` for
 * `email.to.0.address`.
 */
function shownField(name: string): string | undefined {
	const [group = '', field = '', ...inside] = name.split('.');
	const shown = GROUPED_PATHS.get(`${group}.${field}`);
	return shown && [shown, ...inside].join('.');
}

/** The field of the activity that somebody meant by a path; undefined for a documented field, and for one that a service may add. */
function meantField(path: string): string | undefined {
	const [first = '', second = '', ...others] = path.split('.');
	if (second === '') {
		return SHORT_NAMES.get(path.toLowerCase()) ?? misspelled(path, ACTIVITY_FIELDS);
	}
	// People know 'body' from the Webhook node, and 'activity' from the data format 'Grouped'.
	if (['body', 'activity'].includes(first)) {
		const rest = [second, ...others].join('.');
		return meantField(rest) ?? rest;
	}
	if (!ACTIVITY_FIELDS.includes(first)) return shownField(path);
	if (!LISTS.includes(first)) return first;
	return /^(\d+|length)$/.test(second) ? undefined : `${first}.0.${second}`;
}

/**
 * Why no event can have a field, and what to write instead (D88): a condition on such a field would drop every event.
 * @returns undefined for a field that an event may have
 */
function problemWithField({ name, isQuoted }: Field): string | undefined {
	if (isQuoted) return undefined;
	const path = pathOf(name);
	const [first = '', second = ''] = path.split('.');
	const isOfRequest = second !== '' && ['headers', 'query', 'params'].includes(first);
	const isAdded = first === 'event' && ADDED_EVENT_FIELDS.some((added) => added === second);
	const meant = meantField(path);
	if (meant === undefined && !isOfRequest && !isAdded) return undefined;
	const suggestion =
		meant === undefined
			? 'Enter a field of the activity, such as campaignName, or use an If node after the trigger.'
			: `Did you mean '${meant}'?`;
	return `The conditions read the activity as the service delivered it, which has no field '${path}'. ${suggestion} If your events do have the field '${path}', enter {{ $json["${path}"] }}`;
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

/** A condition that cannot be read is rejected: left out, it would let every event through. */
const conditionSchema = z
	.object({
		leftValue: fieldSchema,
		operator: z
			.object(
				{
					type: z.enum(TYPES, NO_OPERATOR),
					operation: z.string(NO_OPERATOR),
					rightType: z.enum(TYPES, NO_OPERATOR).optional(),
				},
				NO_OPERATOR,
			)
			.refine(({ type, operation }) => Object.hasOwn(OPERATIONS[type], operation), NO_OPERATOR),
		rightValue: operandsSchema.optional(),
	})
	.transform(({ leftValue: field, ...others }) => ({ field, ...others }))
	.superRefine((condition, context) => {
		const { field, operator, rightValue = '' } = condition;
		if (field === '') {
			// The editor adds such a condition with the option.
			const isUntouched = operator.type === 'string' && rightValue === '';
			if (!isUntouched) context.addIssue({ code: 'custom', message: EMPTY_FIELD });
			return;
		}
		const problem = problemWithRightSide(condition);
		if (problem === undefined) return;
		const message = `The right side of the condition on '${field}' cannot be used: ${problem}`;
		context.addIssue({ code: 'custom', message });
	});

/**
 * The value of n8n's filter parameter. Conditions that nobody has filled in are left out.
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
	.transform(({ combinator, conditions }): Conditions | undefined => {
		const filledIn = conditions.filter(({ field }) => field !== '');
		return filledIn.length === 0 ? undefined : { combinator, conditions: filledIn };
	});

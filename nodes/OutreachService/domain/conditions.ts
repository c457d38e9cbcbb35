/** Whether an activity meets the conditions of the option *Only When*, and if not, why (D30). */
import type { FilterValue, IDataObject } from 'n8n-workflow';
import { executeFilter, tryToParseDateTime } from 'n8n-workflow';

import { settleSync } from '../utils/settle';

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

/** Whether conditions are met together, and each condition that is not met. With `or`, one that is met is enough. */
export type Evaluation = { isMet: boolean; misses: readonly Miss[] };

/** n8n evaluates lists and objects, too, although it declares only plain values. */
const isLeftValue = (value: unknown): value is LeftValue =>
	['string', 'number', 'boolean', 'object'].includes(typeof value);

const isObjectOrList = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null;

/** The value at a path with dots. Names may contain dots, too, because users choose the names of a lead's own fields. */
function valueAt(object: unknown, path: string): unknown {
	if (!isObjectOrList(object)) return undefined;
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
 * The value of a field: `campaignName`, or with dots for a field inside another one, such as `to.0.address`.
 * @returns undefined when the activity does not have it; null is a value
 */
function valueOf(json: IDataObject, field: string): LeftValue {
	const value = valueAt(json, field);
	return isLeftValue(value) ? value : undefined;
}

/** The operations that ask for a field to be absent. */
const ASKS_FOR_ABSENCE = ['notExists', 'empty'];

/**
 * The fields that conditions name, each once, and whether an activity lacks them. Fields that a condition wants absent are
 * left out.
 */
export function namedFields(
	json: IDataObject,
	{ conditions }: FilterValue,
): Array<{ field: string; isAbsent: boolean }> {
	const fields = conditions
		.filter(({ operator }) => !ASKS_FOR_ABSENCE.includes(operator.operation))
		.map(({ leftValue }) => String(leftValue));
	return [...new Set(fields)].map((field) => ({
		field,
		isAbsent: valueOf(json, field) === undefined,
	}));
}

/** A date with its time zone. A value that is no date stays as it is, so that n8n says so. */
function zoned(value: LeftValue, timeZone: string): LeftValue {
	if (typeof value !== 'string') return value;
	try {
		return tryToParseDateTime(value, timeZone).toISO() ?? value;
	} catch {
		return value;
	}
}

/** The types of which a blank text counts as absent, as null does: n8n would read it as 0, or fail to convert it. */
const BLANK_IS_NONE = ['number', 'dateTime', 'boolean'];
const isBlank = (value: LeftValue): boolean => typeof value === 'string' && value.trim() === '';

/** The maximum numbers of characters of a value and of a reason: an email may have megabytes. */
const LONGEST_VALUE = 100;
const LONGEST_REASON = 300;

const shortened = (text: string, longest: number): string =>
	text.length <= longest ? text : `${text.slice(0, longest)}…`;

const isRegexOperation = (operation: string): boolean => /^(not)?regex$/i.test(operation);

/** The regex that a text means to n8n: `/text/flags`, or the text alone. @throws SyntaxError when it is none */
function regexIn(text: string): RegExp {
	const [, source = text, flags = ''] = /^\/(.*?)\/([gimusy]*)$/.exec(text) ?? [];
	return new RegExp(source, flags);
}

/** A value of each type that can be compared. */
const ANY_VALUE: Readonly<Record<string, LeftValue>> = {
	string: '',
	number: 0,
	boolean: true,
	dateTime: '2026-01-01T00:00:00.000Z',
	array: [],
};

/**
 * Why a condition cannot be evaluated, whatever the value of its field is: then no event can meet it.
 * @returns undefined for a condition that can be evaluated
 */
export function problemWithRightSide(
	condition: Condition,
	options: FilterValue['options'],
): string | undefined {
	const { type, operation } = condition.operator;
	const evaluated = settleSync(() => {
		// n8n stops a regex after 250 ms of real time, so this does not run it.
		if (isRegexOperation(operation)) return regexIn(String(condition.rightValue));
		const { rightValue } = condition;
		const right = type === 'dateTime' ? zoned(rightValue, 'UTC') : rightValue;
		const withValue = { ...condition, leftValue: ANY_VALUE[type], rightValue: right };
		return executeFilter({ combinator: 'and', conditions: [withValue], options });
	});
	if (evaluated.ok) return undefined;
	// n8n adds the numbers of the condition and of the item.
	const reason = evaluated.error.message.replace(/ \[[^\]]*item \d+\]$/, '');
	return shortened(reason, LONGEST_REASON);
}

/** Why an activity does not meet a condition; undefined when it does. */
function missOf(
	json: IDataObject,
	condition: Condition,
	options: FilterValue['options'],
	timeZone: string,
): Miss | undefined {
	const { type, operation } = condition.operator;
	const inZone = (operand: LeftValue) => (type === 'dateTime' ? zoned(operand, timeZone) : operand);
	const value = valueOf(json, String(condition.leftValue));
	const isNone = value === null || (BLANK_IS_NONE.includes(type) && isBlank(value));
	const isRegex = isRegexOperation(operation);
	const evaluate = (): boolean =>
		executeFilter({
			combinator: 'and',
			conditions: [
				{
					...condition,
					leftValue: isNone ? undefined : inZone(value),
					rightValue: inZone(condition.rightValue),
				},
			],
			// Otherwise n8n lowercases the value, and a pattern with a capital never matches.
			options: { ...options, caseSensitive: isRegex },
		});
	const first = settleSync(evaluate);
	// n8n stops a regex after 250 ms of real time. On a busy machine, these can pass before the process has run it, and the event
	// would be lost. So it is tried once more.
	const result = first.ok || !isRegex ? first : settleSync(evaluate);
	// The reason quotes the value, which may be long.
	if (!result.ok) {
		return { condition, value, reason: shortened(result.error.message, LONGEST_REASON) };
	}
	return result.value ? undefined : { condition, value };
}

/**
 * Evaluates the conditions of the option *Only When* (D30). Each condition names a field on its left side; n8n does the rest,
 * without its expression engine. If a value cannot be converted to the type of its condition, the condition counts as not
 * met.
 * @param json an activity as it was delivered
 * @param timeZone the time zone of the workflow, for dates without one. n8n would use that of the workflow whose expression
 *   the process has evaluated last.
 */
export function evaluateConditions(
	json: IDataObject,
	{ conditions, combinator, options }: FilterValue,
	timeZone: string,
): Evaluation {
	const misses = conditions
		.map((condition) => missOf(json, condition, options, timeZone))
		.filter((miss) => miss !== undefined);
	const isMet = combinator === 'and' ? misses.length === 0 : misses.length < conditions.length;
	return { isMet, misses };
}

const quoted = (value: unknown): string =>
	shortened(
		typeof value === 'string' ? `'${value}'` : JSON.stringify(value ?? null),
		LONGEST_VALUE,
	);

/** Why a condition is not met, for a user: *campaignName is 'Sample campaign', which does not contain 'Q3'*. */
export function missText({ condition, value, reason }: Miss): string {
	const { leftValue: field, rightValue, operator } = condition;
	if (value === undefined) return `there is no ${String(field)}`;
	const actual = `${String(field)} is ${quoted(value)}`;
	if (reason !== undefined) return `${actual}, which cannot be compared (${reason})`;
	const { operation } = operator;
	const miss = wordsFor(operation, MISSES);
	if (miss !== undefined) return `${actual}, which ${miss} ${quoted(rightValue)}`;
	const alone = wordsFor(operation, MISSES_ALONE);
	return `${actual}, which ${alone ?? 'is not what the condition asks for'}`;
}

/** n8n's type of a condition allows any text as its operation. */
const wordsFor = (operation: string, words: Readonly<Record<string, string>>): string | undefined =>
	words[operation];

/** What is said of a value that does not meet an operation; the right side of the condition follows. */
const MISSES = {
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
} satisfies Readonly<Record<string, string>>;
/** The same for the operations without a right side. */
const MISSES_ALONE = {
	true: 'is not true',
	false: 'is not false',
	exists: 'counts as absent',
	notExists: 'exists',
	empty: 'is not empty',
	notEmpty: 'is empty',
} satisfies Readonly<Record<string, string>>;

/** An operation of a condition: there are words for a value that does not meet it. */
export type Operation = keyof typeof MISSES | keyof typeof MISSES_ALONE;

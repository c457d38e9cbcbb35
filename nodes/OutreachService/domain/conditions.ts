/** Whether an activity meets the conditions of the option *Only When*, and if not, why (D30). */
import type { FilterValue, IDataObject } from 'n8n-workflow';
import { executeFilter } from 'n8n-workflow';

import { booleanOf } from '../utils/boolean';
import { isoDateOf } from '../utils/date';
import { settleSync } from '../utils/settle';
import { shortened } from '../utils/shortened';

type FilterCondition = FilterValue['conditions'][number];
type Operator = FilterCondition['operator'];
/** A value as n8n's filter compares it. */
type Value = FilterCondition['leftValue'];

/** A condition on a field of the activity. */
export type Condition = {
	/** Its name, or the path to it. */
	field: string;
	operator: Pick<Operator, 'type' | 'operation' | 'rightType'>;
	rightValue?: Value;
};

/** The conditions of *Only When*. */
export type Conditions = {
	combinator: FilterValue['combinator'];
	conditions: readonly Condition[];
};

/** A condition that an activity does not meet. */
export type Miss = {
	condition: Condition;
	/** Undefined when the activity does not have the field. */
	value: Value;
	/** Why the condition cannot be evaluated; undefined when it can. */
	reason?: string;
};

/** Whether conditions are met together, and each condition that is not met. With `or`, one that is met is enough. */
export type Evaluation = {
	isMet: boolean;
	misses: readonly Miss[];
	/** The fields that the activity lacks, without those that a condition wants absent. */
	absentFields: readonly string[];
};

/** n8n evaluates lists and objects, too, although it declares only plain values. */
const isValue = (value: unknown): value is Value =>
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

/** A name as a path with dots, without the brackets that n8n shows: `to.0.address` for `to[0].address`. */
export const pathOf = (name: string): string =>
	name.trim().replace(/\[(?:(\d+)|"([^"]*)"|'([^']*)')\]/g, '.$1$2$3');

/**
 * The value of a field. A name counts as it is, if the activity has such a field, because users choose the names of a lead's own
 * fields: `Revenue [k€]`, `Next step? `. Otherwise, it is a path.
 * @returns undefined when the activity does not have it; null is a value
 */
function valueOf(json: IDataObject, name: string): Value {
	const named = valueAt(json, name);
	const value = named === undefined ? valueAt(json, pathOf(name)) : named;
	return isValue(value) ? value : undefined;
}

/** The operations that ask whether there is a value, and compare it with nothing. */
const PRESENCE = {
	exists: 'counts as absent',
	notExists: 'exists',
	empty: 'is not empty',
	notEmpty: 'is empty',
};
const EQUALITY = { equals: 'is not', notEquals: 'is the same as' };

/**
 * The operations of n8n's filter, by the type of the values, and what is said of a value that does not meet one of them. To n8n, a
 * condition with any other operation is never met.
 */
export const OPERATIONS: Readonly<Record<Operator['type'], Readonly<Record<string, string>>>> = {
	string: {
		...PRESENCE,
		...EQUALITY,
		contains: 'does not contain',
		notContains: 'contains',
		startsWith: 'does not start with',
		notStartsWith: 'starts with',
		endsWith: 'does not end with',
		notEndsWith: 'ends with',
		regex: 'does not match',
		notRegex: 'matches',
	},
	number: {
		...PRESENCE,
		...EQUALITY,
		gt: 'is not greater than',
		gte: 'is less than',
		lt: 'is not less than',
		lte: 'is greater than',
	},
	dateTime: {
		...PRESENCE,
		...EQUALITY,
		after: 'is not after',
		afterOrEquals: 'is before',
		before: 'is not before',
		beforeOrEquals: 'is after',
	},
	boolean: { ...PRESENCE, ...EQUALITY, true: 'is not true', false: 'is not false' },
	array: {
		...PRESENCE,
		contains: 'does not contain',
		notContains: 'contains',
		lengthEquals: 'does not have the length',
		lengthNotEquals: 'has the length',
		lengthGt: 'is not longer than',
		lengthGte: 'is shorter than',
		lengthLt: 'is not shorter than',
		lengthLte: 'is longer than',
	},
	object: PRESENCE,
	any: { exists: PRESENCE.exists, notExists: PRESENCE.notExists },
};

/** The operations without a right side. The editor may have kept that of an earlier one. */
const ALONE = [...Object.keys(PRESENCE), 'true', 'false'];
/** Those that ask for a field to be absent. */
const ASKS_FOR_ABSENCE = ['notExists', 'empty'];

/** The value of a condition on either side, as n8n compares it with others of a type. @throws Error when it has no such value */
function readAs(type: string, value: Value, timeZone: string): Value {
	if (type === 'boolean') {
		const read = booleanOf(value);
		if (read === undefined) throw new Error('it is neither true nor false');
		return read;
	}
	if (type === 'dateTime') {
		const read = isoDateOf(value, timeZone);
		if (read === undefined) throw new Error('it is not a date');
		return read;
	}
	return value;
}

/** The types of which a blank text counts as absent, as null does: n8n would read it as 0, or fail to convert it. */
const BLANK_IS_NONE = ['number', 'dateTime', 'boolean'];
const isBlank = (value: Value): boolean => typeof value === 'string' && value.trim() === '';

/** The maximum numbers of characters of a value and of a reason: an email may have megabytes. */
const LONGEST_VALUE = 100;
const LONGEST_REASON = 300;

const isRegexOperation = (operation: string): boolean => /^(not)?regex$/i.test(operation);

/** Why a value does not meet a condition; undefined when it does. */
function missOf(value: Value, condition: Condition, timeZone: string): Miss | undefined {
	const { operator, rightValue } = condition;
	const { type, operation } = operator;
	const isCompared = !Object.hasOwn(PRESENCE, operation);
	const isEmpty = value === null || (BLANK_IS_NONE.includes(type) && isBlank(value));
	// A boolean that is null or blank is neither true nor false.
	const isNone = value === undefined || (isEmpty && !(isCompared && type === 'boolean'));
	const isRegex = isRegexOperation(operation);
	const evaluate = (): boolean => {
		const read = (operand: Value) => readAs(type, operand, timeZone);
		const given = isNone ? undefined : value;
		const left = isCompared && !isNone ? read(value) : given;
		const right = ALONE.includes(operation) ? undefined : read(rightValue);
		return executeFilter({
			combinator: 'and',
			conditions: [{ id: '', leftValue: left, operator, rightValue: right }],
			// Values are converted where possible: a list or an expression may return a number as text. In a regex, n8n would
			// lowercase the value alone, and a pattern with a capital would never match.
			options: { caseSensitive: isRegex, leftValue: '', typeValidation: 'loose', version: 2 },
		});
	};
	const first = settleSync(evaluate);
	// n8n stops a regex after 250 ms of real time. On a busy machine, these can pass before the process has run it, and the event
	// would be lost. So it is tried once more.
	const result = first.ok || !isRegex ? first : settleSync(evaluate);
	if (result.ok) return result.value ? undefined : { condition, value };
	// n8n adds the numbers of the condition and of the item, and quotes the value, which may be long.
	const reason = result.error.message.replace(/ \[[^\]]*item [^\]]*\]$/, '');
	return { condition, value, reason: shortened(reason, LONGEST_REASON) };
}

/**
 * Why a condition cannot be evaluated, whatever the value of its field is: then no event can meet it.
 * @returns undefined for a condition that can be evaluated
 */
export function problemWithRightSide(condition: Condition): string | undefined {
	const reason = missOf(undefined, condition, 'UTC')?.reason;
	// A regex that n8n has stopped is one: the machine was busy.
	return reason?.includes('timed out') === true ? undefined : reason;
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
	{ conditions, combinator }: Conditions,
	timeZone: string,
): Evaluation {
	const misses: Miss[] = [];
	const absentFields = new Set<string>();
	for (const condition of conditions) {
		const { field, operator } = condition;
		const value = valueOf(json, field);
		const miss = missOf(value, condition, timeZone);
		if (miss !== undefined) misses.push(miss);
		const isWanted = !ASKS_FOR_ABSENCE.includes(operator.operation);
		if (value === undefined && isWanted) absentFields.add(field);
	}
	const isMet = combinator === 'and' ? misses.length === 0 : misses.length < conditions.length;
	return { isMet, misses, absentFields: [...absentFields] };
}

const quoted = (value: unknown): string =>
	shortened(
		typeof value === 'string' ? `'${value}'` : JSON.stringify(value ?? null),
		LONGEST_VALUE,
	);

/** Why a condition is not met, for a user: *campaignName is 'Sample campaign', which does not contain 'Q3'*. */
export function missText({ condition, value, reason }: Miss): string {
	const { field, operator, rightValue } = condition;
	const { type, operation } = operator;
	if (value === undefined) return `there is no ${field}`;
	const actual = `${field} is ${quoted(value)}`;
	if (reason !== undefined) return `${actual}, which cannot be compared (${reason})`;
	const miss = OPERATIONS[type][operation] ?? 'does not meet';
	const right = ALONE.includes(operation) ? '' : ` ${quoted(rightValue)}`;
	return `${actual}, which ${miss}${right}`;
}

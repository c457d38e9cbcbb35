import type { FilterValue, IDataObject } from 'n8n-workflow';
import { executeFilter, tryToParseDateTime } from 'n8n-workflow';

/** The result of conditions: whether they are met, or why one of them cannot be evaluated. */
export type Evaluation = { ok: true; isMet: boolean } | { ok: false; reason: string };

type Condition = FilterValue['conditions'][number];
type LeftValue = Condition['leftValue'];

const isRecord = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null;

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

import { summarize, type Summary } from '../measure/statistics';

/** The bounds that a figure must meet; both are optional. */
export interface Target {
	atLeast?: number;
	atMost?: number;
}

/** One line of the table: the median of its rounds. */
export interface BenchRow extends Summary {
	topic: string;
	name: string;
	/** `×` for the ratio of two figures, computed for each round. */
	unit: string;
	target?: Target | undefined;
}

/** The parts of a row that are not computed from the rounds. */
interface RowText {
	topic: string;
	name: string;
	unit: string;
	target?: Target | undefined;
}

/** Summarizes the values of the rounds as a row. */
export function row({ target, ...text }: RowText, values: readonly number[]): BenchRow {
	return { ...text, ...summarize(values), ...(target && { target }) };
}

/** Whether the target of a row is a number of events or requests, which does not depend on the machine. */
export const isCount = ({ unit }: Pick<BenchRow, 'unit'>): boolean =>
	!['×', 'ms', 's', 'µs', 'MB', 'KB', 'per second'].includes(unit);

export type Verdict = 'PASS' | 'MISS' | '';

/** Empty if the figure has no target. */
export function verdictOf({ value, target }: Pick<BenchRow, 'value' | 'target'>): Verdict {
	if (target === undefined) return '';
	const { atLeast = -Infinity, atMost = Infinity } = target;
	return value >= atLeast && value <= atMost ? 'PASS' : 'MISS';
}

/** `≥ 0.95`, `≤ 20`, or `= 0` if both bounds are equal. */
export function targetText(target: Target | undefined): string {
	const { atLeast, atMost } = target ?? {};
	if (atLeast !== undefined && atLeast === atMost) return `= ${formatNumber(atLeast)}`;
	return [
		...(atLeast === undefined ? [] : [`≥ ${formatNumber(atLeast)}`]),
		...(atMost === undefined ? [] : [`≤ ${formatNumber(atMost)}`]),
	].join(', ');
}

/** At most three decimals, fewer for larger numbers. */
export function formatNumber(value: number): string {
	const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 3;
	return String(Number(value.toFixed(digits)));
}

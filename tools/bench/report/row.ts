import { summarize, type Summary } from '../measure/statistics';

/** What a figure has to be; either bound may be left out. */
export interface Wanted {
	atLeast?: number;
	atMost?: number;
}

/** One line of the table: the median of its rounds. */
export interface BenchRow extends Summary {
	topic: string;
	name: string;
	/** `×` for the ratio of two figures, taken in each round. */
	unit: string;
	wanted?: Wanted;
}

/** What does not follow from the figures. */
interface RowText {
	topic: string;
	name: string;
	unit: string;
	wanted?: Wanted | undefined;
}

/** A row from what the rounds gave. */
export function row({ wanted, ...text }: RowText, values: readonly number[]): BenchRow {
	return { ...text, ...summarize(values), ...(wanted && { wanted }) };
}

export type Verdict = 'PASS' | 'MISS' | '';

/** Empty when nothing is wanted of a figure. */
export function verdictOf({ value, wanted }: Pick<BenchRow, 'value' | 'wanted'>): Verdict {
	if (wanted === undefined) return '';
	const { atLeast = -Infinity, atMost = Infinity } = wanted;
	return value >= atLeast && value <= atMost ? 'PASS' : 'MISS';
}

/** `≥ 0.95`, `≤ 20`, or `0` when both bounds are the same. */
export function wantedText(wanted: Wanted | undefined): string {
	const { atLeast, atMost } = wanted ?? {};
	if (atLeast !== undefined && atLeast === atMost) return `= ${number(atLeast)}`;
	return [
		...(atLeast === undefined ? [] : [`≥ ${number(atLeast)}`]),
		...(atMost === undefined ? [] : [`≤ ${number(atMost)}`]),
	].join(', ');
}

/** At most three decimals, fewer for larger numbers. */
export function number(value: number): string {
	const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 3;
	return String(Number(value.toFixed(digits)));
}

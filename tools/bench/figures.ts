import { markdownTable } from '../terminal';

/** The bounds that a figure must meet. */
export interface Target {
	atLeast?: number;
	atMost?: number;
}

/** What was measured: a value for each round. */
export interface Figure {
	name: string;
	/** `×` for the ratio of two figures of the same round. */
	unit: string;
	values: readonly number[];
	target?: Target | undefined;
}

/** The figures that belong together: a table. */
export interface Topic {
	title: string;
	figures: readonly Figure[];
}

export const NONE: Target = { atMost: 0 };

/** A sum over all rounds: a median would hide what happens in a few. */
export const total = (values: readonly number[]): number[] => [
	values.reduce((sum, value) => sum + value, 0),
];

/** One ratio for each round: whatever affects a round affects both of its values. */
export const ratios = (numerators: readonly number[], denominators: readonly number[]) =>
	numerators.flatMap((numerator, round) => {
		const denominator = denominators[round];
		return denominator === undefined || denominator === 0 ? [] : [numerator / denominator];
	});

/**
 * The value that a share of the values does not exceed: `quantile(values, 0.5)` is the median.
 *
 * @returns NaN if there are no values
 */
export function quantile(values: readonly number[], share: number): number {
	const sorted = [...values].sort((one, other) => one - other);
	return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

const median = ({ values }: Figure): number => quantile(values, 0.5);

/** Whether the target is a number of events or requests, which does not depend on the machine. */
const isCount = ({ unit }: Figure): boolean => ['events', 'requests', 'webhooks'].includes(unit);

/** Whether a figure misses its target. A ratio that does so is shown, but it varies too much to fail the run. */
const misses = (figure: Figure): boolean => {
	const { atLeast = -Infinity, atMost = Infinity } = figure.target ?? {};
	const value = median(figure);
	return figure.target !== undefined && !(value >= atLeast && value <= atMost);
};

/** The names of the counts that miss their targets. */
export const missedCounts = (topics: readonly Topic[]): string[] =>
	topics.flatMap(({ title, figures }) =>
		figures
			.filter((figure) => isCount(figure) && misses(figure))
			.map(({ name }) => `${title}: ${name}`),
	);

/** At most three decimals, fewer for larger numbers. */
function formatted(value: number): string {
	const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 3;
	return String(Number(value.toFixed(digits)));
}

function row(figure: Figure): string[] {
	const { name, unit, values, target } = figure;
	const { atLeast, atMost } = target ?? {};
	const bound = atLeast === undefined ? atMost : atLeast;
	return [
		name,
		`${formatted(median(figure))} ${unit}`,
		values.length > 1
			? `${formatted(Math.min(...values))} – ${formatted(Math.max(...values))}`
			: '',
		bound === undefined ? '' : `${atLeast === undefined ? '≤' : '≥'} ${formatted(bound)}`,
		target === undefined ? '' : misses(figure) ? 'missed' : 'met',
	];
}

/** The title and the table of a topic, in Markdown. */
export const tableOf = ({ title, figures }: Topic): string =>
	`## ${title}\n\n${markdownTable(['', 'median', 'lowest – highest', 'target', ''], figures.map(row))}`;

/** The variants to compare, each with a function that measures one round. */
export type Variants<Name extends string, Sample> = ReadonlyArray<
	readonly [name: Name, measure: () => Promise<Sample>]
>;

/**
 * Measures every variant once per round. Each round begins with another one, and every other round is reversed, so that
 * neither a machine that slows down, a database that grows nor the variant before favors one of them.
 *
 * @returns the samples of each variant, in the order of the rounds
 */
export async function sideBySide<Name extends string, Sample>(
	variants: Variants<Name, Sample>,
	rounds: number,
): Promise<(name: Name) => Sample[]> {
	const samples = new Map<Name, Sample[]>(variants.map(([name]) => [name, []]));
	for (let round = 0; round < rounds; round++) {
		const first = round % variants.length;
		const rotated = [...variants.slice(first), ...variants.slice(0, first)];
		const order = round % 2 === 0 ? rotated : rotated.reverse();
		for (const [name, measure] of order) samples.get(name)?.push(await measure());
	}
	return (name) => samples.get(name) ?? [];
}

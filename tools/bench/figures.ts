import { markdownTable } from '../terminal';

/** How much to measure. */
export interface Scale {
	/** n8n's default, or `N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE=true`. */
	engine: 'default' | 'lazy';
	rounds: number;
	/** How long each round sends deliveries. */
	deliveryMs: number;
	/** Webhooks to delete in an execution. */
	deletions: number;
}

/** What was measured. */
export interface Figure {
	name: string;
	unit: string;
	/** A value for each round. */
	values: readonly number[];
	/** With a higher value the run fails: for counts, which do not depend on the machine. */
	atMost?: number | undefined;
}

/** The figures that belong together: a table. */
export interface Topic {
	title: string;
	figures: readonly Figure[];
}

export const figure = (
	name: string,
	unit: string,
	values: readonly number[],
	atMost?: number,
): Figure => ({ name, unit, values, atMost });

/** A sum over all rounds: a median would hide what happens in a few. */
export const count = (name: string, unit: string, values: readonly number[], atMost?: number) =>
	figure(name, unit, [values.reduce((sum, value) => sum + value, 0)], atMost);

/** @returns NaN if there are no values */
function median(values: readonly number[]): number {
	const sorted = [...values].sort((one, other) => one - other);
	return sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
}

const isTooHigh = ({ values, atMost = Infinity }: Figure): boolean =>
	!values.every((value) => value <= atMost);

/** The names of the figures that are too high. */
export const tooHigh = (topics: readonly Topic[]): string[] =>
	topics.flatMap(({ title, figures }) =>
		figures.filter(isTooHigh).map(({ name }) => `${title}: ${name}`),
	);

/** At most three decimals, fewer for larger numbers. */
function formatted(value: number): string {
	const size = Math.abs(value);
	if (size >= 100) return value.toFixed(0);
	return String(Number(value.toFixed(size >= 10 ? 1 : 3)));
}

/** The title and the table of a topic, in Markdown. */
export function tableOf({ title, figures }: Topic): string {
	const rows = figures.map((one) => {
		const { name, unit, values, atMost } = one;
		const range = `${formatted(Math.min(...values))} – ${formatted(Math.max(...values))}`;
		return [
			name,
			`${formatted(median(values))} ${unit}`,
			values.length > 1 ? range : '',
			atMost === undefined ? '' : `≤ ${formatted(atMost)} ${isTooHigh(one) ? '✗' : '✓'}`,
		];
	});
	return `## ${title}\n\n${markdownTable(['', 'median', 'lowest – highest', ''], rows)}`;
}

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

import { print } from '../terminal';

/** How much to measure. */
export interface Scale {
	/** How often. The first round of several warms n8n up: its times do not count. */
	rounds: number;
	/** How long each round sends deliveries. */
	deliveryMs: number;
	/** Webhooks to delete in an execution. */
	deletions: number;
}

/** What one round has measured: values by their names. */
type Sample = Readonly<Record<string, number>>;

/** One of the things to compare. */
export interface Variant {
	name: string;
	measure: () => Promise<Sample>;
	/** The most that a value may be in any round: for counts, which do not depend on the machine. */
	atMost?: Sample;
}

interface Comparison {
	/** A line for each value that is too high. */
	problems: string[];
	/** The values of a variant, except those of the warm-up. */
	values: (variant: string, name: string) => number[];
}

/**
 * Measures every variant once per round, and prints a table. Each round begins with another one, and every other round is
 * reversed, so that neither a machine that slows down, a database that grows nor the variant before favors one of them.
 */
export async function compare(
	title: string,
	variants: readonly Variant[],
	rounds: number,
): Promise<Comparison> {
	const samples = new Map<string, Sample[]>(variants.map(({ name }) => [name, []]));
	for (let round = 0; round < rounds; round++) {
		const first = round % variants.length;
		const rotated = [...variants.slice(first), ...variants.slice(0, first)];
		const order = round % 2 === 0 ? rotated : rotated.reverse();
		for (const { name, measure } of order) samples.get(name)?.push(await measure());
	}
	const valuesIn = (all: readonly Sample[], name: string) =>
		all.flatMap((sample) => sample[name] ?? []);
	const values = (variant: string, name: string) =>
		valuesIn(samples.get(variant)?.slice(rounds > 1 ? 1 : 0) ?? [], name);

	const names = [...new Set([...samples.values()].flat().flatMap(Object.keys))];
	const rows = variants.map((variant) => [
		variant.name,
		Object.fromEntries(names.map((name) => [name, summary(values(variant.name, name))])),
	]);
	print(`\n${title}`);
	console.table(Object.fromEntries(rows));
	const problems = variants.flatMap(({ name: variant, atMost = {} }) =>
		Object.entries(atMost)
			.filter(([name, most]) =>
				valuesIn(samples.get(variant) ?? [], name).some((value) => !(value <= most)),
			)
			.map(([name, most]) => `${title}, ${variant}: ${name} must be at most ${most}`),
	);
	return { problems, values };
}

/** The median, the lowest and the highest value. */
function summary(values: readonly number[]): string {
	const sorted = values.toSorted((one, other) => one - other).map(formatted);
	const [lowest = ''] = sorted;
	const median = sorted[Math.ceil(sorted.length / 2) - 1] ?? '';
	const highest = sorted.at(-1) ?? '';
	return lowest === highest ? lowest : `${median} (${lowest} – ${highest})`;
}

/** Fewer decimals for larger numbers. */
const formatted = (value: number): string =>
	value >= 100 ? value.toFixed(0) : String(Number(value.toFixed(value >= 10 ? 1 : 2)));

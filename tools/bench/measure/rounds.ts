/** The variants to compare, each with a function that measures one round. */
export type Variants<Name extends string, Sample> = ReadonlyArray<
	readonly [name: Name, measure: (round: number) => Promise<Sample>]
>;

/** The samples of each variant, in the order of the rounds. */
export type Samples<Name extends string, Sample> = (name: Name) => Sample[];

/**
 * Measures every variant once per round. Each round begins with another one, and every other round is reversed, so that
 * neither a machine that slows down, a database that grows nor the variant before favors one of them.
 */
export async function pairedRounds<Name extends string, Sample>(
	variants: Variants<Name, Sample>,
	rounds: number,
): Promise<Samples<Name, Sample>> {
	const samples = new Map<Name, Sample[]>(variants.map(([name]) => [name, []]));
	for (let round = 0; round < rounds; round++) {
		const first = round % variants.length;
		const rotated = [...variants.slice(first), ...variants.slice(0, first)];
		const order = round % 2 === 0 ? rotated : rotated.reverse();
		for (const [name, measure] of order) samples.get(name)?.push(await measure(round));
	}
	return (name) => samples.get(name) ?? [];
}

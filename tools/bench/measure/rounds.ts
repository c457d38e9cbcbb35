/** What is compared: a name, and how one round of it is measured. */
export type Variants<Name extends string, Sample> = ReadonlyArray<
	readonly [name: Name, measure: (round: number) => Promise<Sample>]
>;

/** The samples of each variant, in the order of the rounds. */
export type Samples<Name extends string, Sample> = (name: Name) => Sample[];

/**
 * Measures every variant once in each round, forwards in one round and backwards in the next, so that neither a
 * machine that grows slower nor a database that grows larger favours one of them.
 */
export async function pairedRounds<Name extends string, Sample>(
	variants: Variants<Name, Sample>,
	rounds: number,
): Promise<Samples<Name, Sample>> {
	const samples = new Map<Name, Sample[]>(variants.map(([name]) => [name, []]));
	for (let round = 0; round < rounds; round++) {
		const order = round % 2 === 0 ? variants : [...variants].reverse();
		for (const [name, measure] of order) samples.get(name)?.push(await measure(round));
	}
	return (name) => samples.get(name) ?? [];
}

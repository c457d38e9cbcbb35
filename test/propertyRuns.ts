/**
 * How often properties are tried. Each run of the tests tries other values, so few are enough while a developer waits.
 * CI tries twice as many with the coverage, and the nightly run many more: `PROPERTY_RUNS` says how many for a
 * property that doesn't say it itself.
 */
import fc from 'fast-check';

const FEW = 10;
const numRuns = Number(process.env.PROPERTY_RUNS ?? FEW);

fc.configureGlobal({ numRuns });

/** How long a test may take, in milliseconds: long, because a busy machine is slower, and longer the more often it tries. */
jest.setTimeout(120_000 * Math.max(1, numRuns / FEW));

/** For a property that needs more or fewer tries than others. @param few how many when a developer runs the tests */
export function tries(few: number): number {
	return Math.max(1, Math.round((few * numRuns) / FEW));
}

import fc from 'fast-check';
import { stepArbitrary } from './steps/mix';
import { watchSteps, type History } from './steps/step';

/** A history is no longer than this, so that one that fails can be shortened in some minutes. */
const LONGEST_HISTORY = 40;

export interface SearchOptions {
	seed: number;
	/** How many steps in all histories together, at least. */
	steps: number;
	/** How long a failing history may be shortened, in milliseconds. */
	shortenMs: number;
	/** Of an earlier failure, to see it again. */
	path?: string | undefined;
	replayPath?: string | undefined;
}

export interface Finding {
	/** The shortest failing history that was found, a line for each step. */
	history: string[];
	error: unknown;
	path: string;
	replayPath: string;
}

export interface Findings {
	steps: number;
	histories: number;
	/** How often each kind of step came. */
	kinds: ReadonlyMap<string, number>;
	failure: Finding | undefined;
}

/**
 * Makes up histories and carries them out until there were enough steps. When one fails, looks for a shorter one that
 * fails too.
 *
 * @param carryOut throws when something is wrong
 * @param report gets a line for each history
 */
export async function search(
	{ seed, steps, shortenMs, path, replayPath }: SearchOptions,
	carryOut: (history: History) => Promise<void>,
	report: (line: string) => void,
): Promise<Findings> {
	const kinds = new Map<string, number>();
	let histories = 0;
	let taken = 0;
	let current: string[] = [];
	let failed: { history: string[]; error: unknown; at: number } | undefined;
	watchSteps((step) => {
		taken += 1;
		kinds.set(step.kind, (kinds.get(step.kind) ?? 0) + 1);
		current.push(step.toString());
	});

	const anyHistory = fc.commands([stepArbitrary], {
		maxCommands: LONGEST_HISTORY,
		size: 'max',
		...(replayPath !== undefined && { replayPath }),
	});
	const property = fc.asyncProperty(anyHistory, async (history) => {
		if (failed === undefined && taken >= steps) return;
		// An attempt that is not made counts as one that did not fail.
		fc.pre(failed === undefined || Date.now() < failed.at + shortenMs);
		histories += 1;
		current = [];
		const began = Date.now();
		const told = (outcome: string) => {
			const seconds = Math.round((Date.now() - began) / 1000);
			const what = failed === undefined ? 'History' : 'Shorter history';
			report(`${what} ${histories}: ${current.length} steps in ${seconds} s, ${outcome}`);
		};
		try {
			await carryOut(history);
			told('all is as it should be');
		} catch (error) {
			told('it fails');
			failed = { history: current, error, at: failed?.at ?? Date.now() };
			throw error;
		}
	});

	const options = { seed, numRuns: steps, ...(path !== undefined && { path }) };
	const { counterexample, counterexamplePath } = await fc.check(property, options);
	const failure = failed && {
		history: failed.history,
		error: failed.error,
		path: counterexamplePath ?? '',
		replayPath: /replayPath="([^"]*)"/.exec(fc.stringify(counterexample))?.[1] ?? '',
	};
	return { steps: taken, histories, kinds, failure };
}

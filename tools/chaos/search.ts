import fc from 'fast-check';
import type { Reasons } from './conservation';
import { messageOf, tellFailure, type Failure, type Findings } from './findings';
import { stepArbitrary } from './steps/mix';
import { watchSteps, type History } from './steps/step';

/** A history is no longer than this, so that one that fails can be shortened in some minutes. */
const LONGEST_HISTORY = 25;

export interface SearchOptions {
	/** Of the first history; each further one has the next. */
	seed: number;
	/** How many steps in all histories together, at least. */
	steps: number;
	/** For how long histories are begun, in milliseconds. */
	forMs: number;
	/** How long a failing history may be shortened, in milliseconds. */
	shortenMs: number;
	/** Whether to go on after a failing history. */
	keepGoing: boolean;
	/** Whether to report each step as it begins. */
	verbose: boolean;
	/** Of an earlier failure, to see it again: that history alone. */
	path?: string | undefined;
	replayPath?: string | undefined;
}

/**
 * Makes up histories and carries them out until there were enough. When one fails, tries shorter ones of it, and stops;
 * or writes it down and goes on.
 *
 * @param carryOut throws when something is wrong
 * @param report gets a line for each history, and what failed
 */
export async function search(
	{ seed, steps, forMs, shortenMs, keepGoing, verbose, path, replayPath }: SearchOptions,
	carryOut: (history: History) => Promise<Reasons>,
	report: (line: string) => void,
): Promise<Findings> {
	const kinds = new Map<string, number>();
	const reasons = new Map<keyof Reasons, number>();
	const failures: Failure[] = [];
	let histories = 0;
	let taken = 0;
	let current: string[] = [];
	watchSteps((step) => {
		taken += 1;
		kinds.set(step.kind, (kinds.get(step.kind) ?? 0) + 1);
		current.push(step.toString());
		if (verbose) report(`  ${new Date().toISOString()} ${step.toString()}`);
	});

	const oneHistory = async (seed: number): Promise<Failure | undefined> => {
		let failed: { history: string[]; error: unknown; at: number } | undefined;
		const anyHistory = fc.commands([stepArbitrary], {
			maxCommands: LONGEST_HISTORY,
			size: 'max',
			...(replayPath !== undefined && { replayPath }),
		});
		const property = fc.asyncProperty(anyHistory, async (history) => {
			// An attempt that is not made counts as one that did not fail.
			fc.pre(failed === undefined || Date.now() < failed.at + shortenMs);
			histories += 1;
			current = [];
			const began = Date.now();
			const told = (outcome: string) => {
				const seconds = Math.round((Date.now() - began) / 1000);
				const what = failed === undefined ? 'History' : 'Shorter history';
				report(
					`${what} ${histories} (seed ${seed}): ${current.length} steps in ${seconds} s, ${outcome}`,
				);
			};
			try {
				const counts = await carryOut(history);
				for (const reason of Object.keys(counts) as Array<keyof Reasons>) {
					reasons.set(reason, (reasons.get(reason) ?? 0) + counts[reason]);
				}
				told('all is as it should be');
			} catch (error) {
				told(`it fails: ${messageOf(error).split('\n').slice(0, 2).join(' ')}`);
				failed = { history: current, error, at: failed?.at ?? Date.now() };
				throw error;
			}
		});
		const { counterexample, counterexamplePath } = await fc.check(property, {
			seed,
			numRuns: 1,
			endOnFailure: keepGoing,
			...(path !== undefined && { path }),
		});
		return (
			failed && {
				seed,
				path: counterexamplePath ?? '',
				replayPath: /replayPath="([^"]*)"/.exec(fc.stringify(counterexample))?.[1] ?? '',
				...failed,
			}
		);
	};

	const began = Date.now();
	for (let next = seed; taken < steps && Date.now() < began + forMs; next++) {
		const failure = await oneHistory(next);
		if (failure) {
			failures.push(failure);
			for (const line of tellFailure(failure)) report(line);
			if (!keepGoing) break;
		}
		if (path !== undefined) break;
	}
	return { steps: taken, histories, kinds, reasons, failures };
}

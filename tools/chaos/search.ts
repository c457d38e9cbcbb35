import fc from 'fast-check';
import type { Reasons } from './conservation';
import { messageOf, describeFailure, type Failure, type Findings } from './findings';
import { stepArbitrary } from './steps/stepArbitrary';
import { watchSteps, type History } from './steps/step';

/** The maximum number of steps in a history: short enough to shrink a failing one in a few minutes. */
const MAX_STEPS = 25;

export interface SearchOptions {
	/** The seed of the first history; each further one uses the next number. */
	seed: number;
	/** The minimum number of steps in all histories together. */
	steps: number;
	/** For how many milliseconds to start new histories. */
	forMs: number;
	/** The maximum time for shrinking a failing history, in milliseconds. */
	shrinkMs: number;
	/** Whether to continue after a failing history. */
	keepGoing: boolean;
	/** Whether to report each step as it starts. */
	verbose: boolean;
	/** From an earlier failure: runs only that history again. */
	path?: string | undefined;
	replayPath?: string | undefined;
}

/**
 * Generates random histories and runs them until the limits are reached. When one fails, shrinks it and stops, or with
 * `keepGoing` records it and continues.
 *
 * @param run runs one history; throws if a check fails
 * @param report receives a line for each history and the details of each failure
 */
export async function search(
	{ seed, steps, forMs, shrinkMs, keepGoing, verbose, path, replayPath }: SearchOptions,
	run: (history: History) => Promise<Reasons>,
	report: (line: string) => void,
): Promise<Findings> {
	const kinds = new Map<string, number>();
	const reasons = new Map<keyof Reasons, number>();
	const failures: Failure[] = [];
	let histories = 0;
	let stepsRun = 0;
	let current: string[] = [];
	watchSteps((step) => {
		stepsRun += 1;
		kinds.set(step.kind, (kinds.get(step.kind) ?? 0) + 1);
		current.push(step.toString());
		if (verbose) report(`  ${new Date().toISOString()} ${step.toString()}`);
	});

	const oneHistory = async (seed: number): Promise<Failure | undefined> => {
		let failed: { history: string[]; error: unknown; at: number } | undefined;
		const anyHistory = fc.commands([stepArbitrary], {
			maxCommands: MAX_STEPS,
			size: 'max',
			...(replayPath !== undefined && { replayPath }),
		});
		const property = fc.asyncProperty(anyHistory, async (history) => {
			// When the time for shrinking is up, fast-check counts skipped histories as not failing.
			fc.pre(failed === undefined || Date.now() < failed.at + shrinkMs);
			histories += 1;
			current = [];
			const began = Date.now();
			const reportOutcome = (outcome: string) => {
				const seconds = Math.round((Date.now() - began) / 1000);
				const what = failed === undefined ? 'History' : 'Shrunk history';
				report(
					`${what} ${histories} (seed ${seed}): ${current.length} steps in ${seconds} s, ${outcome}`,
				);
			};
			try {
				const counts = await run(history);
				for (const reason of Object.keys(counts) as Array<keyof Reasons>) {
					reasons.set(reason, (reasons.get(reason) ?? 0) + counts[reason]);
				}
				reportOutcome('passed');
			} catch (error) {
				reportOutcome(`failed: ${messageOf(error).split('\n').slice(0, 2).join(' ')}`);
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
	for (let next = seed; stepsRun < steps && Date.now() < began + forMs; next++) {
		const failure = await oneHistory(next);
		if (failure) {
			failures.push(failure);
			for (const line of describeFailure(failure)) report(line);
			if (!keepGoing) break;
		}
		if (path !== undefined) break;
	}
	return { steps: stepsRun, histories, kinds, reasons, failures };
}

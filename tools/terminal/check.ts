import { CleanUp, interrupted } from './cleanUp';
import { print } from './print';

/** A program that checks something, such as a long run. */
export interface Check {
	/** Gets what must be ended afterwards, however the program ends. */
	cleanUp: CleanUp;
	/** Whether the program has passed; undefined while it runs, and if it was interrupted. */
	passed: () => boolean | undefined;
}

/**
 * Runs a check until it is done or Ctrl-C stops it, ends what it has started, and ends the process. The exit code is 0
 * if it passes, 1 if it does not or throws, and 130 if it is interrupted.
 */
export async function runCheck(run: (check: Check) => Promise<boolean>): Promise<never> {
	const cleanUp = new CleanUp();
	let passed: boolean | undefined;
	try {
		const result = run({ cleanUp, passed: () => passed });
		passed = await Promise.race([result, interrupted().then(() => undefined)]);
	} catch (error) {
		passed = false;
		print(error instanceof Error ? (error.stack ?? error.message) : String(error));
	}
	if (passed === undefined) print('\nInterrupted.');
	await cleanUp.run();
	process.exit(passed === undefined ? 130 : passed ? 0 : 1);
}

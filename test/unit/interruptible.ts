import { runInNewContext } from 'node:vm';

/** Thousands of times as long as what the tests run takes, so that a busy machine does not matter. */
const TIMEOUT_MS = 30_000;

/** Runs a function, and fails if it does not end: jest's own timeout cannot interrupt one that never waits. */
export function interruptible<T>(run: () => T): T {
	return runInNewContext('run()', { run }, { timeout: TIMEOUT_MS }) as T;
}

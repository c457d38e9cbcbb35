/** How far the clock of the tests jumps at a time, in milliseconds. Between two jumps, connections get some real time. */
const STEP_MS = 3_000;
const REAL_MS = 3;

type Timers = { setTimeout: (ms: number) => Promise<void> };

/**
 * Lets minutes of the tests' clock pass in a fraction of a second, much faster than the clock does by itself (see
 * `test/clock.ts`). Only for a time in which no response is waited for that must be in time.
 */
export async function passTime(ms: number): Promise<void> {
	const { setTimeout: sleep } = jest.requireActual<Timers>('node:timers/promises');
	for (let left = ms; left > 0; left -= STEP_MS) {
		await jest.advanceTimersByTimeAsync(Math.min(left, STEP_MS));
		await sleep(REAL_MS);
	}
}

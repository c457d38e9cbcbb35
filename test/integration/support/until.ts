/** A condition that never holds fails the test after this long, in milliseconds of real time. */
const GIVE_UP_MS = 25_000;

/** How often a condition is looked at, in milliseconds of real time. */
const POLL_MS = 2;

type Timers = { setTimeout: (ms: number) => Promise<void> };

/** Of real time: the test files run at the same time on few cores, which a loop without a pause would take. */
const { setTimeout: sleep } = jest.requireActual<Timers>('node:timers/promises');

/** Waits until a condition is met. @param withinMs fails the test after this time, in milliseconds */
export async function until(condition: () => boolean, withinMs = Infinity): Promise<void> {
	const since = performance.now();
	// The clock of the tests leaves `Date` alone.
	const realSince = Date.now();
	while (!condition()) {
		if (performance.now() - since > withinMs) throw new Error(`Not met within ${withinMs} ms`);
		if (Date.now() - realSince > GIVE_UP_MS) throw new Error(`Not met within ${GIVE_UP_MS} ms`);
		await sleep(POLL_MS);
	}
}

/**
 * The clock of the integration tests and of those of the local service. A test file that says nothing runs on a fast
 * clock: for each real millisecond it advances by 40, so limits, retries and delays take their full time on it, and the
 * test a fraction. A file that needs another clock calls one of the functions below before its first test.
 *
 * Jest's own modes do not replace it: one runs at real speed (`advanceTimers`), and one goes to the next timer as soon as
 * nothing else is to do (`setTimerTickMode`), which is a time limit whenever a real connection is waited for.
 *
 * Connections keep real time, and so does `Date`, because Node writes the real date into responses. Jest loads this file
 * before each test file of these two projects; in unit tests, time is real unless a test replaces it.
 */
import type * as NodeTimers from 'node:timers';

type Timers = {
	setTimeout: (ms: number, value?: undefined, options?: { signal: AbortSignal }) => Promise<void>;
};

/** How often the clock advances, in real milliseconds. Waking up takes more processor time than most tests. */
const USUAL_EVERY_MS = 2;

/** By how many milliseconds the clock advances in each real one, and undefined for real time. */
let speed: number | undefined = 40;

let everyMs = USUAL_EVERY_MS;

/** For connections, large bodies or the garbage collector, which take real time: on the fast clock they would time out. */
export function useRealTime(): void {
	speed = undefined;
}

/** For a test that compares the times of requests: with the usual step, consecutive ones would seem simultaneous. */
export function useFineClock(): void {
	speed = 5;
	everyMs = 1;
}

/** Those of Node.js, which jest replaces. */
const real = jest.requireActual<typeof NodeTimers>('node:timers');

let isStandingStill = false;

/**
 * When a task that waits for the stopped clock has failed, in milliseconds of real time. Others take a few of them, and
 * the time-out of a connection, which is real, must not end the wait first.
 */
const STUCK_MS = 20_000;

/**
 * Stops the clock while a task runs: a task that waits for any time to pass never ends, and the test fails. This shows
 * that something happens at once, however busy the machine is.
 */
export async function withoutTime<T>(task: () => Promise<T>): Promise<T> {
	const { setTimeout: sleep } = jest.requireActual<Timers>('node:timers/promises');
	const ended = new AbortController();
	isStandingStill = true;
	const stuck = sleep(STUCK_MS, undefined, { signal: ended.signal }).then(() => {
		throw new Error('It waits for time to pass');
	});
	try {
		return await Promise.race([task(), stuck]);
	} finally {
		isStandingStill = false;
		stuck.catch(() => undefined);
		ended.abort();
	}
}

let ticking: NodeJS.Timeout | undefined;

beforeAll(() => {
	if (speed !== undefined) start(speed * everyMs);
});

afterAll(() => {
	real.clearInterval(ticking);
});

function start(stepMs: number): void {
	jest.useFakeTimers({
		doNotFake: ['Date', 'nextTick', 'setImmediate', 'clearImmediate', 'queueMicrotask', 'hrtime'],
	});
	ticking = real.setInterval(() => {
		if (!isStandingStill) jest.advanceTimersByTime(stepMs);
	}, everyMs);
}

/** Used by the local service. Jest's fake timers replace only globals, so this module needs its own mock. */
jest.mock('node:timers/promises', () => ({
	...jest.requireActual<object>('node:timers/promises'),
	setTimeout: async (ms: number, value?: unknown, { signal }: { signal?: AbortSignal } = {}) => {
		signal?.throwIfAborted();
		return await new Promise((resolve, reject) => {
			const timer = setTimeout(() => {
				resolve(value);
			}, ms);
			signal?.addEventListener('abort', () => {
				clearTimeout(timer);
				reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
			});
		});
	},
}));

/**
 * Runs the clock of the nodes and the local service faster than real time: in each millisecond, theirs moves on by a
 * step. What they wait for (limits, retries, delays) they wait for in full, on their clock; connections keep real time,
 * and so does `Date`, because Node writes the real date into responses. jest loads this before each test file of the
 * projects that ask for it.
 */

/** Tests of the limit compare moments: in larger steps, requests that come one after the other would seem to coincide. */
const FINE_STEP_MS = 5;
const STEP_MS = 40;
const FINE = /rateLimit|limits\.|sharedLimit/;
/** What these measure is not on the nodes' clock: how long a real connection or the garbage collector takes. */
const REAL_TIME = /realTime|trigger\/(duplicates|outage|conservation)|delivery\/outcome/;

type Timers = { setTimeout: (ms: number) => Promise<void> };

const { testPath = '' } = expect.getState();

function start(step: number): void {
	const { setTimeout: sleep } = jest.requireActual<Timers>('node:timers/promises');
	jest.useFakeTimers({
		doNotFake: ['Date', 'nextTick', 'setImmediate', 'clearImmediate', 'queueMicrotask', 'hrtime'],
	});
	let isRunning = true;
	const tick = (): void => {
		if (!isRunning) return;
		jest.advanceTimersByTime(step);
		void sleep(1).then(tick);
	};
	void sleep(1).then(tick);
	afterAll(() => {
		isRunning = false;
	});
}

/** Not a global, so jest does not replace it: the local service waits with it. */
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

if (!REAL_TIME.test(testPath)) start(FINE.test(testPath) ? FINE_STEP_MS : STEP_MS);

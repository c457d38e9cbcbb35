/**
 * Runs the clock of the nodes and the local service faster than real time: for each real millisecond, it advances by a
 * step. Limits, retries and delays take their full time on this clock. Connections keep real time, and so does `Date`,
 * because Node writes the real date into responses. Jest loads this file before each test file of the projects that
 * list it.
 */

import { needsRealTime } from './realTime';

/** Tests of the nodes' rate limiter compare times: with larger steps, consecutive requests would seem simultaneous. */
const FINE_STEP_MS = 5;
const STEP_MS = 40;
const FINE = /sharedLimit|checkWebhooks/;

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

if (!needsRealTime(testPath)) start(FINE.test(testPath) ? FINE_STEP_MS : STEP_MS);

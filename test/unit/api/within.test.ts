/** A task with a limit on its time ends in time, and leaves nothing behind. On jest's clock. */
import { getEventListeners } from 'node:events';

import { RequestError } from '../../../nodes/OutreachService/api/errors';
import { within } from '../../../nodes/OutreachService/api/within';

beforeEach(() => {
	// Node defers work of its own, which would count as timers.
	jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
});
afterEach(() => {
	jest.useRealTimers();
});

const late = new RequestError('timeout', { message: 'It is late', description: 'Try again.' });
const cancelled = { failure: 'cancelled' };
/** The limits of a task that may take so many milliseconds. */
const atMost = (ms: number, signal?: AbortSignal) => ({
	signal,
	deadline: { ms, error: () => late },
});

const never = new Promise<never>(() => undefined);

it('A task that finishes in time returns its value, and its timer stops within half a second', async () => {
	expect(await within(atMost(30_000), async () => 'done')).toBe('done');
	await jest.advanceTimersByTimeAsync(500);
	expect(jest.getTimerCount()).toBe(0);
});

it.each([1, 500, 1_250])(
	'A task that takes longer than %d ms times out then, and its signal is aborted',
	async (ms) => {
		let received: AbortSignal | undefined;
		const errors: unknown[] = [];
		const task = within(atMost(ms), async (signal) => {
			received = signal;
			return await never;
		}).catch((error: unknown) => errors.push(error));
		await jest.advanceTimersByTimeAsync(ms - 1);
		expect([errors.length, received?.aborted]).toEqual([0, false]);
		await jest.advanceTimersByTimeAsync(2);
		await task;
		expect(errors).toEqual([late]);
		expect(received?.aborted).toBe(true);
		expect(jest.getTimerCount()).toBe(0);
	},
);

it('A task ends at once when it is cancelled, and does not begin when it is cancelled already', async () => {
	const stop = new AbortController();
	const running = within(atMost(30_000, stop.signal), async () => await never);
	const rejected = expect(running).rejects.toMatchObject(cancelled);
	stop.abort();
	await rejected;
	const task = jest.fn();
	await expect(within(atMost(1, stop.signal), task)).rejects.toMatchObject(cancelled);
	expect(task).not.toHaveBeenCalled();
});

it('A task leaves no listener on the signal, which lives as long as the execution, however it ends', async () => {
	const { signal } = new AbortController();
	await within(atMost(1_000, signal), async () => 'done');
	const failing = within(atMost(1_000, signal), async () => {
		throw new Error('The task failed');
	});
	await expect(failing).rejects.toThrow('The task failed');
	expect(getEventListeners(signal, 'abort')).toEqual([]);
});

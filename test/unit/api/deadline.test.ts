import { getEventListeners } from 'node:events';

import { CancelledError } from '../../../nodes/OutreachService/api/cancellation';
import { DeadlineError, withDeadline } from '../../../nodes/OutreachService/api/deadline';

beforeEach(() => {
	// Node defers work of its own, which would count as timers.
	jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
});
afterEach(() => {
	jest.useRealTimers();
});

const never = new Promise<never>(() => undefined);

it('A task that finishes in time returns its value, and its timer stops within half a second', async () => {
	expect(await withDeadline(30_000, undefined, async () => 'done')).toBe('done');
	await jest.advanceTimersByTimeAsync(500);
	expect(jest.getTimerCount()).toBe(0);
});

it.each([1, 499, 500, 1_250, 30_000])(
	'A task that takes longer than %d ms times out then, and its signal is aborted',
	async (ms) => {
		let received: AbortSignal | undefined;
		const errors: unknown[] = [];
		const task = withDeadline(ms, undefined, async (signal) => {
			received = signal;
			return await never;
		}).catch((error: unknown) => errors.push(error));
		await jest.advanceTimersByTimeAsync(ms - 1);
		expect([errors.length, received?.aborted]).toEqual([0, false]);
		await jest.advanceTimersByTimeAsync(2);
		await task;
		expect(errors).toEqual([expect.any(DeadlineError)]);
		expect(received?.aborted).toBe(true);
		expect(jest.getTimerCount()).toBe(0);
	},
);

it('A task that fails because its signal is aborted has timed out all the same', async () => {
	const failsWhenAborted = (signal: AbortSignal) =>
		new Promise<never>((_resolve, reject) => {
			signal.addEventListener('abort', () => reject(new Error('The socket was closed')));
		});
	const task = withDeadline(1_000, undefined, failsWhenAborted);
	const failed = expect(task).rejects.toEqual(new DeadlineError());
	await jest.advanceTimersByTimeAsync(1_001);
	await failed;
});

it('A task ends when it is cancelled, and leaves no listener on its signal when it fails', async () => {
	const stop = new AbortController();
	const running = withDeadline(30_000, stop.signal, async () => never);
	const rejected = expect(running).rejects.toMatchObject({
		name: 'CancelledError',
		mayHaveWorked: true,
	});
	stop.abort();
	await rejected;
	const other = new AbortController();
	const failing = withDeadline(30_000, other.signal, async () => {
		throw new Error('The task failed');
	});
	await expect(failing).rejects.toThrow('The task failed');
	expect(getEventListeners(other.signal, 'abort')).toEqual([]);
});

it('A task that is already cancelled does not start', async () => {
	const task = jest.fn();
	await expect(withDeadline(1, AbortSignal.abort(), task)).rejects.toEqual(new CancelledError());
	expect(task).not.toHaveBeenCalled();
});

it('A cancellation or a deadline after the end of a task has no effect', async () => {
	const stop = new AbortController();
	let abandoned: AbortSignal | undefined;
	const running = withDeadline(1_000, stop.signal, async (signal) => {
		abandoned = signal;
		return await Promise.resolve('first');
	});
	expect(await running).toBe('first');
	stop.abort();
	await jest.advanceTimersByTimeAsync(2_000);
	expect(abandoned?.aborted).toBe(false);
});

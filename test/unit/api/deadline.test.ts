import { getEventListeners } from 'node:events';

import { CancelledError } from '../../../nodes/OutreachService/api/cancellation';
import { DeadlineError, withDeadline } from '../../../nodes/OutreachService/api/deadline';

beforeEach(() => {
	jest.useFakeTimers();
});
afterEach(() => {
	jest.useRealTimers();
});

const never = new Promise<never>(() => undefined);

it('A task that ends in time gives its value, and leaves no timer behind for longer than half a second', async () => {
	expect(await withDeadline(30_000, undefined, async () => 'done')).toBe('done');
	await jest.advanceTimersByTimeAsync(500);
	expect(jest.getTimerCount()).toBe(0);
});

it.each([1, 499, 500, 1_250, 30_000])(
	'A task that takes longer than %d ms is given up then, and told so',
	async (ms) => {
		let told: AbortSignal | undefined;
		const seen: unknown[] = [];
		const task = withDeadline(ms, undefined, async (signal) => {
			told = signal;
			return await never;
		}).catch((error: unknown) => seen.push(error));
		await jest.advanceTimersByTimeAsync(ms - 1);
		expect([seen.length, told?.aborted]).toEqual([0, false]);
		await jest.advanceTimersByTimeAsync(2);
		await task;
		expect(seen).toEqual([expect.any(DeadlineError)]);
		expect(told?.aborted).toBe(true);
		expect(jest.getTimerCount()).toBe(0);
	},
);

it('A task ends when it is cancelled, and nothing stays behind at the signal', async () => {
	const stop = new AbortController();
	const running = withDeadline(30_000, stop.signal, async () => never);
	const seen = expect(running).rejects.toMatchObject({
		name: 'CancelledError',
		mayHaveWorked: true,
	});
	stop.abort();
	await seen;
	const other = new AbortController();
	const failing = withDeadline(30_000, other.signal, async () => {
		throw new Error('by itself');
	});
	await expect(failing).rejects.toThrow('by itself');
	expect(getEventListeners(other.signal, 'abort')).toEqual([]);
});

it('A task does not begin when it is cancelled already', async () => {
	const task = jest.fn();
	await expect(withDeadline(1, AbortSignal.abort(), task)).rejects.toEqual(new CancelledError());
	expect(task).not.toHaveBeenCalled();
});

it('The task’s own end counts when it is the first, whatever comes after', async () => {
	const stop = new AbortController();
	const running = withDeadline(1_000, stop.signal, async () => 'first');
	expect(await running).toBe('first');
	stop.abort();
	await jest.advanceTimersByTimeAsync(2_000);
});

import { getEventListeners } from 'node:events';

import { CancelledError, pause } from '../../../nodes/OutreachService/api/cancellation';

beforeEach(() => {
	jest.useFakeTimers();
});
afterEach(() => {
	jest.useRealTimers();
});

/** Whether a promise is settled after a number of milliseconds. */
async function isOver(promise: Promise<unknown>, ms: number): Promise<boolean> {
	let over = false;
	promise.then(
		() => (over = true),
		() => (over = true),
	);
	await jest.advanceTimersByTimeAsync(ms);
	return over;
}

describe.each([
	['with a signal', () => new AbortController().signal],
	['without a signal', () => undefined],
])('A pause %s', (_, signal) => {
	it('lasts as long as requested', async () => {
		const pausing = pause(5000, signal());
		expect(await isOver(pausing, 4990)).toBe(false);
		expect(await isOver(pausing, 20)).toBe(true);
		await pausing;
	});
});

it('A pause ends immediately when it is cancelled', async () => {
	const stop = new AbortController();
	const pausing = pause(60_000, stop.signal);
	const rejected = expect(pausing).rejects.toBeInstanceOf(CancelledError);
	expect(await isOver(pausing, 10)).toBe(false);
	stop.abort();
	expect(await isOver(pausing, 0)).toBe(true);
	await rejected;
});

it('A pause leaves no listener on the signal, which lives as long as the execution', async () => {
	const stop = new AbortController();
	const pausing = pause(10, stop.signal);
	expect(getEventListeners(stop.signal, 'abort')).toHaveLength(1);
	await jest.advanceTimersByTimeAsync(20);
	await pausing;
	expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
});

it('A pause that is already cancelled does not start', async () => {
	await expect(pause(10, AbortSignal.abort())).rejects.toBeInstanceOf(CancelledError);
});

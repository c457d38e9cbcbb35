import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';

export interface WaitOptions {
	/** How long to poll before giving up. */
	timeoutMs?: number;
	/** Interval between polls. */
	everyMs?: number;
}

/** Long texts and lists are cut. */
const SHORT = { depth: 6, breakLength: Infinity, maxStringLength: 2_000, maxArrayLength: 20 };

/**
 * Polls until `isDone` accepts a value, and returns that value.
 *
 * @param what completes the sentence 'Waited 60 s for …'
 * @param poll may throw: polling continues, and the error is reported if the time runs out
 * @throws if the time runs out, with the last value or error
 */
export async function waitFor<Value>(
	what: string,
	poll: () => Promise<Value> | Value,
	isDone: (value: Value) => boolean,
	{ timeoutMs = 60_000, everyMs = 100 }: WaitOptions = {},
): Promise<Value> {
	const deadline = Date.now() + timeoutMs;
	let last = '';
	let cause: unknown;
	let isOver = false;
	while (!isOver) {
		// After a long poll, there is another one.
		isOver = Date.now() >= deadline;
		try {
			const value = await poll();
			if (isDone(value)) return value;
			last = inspect(value, SHORT);
			cause = undefined;
		} catch (error) {
			last = error instanceof Error ? error.message : String(error);
			cause = error;
		}
		if (!isOver) await pause(everyMs);
	}
	throw new Error(`Waited ${timeoutMs / 1000} s for ${what}. Last result: ${last}`, { cause });
}

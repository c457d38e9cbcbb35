import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';

export interface WaitOptions {
	/** How long to poll before giving up. */
	timeoutMs?: number;
	/** Interval between polls. */
	everyMs?: number;
}

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
			last = describe(value);
			cause = undefined;
		} catch (error) {
			last = error instanceof Error ? error.message : String(error);
			cause = error;
		}
		if (!isOver) await pause(everyMs);
	}
	throw new Error(`Waited ${timeoutMs / 1000} s for ${what}. Last result: ${last}`, { cause });
}

const MAX_DESCRIPTION_LENGTH = 2_000;

function describe(value: unknown): string {
	const text =
		typeof value === 'string' ? value : inspect(value, { depth: 6, breakLength: Infinity });
	return text.length > MAX_DESCRIPTION_LENGTH ? `${text.slice(0, MAX_DESCRIPTION_LENGTH)} …` : text;
}

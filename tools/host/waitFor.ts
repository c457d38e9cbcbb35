import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';

export interface WaitOptions {
	/** How long to poll before giving up. */
	timeoutMs?: number;
	/** Interval between polls. */
	everyMs?: number;
}

/** Thrown if the time runs out. Its message includes the last value or error. */
class WaitTimeoutError extends Error {
	override readonly name = 'WaitTimeoutError';
}

/**
 * Polls until `isDone` accepts a value, and returns that value.
 *
 * @param what completes the sentence 'Waited 60 s for …'
 * @param poll may throw: polling continues, and the error is reported if the time runs out
 * @throws WaitTimeoutError with the last value or error
 */
export async function waitFor<Value>(
	what: string,
	poll: () => Promise<Value> | Value,
	isDone: (value: Value) => boolean,
	{ timeoutMs = 60_000, everyMs = 100 }: WaitOptions = {},
): Promise<Value> {
	const deadline = Date.now() + timeoutMs;
	const tryOnce = async (): Promise<{ value: Value } | { last: string; cause: unknown }> => {
		try {
			const value = await poll();
			return isDone(value) ? { value } : { last: describe(value), cause: undefined };
		} catch (error) {
			return { last: error instanceof Error ? error.message : String(error), cause: error };
		}
	};
	let result = await tryOnce();
	while (!('value' in result)) {
		const { last, cause } = result;
		if (Date.now() >= deadline) {
			throw new WaitTimeoutError(`Waited ${timeoutMs / 1000} s for ${what}. Last result: ${last}`, {
				cause,
			});
		}
		await pause(everyMs);
		result = await tryOnce();
	}
	return result.value;
}

const MAX_DESCRIPTION_LENGTH = 2_000;

function describe(value: unknown): string {
	const text =
		typeof value === 'string' ? value : inspect(value, { depth: 6, breakLength: Infinity });
	return text.length > MAX_DESCRIPTION_LENGTH ? `${text.slice(0, MAX_DESCRIPTION_LENGTH)} …` : text;
}

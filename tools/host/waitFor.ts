import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';

export interface WaitOptions {
	/** Milliseconds until the wait is given up. */
	timeoutMs?: number;
	/** Milliseconds between two looks. */
	everyMs?: number;
}

/** Thrown when the time is up; its message says what was seen last. */
export class WaitTimeoutError extends Error {
	override readonly name = 'WaitTimeoutError';
}

/**
 * Looks again and again until `isDone` likes what it sees, and returns that.
 *
 * @param what ends the sentence 'Waited 30 s for …'
 * @param look may throw: the error counts as what was seen, and the wait goes on
 * @throws WaitTimeoutError that says what was seen last
 */
export async function waitFor<Seen>(
	what: string,
	look: () => Promise<Seen> | Seen,
	isDone: (seen: Seen) => boolean,
	{ timeoutMs = 30_000, everyMs = 100 }: WaitOptions = {},
): Promise<Seen> {
	const deadline = Date.now() + timeoutMs;
	for (;;) {
		let last: string;
		let cause: unknown;
		try {
			const seen = await look();
			if (isDone(seen)) return seen;
			last = describe(seen);
		} catch (error) {
			cause = error;
			last = error instanceof Error ? error.message : String(error);
		}
		if (Date.now() >= deadline) {
			throw new WaitTimeoutError(`Waited ${timeoutMs / 1000} s for ${what}. Seen last: ${last}`, {
				cause,
			});
		}
		await pause(everyMs);
	}
}

const LONGEST_DESCRIPTION = 2_000;

function describe(seen: unknown): string {
	const text = typeof seen === 'string' ? seen : inspect(seen, { depth: 6, breakLength: Infinity });
	return text.length > LONGEST_DESCRIPTION ? `${text.slice(0, LONGEST_DESCRIPTION)} …` : text;
}

/** A deadline and a cancellation for a task. */
import { sleep } from 'n8n-workflow';

import { cancelledError, type RequestError } from './errors';

/** How long a timer may outlive the task that it watches, in milliseconds: `sleep` cannot be cancelled. */
const SLICE_MS = 500;

/** What ends the wait for a task before the task itself does. */
type Limits = {
	/** Cancels the task: the execution was stopped, or the workflow deactivated. */
	signal: AbortSignal | undefined;
	/** How long the task may take, in milliseconds, and the error when it takes longer. Infinity is no deadline either. */
	deadline?: { ms: number; error: () => RequestError };
};

/**
 * Runs a task until it ends, its time is up or it is cancelled. The time-out of n8n's HTTP helper is no such deadline: it
 * starts anew with every byte that arrives, so a response that drips would never end.
 * @param task gets a signal of its own, which is aborted at the deadline and at the cancellation
 * @throws RequestError, that of the deadline or `cancelled`; or what the task throws
 */
export async function within<T>(
	{ signal, deadline }: Limits,
	task: (abandoned: AbortSignal) => Promise<T>,
): Promise<T> {
	if (signal?.aborted) throw cancelledError();
	const abandoned = new AbortController();
	let isOver = false;
	let giveUp: (reason: RequestError) => void = () => undefined;
	const givenUp = new Promise<never>((_resolve, reject) => {
		giveUp = (reason) => {
			// This comes first, because aborting makes the task fail, too, with an error of its own.
			reject(reason);
			abandoned.abort(reason);
		};
	});
	const watchClock = async (ms: number, error: () => RequestError): Promise<void> => {
		const end = performance.now() + ms;
		for (let left = ms; left > 0 && !isOver; left = end - performance.now()) {
			await sleep(Math.min(Math.ceil(left), SLICE_MS));
		}
		if (!isOver) giveUp(error());
	};
	// AbortSignal.any() and AbortSignal.timeout() are of no use: they may be garbage-collected before they fire.
	const onCancel = (): void => giveUp(cancelledError());
	signal?.addEventListener('abort', onCancel, { once: true });
	// Thousands of requests may wait in a queue without a deadline: none of them needs a clock.
	if (deadline && deadline.ms !== Infinity) void watchClock(deadline.ms, deadline.error);
	try {
		return await Promise.race([givenUp, task(abandoned.signal)]);
	} finally {
		isOver = true;
		signal?.removeEventListener('abort', onCancel);
	}
}

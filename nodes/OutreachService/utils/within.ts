/** A deadline and a cancellation for a task. */
import { sleep } from 'n8n-workflow';

/** How long a timer may outlive the task that it watches, in milliseconds: `sleep` cannot be cancelled. */
const SLICE_MS = 500;

/** A task was cancelled: the execution was stopped, or the workflow deactivated. */
export class CancelledError extends Error {
	override name = 'CancelledError';

	constructor() {
		super('The execution was stopped, or the workflow was deactivated');
	}
}

/** A task did not end in time. Its code is that of a connection that times out. */
export class DeadlineError extends Error {
	readonly code = 'ETIMEDOUT';
}

/**
 * Runs a task until it ends, its time is up or it is cancelled. The time-out of n8n's HTTP helper is no such deadline: it
 * starts anew with every byte that arrives, so a response that drips would never end.
 * @param ms how long the task may take, in milliseconds; Infinity for a task without a deadline
 * @param cancel cancels the task
 * @param task gets a signal that is aborted at the deadline or cancellation
 * @throws DeadlineError, CancelledError, or what the task throws
 */
export async function within<T>(
	ms: number,
	cancel: AbortSignal | undefined,
	task: (abandoned: AbortSignal) => Promise<T>,
): Promise<T> {
	if (cancel?.aborted) throw new CancelledError();
	const abandoned = new AbortController();
	let isOver = false;
	let giveUp: (reason: Error) => void = () => undefined;
	const givenUp = new Promise<never>((_resolve, reject) => {
		giveUp = (reason) => {
			// This comes first, because aborting makes the task fail, too, with an error of its own.
			reject(reason);
			abandoned.abort(reason);
		};
	});
	const watchClock = async (): Promise<void> => {
		const end = performance.now() + ms;
		for (let left = ms; left > 0 && !isOver; left = end - performance.now()) {
			await sleep(Math.min(Math.ceil(left), SLICE_MS));
		}
		if (!isOver) giveUp(new DeadlineError('The deadline has passed'));
	};
	// AbortSignal.any() and AbortSignal.timeout() are of no use: they may be garbage-collected before they fire.
	const onCancel = (): void => giveUp(new CancelledError());
	cancel?.addEventListener('abort', onCancel, { once: true });
	// Thousands of requests may wait in a queue without a deadline: none of them needs a clock.
	if (ms !== Infinity) void watchClock();
	try {
		return await Promise.race([givenUp, task(abandoned.signal)]);
	} finally {
		isOver = true;
		cancel?.removeEventListener('abort', onCancel);
	}
}

import { sleep } from 'n8n-workflow';

import { CancelledError, throwIfCancelled } from './cancellation';

/** The longest that a deadline's timer outlives what it watches, in milliseconds: `sleep` cannot be cancelled. */
const SLICE_MS = 500;

/** A task that did not end in time. Its code is that of a connection that times out. */
export class DeadlineError extends Error {
	readonly code = 'ETIMEDOUT';

	constructor() {
		super('The deadline has passed');
	}
}

/**
 * Runs a task until it ends, its deadline passes or it is cancelled. The time-out of n8n's HTTP helper is no such
 * deadline: it starts anew with every byte that arrives, so a response that drips would never end.
 * @param ms how long the task may take, in milliseconds
 * @param task gets a signal that is aborted at the deadline or cancellation
 * @throws DeadlineError, CancelledError, or what the task throws
 */
export async function withDeadline<T>(
	ms: number,
	cancelled: AbortSignal | undefined,
	task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
	throwIfCancelled(cancelled);
	const abandoned = new AbortController();
	let isOver = false;
	let giveUp: (reason: Error) => void = () => undefined;
	const givenUp = new Promise<never>((_resolve, reject) => {
		giveUp = (reason) => {
			// First: aborting makes the task fail too, with an error of its own.
			reject(reason);
			abandoned.abort(reason);
		};
	});
	const watchClock = async (): Promise<void> => {
		const end = performance.now() + ms;
		for (let left = ms; left > 0 && !isOver; left = end - performance.now()) {
			await sleep(Math.min(Math.ceil(left), SLICE_MS));
		}
		if (!isOver) giveUp(new DeadlineError());
	};
	const cancel = (): void => giveUp(new CancelledError(true));
	cancelled?.addEventListener('abort', cancel, { once: true });
	void watchClock();
	try {
		return await Promise.race([givenUp, task(abandoned.signal)]);
	} finally {
		isOver = true;
		cancelled?.removeEventListener('abort', cancel);
	}
}

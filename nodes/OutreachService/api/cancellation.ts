import { sleep } from 'n8n-workflow';

/** Thrown out of a wait when its signal is aborted. The request loop turns it into an outcome. */
export class CancelledError extends Error {
	override name = 'CancelledError';

	/** @param mayHaveWorked whether the service may have received the request all the same */
	constructor(readonly mayHaveWorked = false) {
		super('The request was cancelled');
	}
}

/** @throws CancelledError when the signal is aborted */
export function throwIfCancelled(signal: AbortSignal | undefined): void {
	if (signal?.aborted) throw new CancelledError();
}

/**
 * Waits for so many milliseconds, or until it is cancelled.
 * @throws CancelledError
 */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
	throwIfCancelled(signal);
	if (!signal) {
		await sleep(ms);
		return;
	}
	let stop: () => void = () => undefined;
	const aborted = new Promise<void>((resolve) => {
		stop = resolve;
		signal.addEventListener('abort', stop, { once: true });
	});
	await Promise.race([sleep(ms), aborted]);
	signal.removeEventListener('abort', stop);
	throwIfCancelled(signal);
}

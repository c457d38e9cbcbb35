/**
 * A request that the user or the node itself cancelled. It says nothing about the service, so it is never retried and
 * never reported as a request that failed.
 */
export class CancelledError extends Error {
	override name = 'CancelledError';

	/** What stands at the service now, and what to do; undefined when nothing was changed. */
	description: string | undefined;

	/** @param mayHaveWorked whether the service may have received the request all the same */
	constructor(readonly mayHaveWorked = false) {
		super('The request was cancelled');
	}
}

/** @throws CancelledError when the signal is aborted */
export function throwIfCancelled(signal: AbortSignal | undefined): void {
	if (signal?.aborted) throw new CancelledError();
}

/** A signal that is aborted with the first of several; undefined when none is given. */
export function firstOf(...signals: Array<AbortSignal | undefined>): AbortSignal | undefined {
	const [one, ...others] = signals.filter((signal) => signal !== undefined);
	return one && others.length > 0 ? AbortSignal.any([one, ...others]) : one;
}

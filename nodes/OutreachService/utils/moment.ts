/** A moment by two clocks, because either may be wrong: somebody may set the date back, and a sleeping machine stops the other. */

/** In milliseconds since 1970, and as `performance.now()` tells it. */
export type Moment = { date: number; clock: number };

/** The current moment. */
export const now = (): Moment => ({ date: Date.now(), clock: performance.now() });

/** How much time has passed since a moment, in milliseconds, by the clock that has gone on further. */
export function msSince(since: Moment, { date, clock }: Moment = now()): number {
	// Somebody may set back the date, and the clock of the process stops while a machine sleeps.
	return Math.max(date - since.date, clock - since.clock);
}

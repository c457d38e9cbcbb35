/** A moment by two clocks, because either may be wrong: somebody may set the date back, and a sleeping machine stops the other. */

/** In milliseconds since 1970, and as `performance.now()` tells it. */
export type Moment = { date: number; clock: number };

/** The current moment. */
export const now = (): Moment => ({ date: Date.now(), clock: performance.now() });

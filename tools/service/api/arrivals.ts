/**
 * Judges a client: how many requests came, and how many at most within any window. Kept apart from the limiter, so that
 * it sees all that arrived (refused ones too) and works when the limit is off.
 */
export class Arrivals {
	requests = 0;
	refused = 0;
	maxStartsInWindow = 0;
	private inWindow: number[] = [];

	/** Notes an arrival. `now` and `windowMs` are milliseconds; a request exactly one window later is outside it. */
	note(now: number, windowMs: number): void {
		this.requests += 1;
		this.inWindow.push(now);
		const first = this.inWindow.findIndex((at) => now - at < windowMs);
		if (first > 0) this.inWindow.splice(0, first);
		this.maxStartsInWindow = Math.max(this.maxStartsInWindow, this.inWindow.length);
	}
}

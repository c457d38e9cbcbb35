/**
 * Counts the requests of one API key and the most that arrived within any window. It is separate from the rate limiter
 * so that it also counts rejected requests, and works when the limit is off.
 */
export class RequestCounter {
	requests = 0;
	refused = 0;
	maxStartsInWindow = 0;
	private inWindow: number[] = [];

	/** Counts a request at `now`. Both times are in milliseconds; a request exactly one window later is outside it. */
	count(now: number, windowMs: number): void {
		this.requests += 1;
		this.inWindow.push(now);
		const first = this.inWindow.findIndex((at) => now - at < windowMs);
		if (first > 0) this.inWindow.splice(0, first);
		this.maxStartsInWindow = Math.max(this.maxStartsInWindow, this.inWindow.length);
	}
}

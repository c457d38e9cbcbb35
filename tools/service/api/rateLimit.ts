/** The rate limiter's decision about one request. Times are in milliseconds. */
export interface RateLimitResult {
	allowed: boolean;
	/** Requests left at this moment. */
	remaining: number;
	/** Time until the next request is allowed; 0 if one is allowed now. */
	retryAfterMs: number;
	/** Time until the next request is given back (sliding) or the window ends (fixed). */
	resetMs: number;
}

/** How requests are counted. */
export interface LimitRules {
	/** Requests per window. */
	requests: number;
	windowMs: number;
	kind: 'sliding' | 'fixed';
}

/**
 * The rate limiter of one API key (§8.1). Windows are half-open: a request exactly `windowMs` after another one is outside
 * that one's window.
 */
export class RateLimiter {
	/** Arrival times of the requests that count in the current window. */
	private counted: number[] = [];
	private windowStart = Number.NEGATIVE_INFINITY;

	/** Decides whether a request at `now` (milliseconds, never decreasing) is allowed, and counts it. */
	take(now: number, rules: LimitRules): RateLimitResult {
		this.forget(now, rules);
		const allowed = this.counted.length < rules.requests;
		if (allowed) this.counted.push(now);
		const resetMs = this.nextFreeAt(now, rules) - now;
		const remaining = Math.max(0, rules.requests - this.counted.length);
		return { allowed, remaining, retryAfterMs: remaining > 0 ? 0 : resetMs, resetMs };
	}

	private forget(now: number, { windowMs, kind }: LimitRules): void {
		if (kind === 'fixed') {
			if (now < this.windowStart + windowMs) return;
			this.counted = [];
			this.windowStart = now;
			return;
		}
		const firstInWindow = this.counted.findIndex((at) => now - at < windowMs);
		this.counted = firstInWindow === -1 ? [] : this.counted.slice(firstInWindow);
	}

	private nextFreeAt(now: number, { requests, windowMs, kind }: LimitRules): number {
		if (kind === 'fixed') return this.windowStart + windowMs;
		// After the limit was lowered, more than `requests` can be in the window, and several must leave it first.
		const leavesFirst = this.counted[Math.max(0, this.counted.length - requests)];
		return (leavesFirst ?? now) + windowMs;
	}
}

/** What the limiter says about one request. Times are milliseconds on the caller's clock. */
export interface Verdict {
	allowed: boolean;
	/** Requests that could still be made at this moment. */
	remaining: number;
	/** How long until a request can be made that cannot be made now; 0 when one can. */
	retryAfterMs: number;
	/** How long until the limit gives back the request that it will give back next (sliding), or all of them (fixed). */
	resetMs: number;
}

export interface LimitRules {
	requests: number;
	windowMs: number;
	kind: 'sliding' | 'fixed';
	/** Whether a refused request uses up the limit as an allowed one does. */
	refusedCount: boolean;
}

/**
 * §8.1 for one key. Windows are half-open: a request exactly `windowMs` after another is in a new window, so the older one
 * no longer counts against it.
 */
export class RateLimiter {
	/** Sliding: when each request still in the window came. Fixed: the same, for the window that is running. */
	private counted: number[] = [];
	private windowStart = Number.NEGATIVE_INFINITY;

	/** Decides about a request at `now`, and counts it. `now` never goes back. */
	take(now: number, rules: LimitRules): Verdict {
		this.forget(now, rules);
		const allowed = this.counted.length < rules.requests;
		if (allowed || rules.refusedCount) {
			if (this.counted.length === 0) this.windowStart = now;
			this.counted.push(now);
		}
		const resetMs = this.nextFreeAt(now, rules) - now;
		const remaining = Math.max(0, rules.requests - this.counted.length);
		return { allowed, remaining, retryAfterMs: remaining > 0 ? 0 : resetMs, resetMs };
	}

	private forget(now: number, { windowMs, kind }: LimitRules): void {
		if (kind === 'fixed') {
			if (now >= this.windowStart + windowMs) this.counted = [];
			return;
		}
		const firstInWindow = this.counted.findIndex((at) => now - at < windowMs);
		this.counted = firstInWindow === -1 ? [] : this.counted.slice(firstInWindow);
	}

	private nextFreeAt(now: number, { requests, windowMs, kind }: LimitRules): number {
		if (kind === 'fixed') return this.windowStart + windowMs;
		// When refused requests count there can be more than `requests`: then more than the oldest must leave.
		const leavesFirst = this.counted[Math.max(0, this.counted.length - requests)];
		return (leavesFirst ?? now) + windowMs;
	}
}

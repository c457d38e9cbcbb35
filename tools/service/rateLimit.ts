import type { Switches } from './switches';

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
		if (kind === 'sliding') {
			this.counted = this.counted.filter((at) => now - at < windowMs);
		} else if (now >= this.windowStart + windowMs) {
			this.counted = [];
			this.windowStart = now;
		}
	}

	private nextFreeAt(now: number, { requests, windowMs, kind }: LimitRules): number {
		if (kind === 'fixed') return this.windowStart + windowMs;
		// After the limit was lowered, more than `requests` can be in the window, and several must leave it first.
		const leavesFirst = this.counted[Math.max(0, this.counted.length - requests)];
		return (leavesFirst ?? now) + windowMs;
	}
}

/**
 * Counts the requests of one API key and the most that arrived within any window. It is separate from the rate limiter
 * so that it also counts rejected requests, and works when the limit is off.
 */
export class RequestCounter {
	requests = 0;
	refused = 0;
	maxStartsInWindow = 0;
	private readonly inWindow: number[] = [];

	/** Counts a request at `now`. Both times are in milliseconds; a request exactly one window later is outside it. */
	count(now: number, windowMs: number): void {
		this.requests += 1;
		this.inWindow.push(now);
		const first = this.inWindow.findIndex((at) => now - at < windowMs);
		if (first > 0) this.inWindow.splice(0, first);
		this.maxStartsInWindow = Math.max(this.maxStartsInWindow, this.inWindow.length);
	}
}

/** An HTTP date has no fractions: rounded up, so that no client retries too early. */
const writeDate = (epochMs: number): string =>
	new Date(Math.ceil(epochMs / 1000) * 1000).toUTCString();

/**
 * The rate-limit headers of a response (§8.2). Only a refusal has Retry-After.
 * @param epochMs the time on the service's clock, which a fault can skew.
 */
export function rateLimitHeaders(
	result: RateLimitResult,
	switches: Pick<Switches, 'rateLimitRequests'>,
	epochMs: number,
): Record<string, string> {
	return {
		...(!result.allowed && { 'retry-after': String(Math.ceil(result.retryAfterMs / 1000)) }),
		'x-ratelimit-limit': String(switches.rateLimitRequests),
		'x-ratelimit-remaining': String(result.remaining),
		'x-ratelimit-reset': writeDate(epochMs + result.resetMs),
	};
}

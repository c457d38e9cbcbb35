/** The rate limit (§8). Times are in milliseconds, and windows half-open: a request one window after another is outside. */
import type { Switches } from './switches';

/** The rate limiter of one API key (§8.1). */
export class RateLimiter {
	/** Arrival times of the requests in the current window. */
	private counted: number[] = [];

	/**
	 * Decides whether a request at `now` (never decreasing) is allowed, and counts it.
	 * @returns also the headers of its response (§8.2); only a refusal has Retry-After
	 */
	take(
		now: number,
		{ rateLimit, rateLimitRequests: limit, rateLimitWindowMs: windowMs }: Switches,
	): { isAllowed: boolean; headers: Record<string, string> } {
		if (rateLimit === 'off') return { isAllowed: true, headers: {} };
		this.counted = this.counted.filter((at) => now - at < windowMs);
		const isAllowed = this.counted.length < limit;
		if (isAllowed) this.counted.push(now);
		// After the limit was lowered, more than `limit` can be in the window, and several must leave it first.
		const leavesFirst = this.counted[Math.max(0, this.counted.length - limit)] ?? now;
		const resetMs = leavesFirst + windowMs - now;
		return {
			isAllowed,
			headers: {
				...(!isAllowed && { 'retry-after': String(Math.ceil(resetMs / 1000)) }),
				'x-ratelimit-limit': String(limit),
				'x-ratelimit-remaining': String(Math.max(0, limit - this.counted.length)),
				'x-ratelimit-reset': dateIn(resetMs),
			},
		};
	}
}

/** An HTTP date has no fractions: rounded up, so that no client retries too early. */
const dateIn = (ms: number): string =>
	new Date(Math.ceil((Date.now() + ms) / 1000) * 1000).toUTCString();

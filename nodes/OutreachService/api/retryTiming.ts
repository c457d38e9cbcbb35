import { WINDOW_MS } from './limits';
import type { Headers } from './outcome';

/** The longest single wait, in milliseconds, whatever the service asks for (D4). */
export const LONGEST_WAIT_MS = 30_000;
const SHORTEST_WAIT_MS = 50;
const FIRST_BACK_OFF_MS = 500;

/** Longer header values count as absent: no number or date has as many characters. */
const LONGEST_VALUE = 100;

const text = (headers: Headers, name: string): string | undefined => {
	const value = headers[name];
	if (typeof value !== 'string' || value.length > LONGEST_VALUE) return undefined;
	return value.trim() || undefined;
};

const date = (headers: Headers, name: string): number | undefined => {
	const value = text(headers, name);
	// Date.parse reads 'soon 5' as a day in May 2001: only what has a year and a time of day is a date here.
	const time = value !== undefined && /\d{4}.*\d:\d\d/.test(value) ? Date.parse(value) : NaN;
	return Number.isNaN(time) ? undefined : time;
};

/** Milliseconds from the response's own `Date` to the date in a header: the service's clock may differ from ours. */
function untilDate(headers: Headers, name: string): number | undefined {
	const then = date(headers, name);
	const now = date(headers, 'date');
	return then === undefined || now === undefined || then < now ? undefined : then - now;
}

/** The wait that `Retry-After` asks for in milliseconds, as seconds or as a date; undefined when it is absent. */
export function retryAfter(headers: Headers): number | undefined {
	const value = text(headers, 'retry-after');
	if (value === undefined) return undefined;
	if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
	return untilDate(headers, 'retry-after');
}

/**
 * How long to wait after a rejection by the rate limit (§8.2, D4): `Retry-After`, else `X-RateLimit-Reset`
 * against the response's own `Date`, else one window. Nonsense counts as absent, and no wait is longer than
 * {@link LONGEST_WAIT_MS}.
 * @param rateLimited how many times the request was rejected so far: when the service keeps asking for no wait at all, the
 *   wait doubles each time, up to a window
 * @returns milliseconds
 */
export function waitAfterRateLimit(headers: Headers, rateLimited = 1): number {
	const asked = retryAfter(headers) ?? untilDate(headers, 'x-ratelimit-reset') ?? WINDOW_MS;
	const shortest = Math.min(SHORTEST_WAIT_MS * 2 ** (rateLimited - 1), WINDOW_MS);
	return Math.min(Math.max(asked, shortest), LONGEST_WAIT_MS);
}

/**
 * How long to back off before repeating a request that failed on the way: twice as long each time.
 * @param attempt 1 after the first failure
 * @returns milliseconds
 */
export function backOff(attempt: number): number {
	return Math.min(FIRST_BACK_OFF_MS * 2 ** (attempt - 1), LONGEST_WAIT_MS);
}

/**
 * Adds up to a tenth, so that several processes that were refused together do not retry together.
 * @param random from 0 to 1
 * @returns milliseconds
 */
export function withJitter(ms: number, random: number): number {
	return ms + Math.min(ms, WINDOW_MS) * 0.1 * random;
}

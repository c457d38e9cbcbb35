/** What the service's rate limit is (§8), how its responses tell of it, and what a user is told when it is used up. */
import type { FailureDetails } from './errors';

/** The rate limit (§8.1): the maximum number of requests in a window, counted for each API key. */
export const REQUESTS_PER_WINDOW = 20;
/** The length of a window, in milliseconds. */
export const WINDOW_MS = 2000;

/** The longest single wait, in milliseconds, however long the service asks for (D4). */
const LONGEST_ASKED_WAIT_MS = 30_000;
const SHORTEST_ASKED_WAIT_MS = 500;

/** The part of a response that tells of the limit. The names of the headers are in lower case. */
type ResponseHead = { status: number; headers: Readonly<Record<string, unknown>> };

/** Longer header values count as absent: no number or date has as many characters. */
const LONGEST_VALUE = 100;

/** Whether a status is a refusal by the rate limit (§8.2, D4). */
export const isRefusedByLimit = (status: number): boolean => status === 429;

/** A wait that the service asks for, within our limits. */
const withinLimits = (ms: number): number =>
	Math.min(Math.max(ms, SHORTEST_ASKED_WAIT_MS), LONGEST_ASKED_WAIT_MS);

/** The date in a header, in milliseconds since 1970, or NaN. */
const dateIn = (value: string): number =>
	// Date.parse reads 'soon 5' as a day in May 2001: only what has a year and a time of day is a date here.
	/\d{4}.*\d:\d\d/.test(value) ? Date.parse(value) : NaN;

/**
 * How long a response asks to wait before the request is repeated (§8.2, D4): `Retry-After`, as seconds or as a date; with
 * a refusal by the rate limit, else `X-RateLimit-Reset`, else one window. Dates count from the response's own `Date`: the
 * service's clock may differ from ours. Nonsense, a date in the past and 0 count as absent.
 * @returns milliseconds, within our limits; undefined when the response does not ask for a wait
 */
export function waitAskedFor({ status, headers }: ResponseHead): number | undefined {
	const now = dateIn(textIn(headers, 'date'));
	const retryAfter = textIn(headers, 'retry-after');
	const isSeconds = /^\d+(\.\d+)?$/.test(retryAfter);
	const retryAfterMs = isSeconds ? Number(retryAfter) * 1000 : dateIn(retryAfter) - now;
	// This is false for NaN, too: the header has neither seconds nor a date.
	if (retryAfterMs > 0) return withinLimits(retryAfterMs);
	if (!isRefusedByLimit(status)) return undefined;
	const untilResetMs = dateIn(textIn(headers, 'x-ratelimit-reset')) - now;
	return untilResetMs > 0 ? withinLimits(untilResetMs) : WINDOW_MS;
}

/** The value of a header; empty if it is absent or too long. */
function textIn(headers: ResponseHead['headers'], name: string): string {
	const value = headers[name];
	return typeof value === 'string' && value.length <= LONGEST_VALUE ? value.trim() : '';
}

/** A whole number in a header; undefined when the response does not say it. */
function numberIn(headers: ResponseHead['headers'], name: string): number | undefined {
	const text = textIn(headers, name);
	return /^\d+$/.test(text) ? Number(text) : undefined;
}

/** How many requests the service counts in the window (§8.2); undefined when the response does not say it, or has another limit. */
export function countedByService({ headers }: Pick<ResponseHead, 'headers'>): number | undefined {
	const limit = numberIn(headers, 'x-ratelimit-limit') ?? REQUESTS_PER_WINDOW;
	const remaining = numberIn(headers, 'x-ratelimit-remaining');
	return limit === REQUESTS_PER_WINDOW && remaining !== undefined ? limit - remaining : undefined;
}

/** Whether a response says that the limit is used up, so that no request with the key may be sent for a while (D115). */
export const isLimitUsedUp = ({ status, headers }: ResponseHead): boolean =>
	isRefusedByLimit(status) || numberIn(headers, 'x-ratelimit-remaining') === 0;

/** What a user is told if the limit is used up. @param response a sentence about the refusal; empty if nothing was sent */
export const limitUsedUp = (response = ''): FailureDetails => ({
	message: 'The service accepts no further request with this API key at the moment',
	description: `${response}Its rate limit of ${REQUESTS_PER_WINDOW} requests in ${WINDOW_MS / 1000} seconds is used up, or it has asked n8n to wait. Try again in half a minute. If this happens often, another program, or another n8n process, probably uses the same key: create a separate key for n8n.`,
	passes: true,
});

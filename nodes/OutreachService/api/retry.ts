/** When a request is sent again, and the only loop that does it. */
import { CancelledError } from '../utils/within';
import { cancelledError, isOutage, onlyRequestError, RequestError, type ErrorText } from './errors';
import type { Method, Response } from './http';
import { WINDOW_MS, type RateLimiter } from './rateLimiter';

/** How often, and how long, a request is tried. */
export type Policy = {
	/** The maximum number of attempts. Rejections by the rate limit do not count. */
	attempts: number;
	/** How long after the request was asked for an attempt may begin, waits included, in milliseconds. */
	budgetMs: number;
	/** How long one response may take, in milliseconds. */
	timeoutMs: number;
};

/** For an item of an execution, and for a deactivation: both would rather wait than fail. */
export const ITEM: Policy = { attempts: 4, budgetMs: 120_000, timeoutMs: 30_000 };

/**
 * For a user who waits: an activation, which n8n 2 tries five times and gives up after 84 s, with an error of its own; or
 * a list in the editor, for which a proxy in front of n8n does not wait long either.
 */
export const USER: Policy = { attempts: 3, budgetMs: 12_000, timeoutMs: 12_000 };

/** For a check, also the first one at a start of n8n: the next one comes a minute later. */
export const CHECK: Policy = { attempts: 2, budgetMs: 20_000, timeoutMs: 10_000 };

/** The longest single wait, in milliseconds, however long the service asks for (D4). */
const LONGEST_ASKED_WAIT_MS = 30_000;
const SHORTEST_ASKED_WAIT_MS = 500;
/** The wait after the first failure; it doubles after each further one. */
const FIRST_BACK_OFF_MS = 500;

/** Longer header values count as absent: no number or date has as many characters. */
const LONGEST_VALUE = 100;

/** The date in a header, in milliseconds since 1970, or NaN. */
const dateIn = (value: string): number =>
	// Date.parse reads 'soon 5' as a day in May 2001: only what has a year and a time of day is a date here.
	/\d{4}.*\d:\d\d/.test(value) ? Date.parse(value) : NaN;

/**
 * How long a response asks to wait before the request is repeated (§8.2, D4): `Retry-After`, as seconds or as a date; with
 * a 429, else `X-RateLimit-Reset`, else one window. Dates count from the response's own `Date`: the service's clock may
 * differ from ours. Nonsense, a date in the past and 0 count as absent.
 * @returns milliseconds; undefined when the response does not come from the rate limit
 */
export function waitAskedFor({
	status,
	headers,
}: Pick<Response, 'status' | 'headers'>): number | undefined {
	const textIn = (name: string): string => {
		const value = headers[name];
		return typeof value === 'string' && value.length <= LONGEST_VALUE ? value.trim() : '';
	};
	const retryAfter = textIn('retry-after');
	const now = dateIn(textIn('date'));
	const waits = [
		/^\d+(\.\d+)?$/.test(retryAfter) ? Number(retryAfter) * 1000 : dateIn(retryAfter) - now,
		...(status === 429 ? [dateIn(textIn('x-ratelimit-reset')) - now, WINDOW_MS] : []),
	];
	return waits.find((ms) => ms > 0);
}

/** A request so far: how many attempts have failed, but for refusals by the rate limit, and how long it takes. */
export type Progress = { method: Method; failures: number; elapsedMs: number };

/**
 * Decides whether a request is sent again (§8.2, D4, D72): after a refusal by the rate limit always; after a failure on
 * the way or a 5xx only when it may be carried out twice; and never past the policy's budget.
 * @param random from 0 to 1: adds up to a tenth, so that processes that were refused together do not retry together
 * @returns how long to wait before, in milliseconds; undefined when it is not sent again
 */
export function retryDelay(
	error: RequestError,
	{ method, failures, elapsedMs }: Progress,
	{ attempts, budgetMs }: Policy,
	random = Math.random(),
): number | undefined {
	const { retryAfterMs, maybeDone, code } = error.details;
	const isIdempotent = method !== 'POST';
	// Where the service was not even reached, waiting does not help, unless a name server is overloaded.
	const isTransient = isOutage(error) && (maybeDone === true || code === 'EAI_AGAIN');
	let wait: number;
	if (retryAfterMs !== undefined && (error.kind === 'rateLimited' || isIdempotent)) {
		wait = Math.min(Math.max(retryAfterMs, SHORTEST_ASKED_WAIT_MS), LONGEST_ASKED_WAIT_MS);
	} else if (isIdempotent && isTransient && failures + 1 < attempts) {
		wait = FIRST_BACK_OFF_MS * 2 ** failures;
	} else {
		return undefined;
	}
	const delay = wait + Math.min(wait, WINDOW_MS) * 0.1 * random;
	return elapsedMs + delay > budgetMs ? undefined : delay;
}

/** A user waits for the result, so the request was not sent. That says nothing about the key. */
export const BUSY: ErrorText = {
	message: 'The service is busy with other requests that use this API key',
	description: 'Its rate limit is used up at the moment. Try again in a few seconds.',
};

/**
 * Makes attempts at a request, at the pace that the service allows (§8), until one succeeds or no other may.
 * @param attempt sends the request once; a RequestError may lead to another attempt
 * @param cancel ends every wait; a request that is under way is the attempt's concern
 * @throws RequestError of the last attempt; `busy` when there was none; or what else an attempt throws
 */
export async function withRetries<T>(
	attempt: () => Promise<T>,
	{
		method,
		limiter,
		policy,
		cancel,
	}: { method: Method; limiter: RateLimiter; policy: Policy; cancel: AbortSignal | undefined },
): Promise<T> {
	const startedAt = performance.now();
	const elapsedMs = (): number => performance.now() - startedAt;
	let failures = 0;
	let backOffMs = 0;
	let latest: RequestError | undefined;
	for (;;) {
		const slot = limiter.acquire(policy.budgetMs - elapsedMs(), cancel, backOffMs);
		const release = await slot.catch((error: unknown) => {
			if (error instanceof CancelledError) throw cancelledError(latest?.details.maybeDone === true);
			throw latest ?? new RequestError('busy', BUSY);
		});
		const result = await attempt().finally(release).catch(onlyRequestError);
		if (!(result instanceof RequestError)) return result;
		const maybeDone = result.details.maybeDone === true || latest?.details.maybeDone === true;
		latest = new RequestError(result.kind, result, { ...result.details, maybeDone });
		const wait = retryDelay(latest, { method, failures, elapsedMs: elapsedMs() }, policy);
		if (wait === undefined) throw latest;
		const isRefused = latest.details.retryAfterMs !== undefined;
		if (isRefused) limiter.holdBack(wait);
		failures += isRefused ? 0 : 1;
		backOffMs = isRefused ? 0 : wait;
	}
}

import { REQUEST_TIMEOUT_MS } from './limits';
import { isBadTeam, isNotFound } from './messages';
import { isNotConnected, isNotTrusted, isSuccess, type Attempt, type Headers } from './outcome';
import type { Method } from './send';
import { backOff, retryAfter, waitAfterRateLimit, withJitter } from './retryTiming';

/** How long, and how often, a request is retried. */
export type RetryPolicy = {
	/** How long each slot in the rate limit may take, in milliseconds; without it, as long as it takes. */
	slotMs?: number;
	/** How long one response may take, in milliseconds. */
	requestMs: number;
	/** How long after the first attempt has started another one may start, in milliseconds: after a failure. */
	totalMs: number;
	/** The same after a rejection by the rate limit, which is no failure: another process may use the same key. */
	rateLimitedMs: number;
	/** The maximum number of attempts. Rejections by the rate limit do not count. */
	maxAttempts: number;
	/** The maximum number of rejections by the rate limit. */
	maxRateLimited: number;
};

/** For a request of an execution: a workflow would rather wait than fail. */
export const DEFAULT_POLICY: RetryPolicy = {
	requestMs: REQUEST_TIMEOUT_MS,
	totalMs: 120_000,
	rateLimitedMs: 120_000,
	maxAttempts: 4,
	maxRateLimited: Infinity,
};

/**
 * n8n 2 tries an activation five times, and after 84 s gives up with an error of its own: when the service hangs, the
 * five fit into that time, so that the user gets the node's error.
 */
export const ACTIVATION_POLICY: RetryPolicy = {
	requestMs: 12_000,
	totalMs: 10_000,
	rateLimitedMs: 60_000,
	maxAttempts: 4,
	maxRateLimited: Infinity,
};

/**
 * When n8n starts, the next minute's check can try again. A workflow on which n8n gives up then is not started with the
 * next n8n either.
 */
export const START_POLICY: RetryPolicy = {
	requestMs: 10_000,
	totalMs: 20_000,
	rateLimitedMs: 20_000,
	maxAttempts: 2,
	maxRateLimited: Infinity,
};

/** A user who tests a credential waits for the result: it waits for a few rejections by the rate limit, and no longer. */
export const CREDENTIAL_TEST_POLICY: RetryPolicy = {
	slotMs: 5_000,
	requestMs: REQUEST_TIMEOUT_MS,
	totalMs: 5_000,
	rateLimitedMs: 5_000,
	maxAttempts: 1,
	maxRateLimited: 2,
};

/** A list in the editor: a proxy in front of n8n would give up on a longer one, with an error that says nothing. */
export const EDITOR_POLICY: RetryPolicy = {
	slotMs: 10_000,
	requestMs: 15_000,
	totalMs: 15_000,
	rateLimitedMs: 15_000,
	maxAttempts: 2,
	maxRateLimited: 2,
};

/** The attempts at a request so far. */
export type Progress = {
	failures: number;
	rateLimited: number;
	/** On the clock of `performance.now()`; undefined before the first attempt. */
	startedAt: number | undefined;
};

/** What follows from an attempt: nothing, because it settles the request, or a wait and another attempt. */
export type Next = 'done' | { afterMs: number; because: 'rateLimited' | 'failed' };

/**
 * Decides whether a request is sent again (§8.2, D4, D17): after a rejection by the rate limit always; after a failure on
 * the way or a 5xx only when it may be carried out twice.
 * @param random from 0 to 1: spreads the requests of several processes
 */
export function nextAttempt(
	attempt: Attempt,
	method: Method,
	{ failures, rateLimited, startedAt }: Progress,
	policy: RetryPolicy,
	random: number,
): Next {
	const repeatable = method !== 'POST';
	if (isUsable(attempt)) return 'done';
	const isRateLimited = isRateLimitResponse(attempt, repeatable);
	if (!isRateLimited && !(repeatable && isTransient(attempt))) return 'done';
	const isLast = isRateLimited
		? rateLimited >= policy.maxRateLimited
		: failures + 1 >= policy.maxAttempts;
	if (isLast) return 'done';
	const headers: Headers = attempt.kind === 'response' ? attempt.headers : {};
	const wait = isRateLimited ? waitAfterRateLimit(headers, rateLimited + 1) : backOff(failures + 1);
	const afterMs = withJitter(wait, random);
	const now = performance.now();
	const limitMs = isRateLimited ? policy.rateLimitedMs : policy.totalMs;
	const isTooLate = now + afterMs > (startedAt ?? now) + limitMs;
	return isTooLate ? 'done' : { afterMs, because: isRateLimited ? 'rateLimited' : 'failed' };
}

/** A response that settles a request. 'Webhook not found' does, whatever its status (§7, D5). */
export const isUsable = (attempt: Attempt): boolean =>
	attempt.kind === 'response' && (isSuccess(attempt) || isNotFound(attempt.text));

/** A `Retry-After` of 0, or with a response that waiting cannot change, does not come from the rate limit. */
function isRateLimitResponse(attempt: Attempt, repeatable: boolean): boolean {
	if (attempt.kind !== 'response') return false;
	if (attempt.status === 429) return true;
	const isFinal = attempt.status < 400 || attempt.status === 401 || isBadTeam(attempt.text);
	return repeatable && !isFinal && (retryAfter(attempt.headers) ?? 0) > 0;
}

/** Transient: worth retrying. A name that does not exist or a closed port is not. */
const isTransient = (attempt: Attempt): boolean =>
	mayHaveWorked(attempt) || (attempt.kind === 'unreachable' && attempt.code === 'EAI_AGAIN');

/** Whether the service may have carried out the request although the attempt failed. */
export function mayHaveWorked(attempt: Attempt): boolean {
	if (attempt.kind === 'response') {
		return attempt.status >= 500 && !isBadTeam(attempt.text) && !isNotFound(attempt.text);
	}
	return !isNotConnected(attempt.code) && !isNotTrusted(attempt.code);
}

/** When a request is sent again, and the only loop that does it. */
import { sleep } from 'n8n-workflow';

import { isCancelled, settleRequest, type RequestError } from './errors';
import type { HttpRequest } from './http';
import { isPersonWaiting, type Policy } from './policy';
import { WINDOW_MS } from './rateLimit';
import type { RateLimiter } from './rateLimiter';
import { within } from './within';

/** The wait after the first failure; it doubles after each further one. */
const FIRST_BACK_OFF_MS = 500;

/** The methods whose requests may be carried out twice, because the second time changes nothing more (§4). */
const IDEMPOTENT: ReadonlySet<HttpRequest['method']> = new Set(['GET', 'PUT', 'DELETE']);

/**
 * Whether a request that has failed may be sent again at all (D4, D72). Any request may after a failure that says that the
 * service has not carried it out. After most failures, the service may have carried it out.
 */
export const isRepeatable = (method: HttpRequest['method'], error: RequestError): boolean =>
	error.failure === 'rateLimit' || IDEMPOTENT.has(method);

/** How the attempts at a request have gone. */
type Attempts = { failedAttempts: number; leftMs: number; isEarlierMaybeDone: boolean };

/**
 * Decides when a request that {@link isRepeatable} is sent again (§8.2, D4, D72): after the wait that the service asks for,
 * or after a failure that may pass by itself. It is never sent again after the policy's budget is used up.
 * @param failedAttempts how many attempts have failed, the last one included. One whose response asks for a wait does not
 *   count.
 * @param leftMs how much of the budget is left, in milliseconds
 * @param isEarlierMaybeDone whether the service may have carried out an earlier attempt
 * @param random from 0 to 1, to spread the requests of several processes: those that use the same key are refused together,
 *   and would all send again at the same moment (D107). After the wait that the service asks for, the requests of users are
 *   spread over the first tenth of a window. All others are spread over one window, so most of them come later.
 * @returns how long to wait before it is sent again, in milliseconds; undefined when it is not sent again
 */
export function retryDelay(
	error: RequestError,
	{ failedAttempts, leftMs, isEarlierMaybeDone }: Attempts,
	policy: Policy,
	random = Math.random(),
): number | undefined {
	const { askedMs, code } = error.details;
	// A host that refuses connections, or does not exist, will do so again, unless an earlier attempt may have reached the
	// service: then the service may be restarting.
	const mayBeRestarting = error.isOutage && isEarlierMaybeDone;
	// A name server that does not respond (EAI_AGAIN) has failed for a moment.
	const isTransient = error.passes || mayBeRestarting || code === 'EAI_AGAIN';
	let delay: number;
	if (askedMs !== undefined) {
		delay = askedMs + WINDOW_MS * random * (isPersonWaiting(policy) ? 0.1 : 1);
	} else if (isTransient && failedAttempts < policy.attempts) {
		const wait = FIRST_BACK_OFF_MS * 2 ** (failedAttempts - 1);
		delay = wait * (1 + 0.1 * random);
	} else {
		return undefined;
	}
	return delay > leftMs ? undefined : delay;
}

/** What {@link withRetries} needs to know of a request. */
type Retries = {
	method: HttpRequest['method'];
	limiter: RateLimiter;
	policy: Policy;
	signal: AbortSignal | undefined;
};

/**
 * Makes attempts at a request, at the pace that the service allows (§8), until one succeeds or no other may follow.
 * @param attempt sends the request once; a RequestError may lead to another attempt
 * @param retries.signal ends every wait; a request that is under way is the attempt's concern
 * @throws RequestError of the last attempt; `busy` or `cancelled` when there was no slot; any other error that an attempt
 *   throws
 */
export async function withRetries<T>(
	attempt: () => Promise<T>,
	{ method, limiter, policy, signal }: Retries,
): Promise<T> {
	const madeAt = performance.now();
	/** No attempt begins later than this. */
	let deadline = madeAt + policy.budgetMs;
	let failedAttempts = 0;
	let latest: RequestError | undefined;

	while (true) {
		const queuedAt = performance.now();
		const longestMs = policy.isQueueCounted ? deadline - queuedAt : Infinity;
		const slot = await settleRequest(limiter.acquire({ policy, madeAt, longestMs, signal }));
		if (!slot.ok) {
			// Why the last attempt has failed says more than that there was no slot for another one.
			if (latest && !isCancelled(slot.error)) throw latest;
			throw withEarlierAttempt(latest, slot.error);
		}
		const release = slot.value;
		// If the time in the queue does not count, the deadline is later by as much.
		if (!policy.isQueueCounted) deadline += performance.now() - queuedAt;

		const outcome = await settleRequest(attempt().finally(release));
		if (outcome.ok) return outcome.value;

		const isEarlierMaybeDone = latest?.maybeDone === true;
		latest = withEarlierAttempt(latest, outcome.error);
		if (!isRepeatable(method, latest)) throw latest;

		// A response that asks for a wait does not count as a failure.
		if (latest.details.askedMs === undefined) failedAttempts += 1;

		const leftMs = deadline - performance.now();
		const delay = retryDelay(latest, { failedAttempts, leftMs, isEarlierMaybeDone }, policy);
		if (delay === undefined) throw latest;
		const pause = within({ signal }, async () => await sleep(Math.ceil(delay)));
		const paused = await settleRequest(pause);
		if (!paused.ok) throw withEarlierAttempt(latest, paused.error);
	}
}

/** The error with which a request ends now: an earlier attempt may have been carried out, whatever has failed since. */
const withEarlierAttempt = (
	earlier: RequestError | undefined,
	error: RequestError,
): RequestError => (earlier?.maybeDone ? error.asMaybeDone() : error);

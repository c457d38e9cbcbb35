/** One request to the service: sent, and sent again, until there is its result or an error. */
import { sleep } from 'n8n-workflow';

import type { ServiceCredential } from './credential';
import { isCancelled, settleRequest, type RequestError } from './errors';
import { isSuccess, type HttpRequest, type Send } from './http';
import { isPersonWaiting, ITEM, type Policy } from './policy';
import { countedByService, isLimitUsedUp, WINDOW_MS } from './rateLimit';
import type { RateLimiter } from './rateLimiter';
import { readResponse, type ResponseReading } from './response';
import { within } from './within';

/** A credential that was read, and what its requests go through. */
export type Connection = {
	credential: ServiceCredential;
	/** All requests of an account share it. */
	limiter: RateLimiter;
	send: Send;
};

/** A request to a route of the service. */
export type ApiRequest<T> = Pick<HttpRequest, 'method' | 'qs' | 'body'> &
	ResponseReading<T> & {
		/** The path below the base URL, with its leading slash and already encoded. */
		path: string;
		/** How long the response may take, in milliseconds, if not as long as the policy says. */
		timeoutMs?: number | undefined;
		/** Called each time the request is sent: from then on, the service may carry it out. */
		onSent?: (() => void) | undefined;
		/** Called each time the service has responded without the result. The request may be sent again. */
		onFailedAttempt?: ((error: RequestError) => void) | undefined;
	};

/** What all requests of a client have in common. */
export type RequestOptions = {
	/** Cancels the requests of an execution that the user stops, or of a change of a trigger's webhooks. */
	signal?: AbortSignal | undefined;
	/** How requests are retried; without it, as for an item of an execution. */
	policy?: Policy;
};

/** The maximum number of bytes that are read of a success, and of any other response (D68). */
const MAX_SUCCESS_BYTES = 16 * 1024 * 1024;
const MAX_OTHER_BYTES = 64 * 1024;

/** The wait after the first failure; it doubles after each further one. */
const FIRST_BACK_OFF_MS = 500;

/** The methods whose requests may be carried out twice, because the second time changes nothing more (§4). */
const IDEMPOTENT: ReadonlySet<HttpRequest['method']> = new Set(['GET', 'PUT', 'DELETE']);

/** How the attempts at a request have gone. */
type Attempts = {
	method: HttpRequest['method'];
	policy: Policy;
	/** How many attempts have failed, the last one included. One whose response asks for a wait does not count. */
	failed: number;
	/** How much of the budget is left, in milliseconds. */
	leftMs: number;
};

/**
 * The retry policy (§8.2, D4, D72): when a request that has failed is sent again.
 * @param random from 0 to 1, to spread the requests of several processes: those that use the same key are refused together,
 *   and would all send again at the same moment (D107)
 * @returns how long to wait before it is sent again, in milliseconds; undefined when it is not sent again
 */
export function retryDelay(
	error: RequestError,
	{ method, policy, failed, leftMs }: Attempts,
	random = Math.random(),
): number | undefined {
	const { details, passes, maybeDone } = error;
	// Waiting does not make a key valid, even if the response asks for it.
	if (!passes) return undefined;
	// Whatever was not sent, or was refused by the limit, was not carried out.
	if (maybeDone && !IDEMPOTENT.has(method)) return undefined;

	let delay: number;
	if (details.askedMs !== undefined) {
		// The requests of users are spread over the first tenth of a window, all others over one window: most of these come later.
		delay = details.askedMs + WINDOW_MS * random * (isPersonWaiting(policy) ? 0.1 : 1);
	} else if (failed < policy.attempts) {
		delay = FIRST_BACK_OFF_MS * 2 ** (failed - 1) * (1 + 0.1 * random);
	} else {
		return undefined;
	}
	return delay > leftMs ? undefined : delay;
}

/**
 * Sends a request until it has a result, or an error that no other attempt would change, at the pace that the service allows
 * (§8).
 * @returns what the request reads from the response
 * @throws RequestError of the last attempt; `rateLimit` or `cancelled` when there was no slot; n8n's own error when n8n does not
 *   send it
 */
export async function sendRequest<T>(
	request: ApiRequest<T>,
	connection: Connection,
	{ policy = ITEM, signal }: RequestOptions,
): Promise<T> {
	const { method } = request;
	const madeAt = performance.now();
	/** No attempt begins later than this. */
	let deadline = madeAt + policy.budgetMs;
	let failed = 0;
	let latest: RequestError | undefined;
	/** The error with which the request ends: an earlier attempt may have been carried out, whatever has failed since. */
	const withEarlier = (error: RequestError): RequestError =>
		latest?.maybeDone ? error.asMaybeDone() : error;

	while (true) {
		const queuedAt = performance.now();
		const longestMs = policy.isQueueCounted ? deadline - queuedAt : Infinity;
		const slot = await settleRequest(
			connection.limiter.acquire({ policy, madeAt, longestMs, signal }),
		);
		if (!slot.ok) {
			// Why the last attempt has failed says more than that there was no slot for another one.
			throw latest && !isCancelled(slot.error) ? latest : withEarlier(slot.error);
		}
		// If the time in the queue does not count, the deadline is later by as much.
		if (!policy.isQueueCounted) deadline += performance.now() - queuedAt;

		const attempt = sendOnce(request, connection, { policy, signal });
		const outcome = await settleRequest(attempt.finally(slot.value));
		if (outcome.ok) return outcome.value;
		latest = withEarlier(outcome.error);

		// A response that asks for a wait does not count as a failure.
		if (latest.details.askedMs === undefined) failed += 1;
		const leftMs = deadline - performance.now();
		const delay = retryDelay(latest, { method, policy, failed, leftMs });
		if (delay === undefined) throw latest;
		const pause = within({ signal }, async () => await sleep(Math.ceil(delay)));
		const paused = await settleRequest(pause);
		if (!paused.ok) throw withEarlier(paused.error);
	}
}

/**
 * Sends a request once.
 * @throws RequestError when there is no response, or none with the result
 */
async function sendOnce<T>(
	request: ApiRequest<T>,
	{ credential, limiter, send }: Connection,
	{ policy, signal }: { policy: Policy; signal: AbortSignal | undefined },
): Promise<T> {
	const { method, path, qs, body } = request;
	const httpRequest: HttpRequest = {
		method,
		url: `${credential.baseUrl}${path}`,
		qs,
		body,
		headers: { Accept: 'application/json' },
		timeoutMs: request.timeoutMs ?? policy.timeoutMs,
		maxBytes: (status) => (isSuccess(status) ? MAX_SUCCESS_BYTES : MAX_OTHER_BYTES),
	};
	// A POST or a PATCH cannot be taken back: if it were cut off, nobody would know its outcome.
	const isCancellable = method !== 'POST' && method !== 'PATCH';
	const startedAt = performance.now();
	request.onSent?.();
	const response = await send(httpRequest, isCancellable ? signal : undefined);

	const counted = countedByService(response);
	if (counted !== undefined) limiter.compare(counted, startedAt);
	const outcome = readResponse(response, request, credential);
	if (outcome.ok) return outcome.value;
	// All requests with the key wait if it is the limit that asks for it, even if this one is not sent again. Any other wait is
	// that of this request alone (D115).
	const { askedMs } = outcome.error.details;
	if (askedMs !== undefined && isLimitUsedUp(response)) limiter.refuse(askedMs);
	request.onFailedAttempt?.(outcome.error);
	throw outcome.error;
}

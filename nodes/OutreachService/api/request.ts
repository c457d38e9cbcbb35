/** One request to the service: sent, and sent again, until there is its result or an error. */
import type { ServiceCredential } from './credential';
import type { RequestError } from './errors';
import { isSuccess, type HttpRequest, type Send } from './http';
import { ITEM, type Policy } from './policy';
import type { RateLimiter } from './rateLimiter';
import { readResponse, type ResponseReading } from './response';
import { withRetries } from './retry';

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
		/** The maximum number of bytes that are read of a success; without it, as few as of an error. */
		maxBytes?: number;
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

/** The maximum number of bytes that are read of an error, and of a success that says no other maximum (D68). */
const MAX_OTHER_BYTES = 64 * 1024;

/**
 * Sends a request until it has a result, or an error that no other attempt would change.
 * @returns what the request reads from the response
 * @throws RequestError when it fails; n8n's own error when n8n does not send it
 */
export async function sendRequest<T>(
	request: ApiRequest<T>,
	connection: Connection,
	{ policy = ITEM, signal }: RequestOptions,
): Promise<T> {
	const { method, timeoutMs = policy.timeoutMs } = request;
	// A POST or a PATCH cannot be taken back: if it were cut off, nobody would know its outcome.
	const isCancellable = method !== 'POST' && method !== 'PATCH';
	const attemptSignal = isCancellable ? signal : undefined;
	const attempt = async (): Promise<T> =>
		await sendOnce({ ...request, timeoutMs }, connection, attemptSignal);
	const { limiter } = connection;
	return await withRetries(attempt, { method, limiter, policy, signal });
}

/**
 * Sends a request once.
 * @throws RequestError when there is no response, or none with the result
 */
async function sendOnce<T>(
	request: ApiRequest<T> & { timeoutMs: number },
	{ credential, limiter, send }: Connection,
	signal: AbortSignal | undefined,
): Promise<T> {
	const startedAt = performance.now();
	request.onSent?.();
	const response = await send(httpRequestFor(request, credential), signal);

	// The response says how much of the rate limit is used, whatever else it says.
	limiter.learn(response, startedAt);
	const outcome = readResponse(response, request, credential);
	if (outcome.ok) return outcome.value;
	// All requests with this key wait as long as the service asks, even if this one is not sent again.
	const { askedMs } = outcome.error.details;
	if (askedMs !== undefined) limiter.holdBack(askedMs);
	request.onFailedAttempt?.(outcome.error);
	throw outcome.error;
}

/** The HTTP request that is sent for a request. */
const httpRequestFor = <T>(
	{
		method,
		path,
		qs,
		body,
		timeoutMs,
		maxBytes = MAX_OTHER_BYTES,
	}: ApiRequest<T> & { timeoutMs: number },
	{ baseUrl }: ServiceCredential,
): HttpRequest => ({
	method,
	url: `${baseUrl}${path}`,
	qs,
	body,
	headers: { Accept: 'application/json' },
	timeoutMs,
	maxBytes: (status) => (isSuccess(status) ? maxBytes : MAX_OTHER_BYTES),
});

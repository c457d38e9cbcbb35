/** Requests to the target URLs of webhooks: not the service, so without its credential and its rate limiter. */
import type { IHttpRequestOptions, RequestHelperFunctions } from 'n8n-workflow';

import { normalizeUrl } from '../model/targetUrl';
import { Slots } from '../utils/slots';
import { CONCURRENCY } from '../utils/mapConcurrently';
import { settle } from '../utils/settle';
import { CancelledError } from './cancellation';
import { withDeadline } from './deadline';
import { RequestError } from './errors';
import { REQUEST_TIMEOUT_MS } from './limits';
import type { Unreachable } from './outcome';
import { failureCode, readResponse, type RawResponse } from './send';

/** How long a target URL may take to respond to a question, in milliseconds. */
export const ASK_TIMEOUT_MS = 5_000;

/** How long a request may take, and how much of the response's body is read, in bytes: n8n's words for an unknown path. */
const ASK = { timeoutMs: ASK_TIMEOUT_MS, longest: 4_096 };
const POST = { timeoutMs: REQUEST_TIMEOUT_MS, longest: 0 };

/** n8n's protection against server-side request forgery does not let the request out. */
export type Blocked = { kind: 'blocked' };

export type TargetResponse = RawResponse | Unreachable | Blocked;

/**
 * The target URLs of an execution. No request follows a redirect, so that nothing reaches another host than the webhook
 * names.
 */
export type Targets = {
	/**
	 * Asks with `OPTIONS` what a URL accepts, which starts nothing there. Each URL is asked once in an execution, at most
	 * {@link CONCURRENCY} at a time.
	 * @throws RequestError when the execution is stopped
	 */
	ask(url: string): Promise<TargetResponse>;
	/**
	 * Posts JSON, as the service does (§6.3).
	 * @throws RequestError when the execution is stopped
	 */
	post(url: string, body: object): Promise<TargetResponse>;
};

type Details = Pick<IHttpRequestOptions, 'headers'> & { body?: object };

/**
 * Whether n8n's protection against server-side request forgery did not let a request out. Its helper rejects with an
 * error of its own, or with one of axios that has it as its cause.
 */
export function isBlocked(error: unknown): boolean {
	if (!(error instanceof Error)) return false;
	return error.name.startsWith('SsrfBlocked') || isBlocked(error.cause);
}

/** n8n lists the methods of a webhook only for a request with an origin. That of the URL itself tells its host nothing. */
const originOf = (url: string): string => new URL(url).origin;

/** @param signal of the execution, which the user may stop */
export function createTargets(
	ctx: { helpers: Pick<RequestHelperFunctions, 'httpRequest'> },
	signal: AbortSignal | undefined,
): Targets {
	const slots = new Slots(CONCURRENCY);
	const asked = new Map<string, Promise<TargetResponse>>();

	const sendOnce = async (
		method: 'OPTIONS' | 'POST',
		url: string,
		{ timeoutMs, longest }: { timeoutMs: number; longest: number },
		details: Details,
	): Promise<TargetResponse> => {
		const transport = async (abandoned: AbortSignal): Promise<RawResponse> => {
			const options: IHttpRequestOptions = {
				url,
				...details,
				encoding: 'stream',
				timeout: timeoutMs,
				returnFullResponse: true,
				ignoreHttpStatusErrors: true,
				disableFollowRedirect: true,
				abortSignal: abandoned,
			};
			// The types of n8n do not list OPTIONS; its helper sends whatever method it is given.
			const response: unknown = await ctx.helpers.httpRequest(Object.assign(options, { method }));
			return await readResponse(response, () => longest, abandoned);
		};
		const sent = await settle(withDeadline(timeoutMs, signal, transport));
		if (sent.ok) return sent.value;
		if (sent.error instanceof CancelledError) {
			const { mayHaveWorked } = sent.error;
			throw RequestError.of({ kind: 'cancelled', mayHaveWorked }, '');
		}
		if (isBlocked(sent.error)) return { kind: 'blocked' };
		const code = failureCode(sent.error);
		if (code === undefined) throw sent.error;
		return { kind: 'unreachable', code };
	};

	return {
		ask: async (url) => {
			const key = normalizeUrl(url);
			const response =
				asked.get(key) ??
				slots.run(
					async () => await sendOnce('OPTIONS', url, ASK, { headers: { Origin: originOf(url) } }),
				);
			asked.set(key, response);
			return await response;
		},
		post: async (url, body) =>
			await sendOnce('POST', url, POST, {
				headers: { 'Content-Type': 'application/json' },
				body,
			}),
	};
}

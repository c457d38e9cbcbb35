import { sleep } from 'n8n-workflow';

import { cancelSignal, type ServiceContext } from './context';
import { hostOf, readCredential } from './credential';
import { apiError, isNotFound, type Outcome } from './errors';
import { limiterFor } from './rateLimit';
import { backOff, hasRetryAfter, waitAfterRefusal, withJitter, type Headers } from './retryTiming';
import { send, type ApiRequest } from './send';

/** How long a request is repeated at the most, waiting included, in milliseconds. */
export const TOTAL_TIMEOUT_MS = 120_000;
/** How often a request that failed on the way is sent at the most. Refusals for the limit do not count. */
const MAX_ATTEMPTS = 4;

/**
 * An answer with a 2xx status (D2) or one that the caller takes, or the text 'Webhook not found', which callers
 * take in different ways (D5).
 */
export type ApiAnswer = {
	status: number;
	text: string;
	headers: Headers;
	/** An earlier try failed on the way, and may have done the work already. */
	repeated: boolean;
};

/** A POST that may have been carried out although no answer came: the caller has to look (D17). */
export type Uncertain = { uncertain: Outcome };

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
	signal?.throwIfAborted();
	if (!signal) {
		await sleep(ms);
		return;
	}
	let stop: () => void = () => undefined;
	const aborted = new Promise<void>((resolve) => {
		stop = resolve;
		signal.addEventListener('abort', stop, { once: true });
	});
	await Promise.race([sleep(ms), aborted]);
	signal.removeEventListener('abort', stop);
	signal.throwIfAborted();
}

/**
 * Sends a request at the pace that the service allows (§8) and repeats it where that is safe:
 * a refusal for the limit always; a failure on the way or a 5xx only for GET and DELETE (D4, D17).
 * @returns the answer; for a POST that failed on the way `{uncertain}`, because it may have been carried out
 * @throws NodeApiError that says what happened and what to do
 */
export async function apiRequest(
	ctx: ServiceContext,
	request: ApiRequest,
): Promise<ApiAnswer | Uncertain> {
	const credential = await readCredential(ctx);
	const limiter = limiterFor(credential);
	const signal = cancelSignal(ctx);
	const repeatable = request.method !== 'POST';
	const deadline = performance.now() + TOTAL_TIMEOUT_MS;

	for (let attempt = 1; ; ) {
		const done = await limiter.acquire(signal);
		const { headers, ...outcome } = await send(ctx, request, credential).finally(done);
		if (outcome.kind === 'answer' && isTaken(outcome, request)) {
			return { status: outcome.status, text: outcome.text, headers, repeated: attempt > 1 };
		}
		let wait: number;
		if (isRefusal(outcome, headers, repeatable)) {
			wait = withJitter(waitAfterRefusal(headers), Math.random());
			limiter.holdBack(wait);
		} else if (isPassing(outcome) && repeatable && attempt < MAX_ATTEMPTS) {
			wait = withJitter(backOff(attempt), Math.random());
			attempt += 1;
		} else if (!repeatable && mayHaveWorked(outcome)) {
			return { uncertain: outcome };
		} else {
			throw apiError(ctx.getNode(), outcome, hostOf(credential), { itemIndex: request.itemIndex });
		}
		if (performance.now() + wait > deadline) {
			throw apiError(ctx.getNode(), outcome, hostOf(credential), { itemIndex: request.itemIndex });
		}
		await pause(wait, signal);
	}
}

const isTaken = (
	{ status, text }: { status: number; text: string },
	{ takes }: ApiRequest,
): boolean =>
	(status >= 200 && status < 300) || isNotFound(text) || takes?.includes(status) === true;

function isRefusal(outcome: Outcome, headers: Headers, repeatable: boolean): boolean {
	if (outcome.kind !== 'answer') return false;
	return outcome.status === 429 || (repeatable && outcome.status >= 400 && hasRetryAfter(headers));
}

/** Gone the next time, with some luck. A name that does not exist or a closed port is not worth a wait. */
function isPassing(outcome: Outcome): boolean {
	if (outcome.kind === 'answer') return outcome.status >= 500;
	return (
		!['ENOTFOUND', 'ECONNREFUSED'].includes(outcome.code) && !/CERT|TLS|EPROTO/.test(outcome.code)
	);
}

/** Whether a POST can have been carried out although its answer is missing or a 5xx. */
function mayHaveWorked(outcome: Outcome): boolean {
	if (outcome.kind === 'answer') return outcome.status >= 500;
	return !['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED'].includes(outcome.code);
}

import type { NodeApiError } from 'n8n-workflow';

import { isBadTeam, isNotFound } from './messages';
import { CancelledError, firstOf } from './cancellation';
import { cancelSignal, pause, type ServiceContext } from './context';
import { confidentialIn, hostOf, readCredential } from './credential';
import {
	apiError,
	isNobodyThere,
	isNotTrusted,
	REQUEST_TIMEOUT_MS,
	type ErrorDetails,
	type Outcome,
} from './errors';
import { limiterFor } from './rateLimiter';
import { backOff, retryAfter, waitAfterRefusal, withJitter, type Headers } from './retryTiming';
import { send, type ApiRequest } from './send';
import { settle } from '../utils/settle';

/** The maximum number of attempts at a request. Refusals by the rate limit do not count. */
const MAX_ATTEMPTS = 4;

/** In milliseconds: how long one answer may take, and how long after its start a request may be repeated. */
export type Patience = { requestMs: number; totalMs: number };
const PATIENCE: Patience = { requestMs: REQUEST_TIMEOUT_MS, totalMs: 120_000 };

/**
 * An answer with a 2xx status (D2) or one that the caller takes, or the text 'Webhook not found', which callers
 * take in different ways (D5).
 */
export type ApiAnswer = {
	status: number;
	text: string;
	headers: Headers;
	/** An earlier try failed, and may have done the work all the same. */
	repeated: boolean;
};

/** A POST that may have been carried out although no answer came: the caller has to look (D17). */
export type Uncertain = { uncertain: Outcome };

/**
 * Sends a request at the pace that the service allows (§8) and repeats it where that is safe:
 * a refusal for the limit always; a failure on the way or a 5xx only for GET and DELETE (D4, D17).
 * @returns the answer; for a POST that failed on the way `{uncertain}`, because it may have been carried out
 * @throws NodeApiError that says what happened and what to do; CancelledError
 */
export async function apiRequest(
	ctx: ServiceContext,
	request: ApiRequest & { method: 'GET' | 'DELETE' },
	patience?: Patience,
): Promise<ApiAnswer>;
export async function apiRequest(
	ctx: ServiceContext,
	request: ApiRequest,
	patience?: Patience,
): Promise<ApiAnswer | Uncertain>;
export async function apiRequest(
	ctx: ServiceContext,
	request: ApiRequest,
	patience: Patience = PATIENCE,
): Promise<ApiAnswer | Uncertain> {
	const progress = { repeated: false };
	const result = await settle(sendUntilDone(ctx, request, patience, progress));
	if (result.ok) return result.value;
	const { error } = result;
	throw error instanceof CancelledError && progress.repeated ? new CancelledError(true) : error;
}

/** @param progress told when a try has failed that may have done the work all the same */
async function sendUntilDone(
	ctx: ServiceContext,
	request: ApiRequest,
	{ requestMs, totalMs }: Patience,
	progress: { repeated: boolean },
): Promise<ApiAnswer | Uncertain> {
	const credential = await readCredential(ctx);
	const limiter = limiterFor(credential);
	const { cancellable = 'always' } = request;
	let signal = cancellable === 'never' ? undefined : firstOf(cancelSignal(ctx), request.signal);
	const repeatable = request.method !== 'POST';
	let deadline: number | undefined;
	let failures = 0;
	let refusals = 0;

	for (;;) {
		const done = await limiter.acquire(signal);
		if (cancellable === 'untilSent') signal = undefined;
		// The wait for the first slot does not count: a long queue is not the service's fault.
		deadline ??= performance.now() + totalMs;
		const how = { timeoutMs: requestMs, signal };
		const { headers, ...outcome } = await send(ctx, request, credential, how).finally(done);
		if (outcome.kind === 'answer' && isTaken(outcome, request)) {
			const { status, text } = outcome;
			return { status, text, headers, repeated: progress.repeated };
		}
		const refused = isRefusal(outcome, headers, repeatable);
		if (!refused && !repeatable && mayHaveWorked(outcome)) return { uncertain: outcome };
		if (refused) refusals += 1;
		else failures += 1;
		const wait = withJitter(
			refused ? waitAfterRefusal(headers, refusals) : backOff(failures),
			Math.random(),
		);
		const again = refused || (repeatable && isPassing(outcome) && failures < MAX_ATTEMPTS);
		progress.repeated ||= mayHaveWorked(outcome);
		if (!again || performance.now() + wait > deadline) {
			const hint = progress.repeated ? request.hintIfUncertain : undefined;
			throw await failureOf(ctx, request, outcome, hint);
		}
		if (refused) limiter.holdBack(wait);
		else await pause(wait, signal);
	}
}

/** The error for what came of a request. What the request carried in confidence is not in it. */
export async function failureOf(
	ctx: ServiceContext,
	{ itemIndex, body }: ApiRequest,
	outcome: Outcome,
	hint?: ErrorDetails['hint'],
): Promise<NodeApiError> {
	const credential = await readCredential(ctx);
	const secret = typeof body?.secret === 'string' ? body.secret : '';
	const confidential = [...confidentialIn(credential), secret];
	return apiError(ctx.getNode(), outcome, hostOf(credential), { itemIndex, hint, confidential });
}

const isTaken = (answer: { status: number; text: string }, { takes }: ApiRequest): boolean =>
	(answer.status >= 200 && answer.status < 300) ||
	isNotFound(answer.text) ||
	takes?.(answer) === true;

/** A service that sends `Retry-After` with every answer does not refuse with a 0 in it, nor with what waiting cannot heal. */
function isRefusal(outcome: Outcome, headers: Headers, repeatable: boolean): boolean {
	if (outcome.kind !== 'answer') return false;
	if (outcome.status === 429) return true;
	const isFinal = outcome.status < 400 || outcome.status === 401 || isBadTeam(outcome.text);
	return repeatable && !isFinal && (retryAfter(headers) ?? 0) > 0;
}

/** Transient: worth retrying. A name that does not exist or a closed port is not. */
function isPassing(outcome: Outcome): boolean {
	if (outcome.kind === 'answer') return outcome.status >= 500 && !isBadTeam(outcome.text);
	if (outcome.code === 'EAI_AGAIN') return true;
	return !isNobodyThere(outcome.code) && !isNotTrusted(outcome.code);
}

/** Whether the work can have been done although the answer is missing or a 5xx. */
function mayHaveWorked(outcome: Outcome): boolean {
	if (outcome.kind === 'answer') return outcome.status >= 500 && !isBadTeam(outcome.text);
	return !isNobodyThere(outcome.code) && !isNotTrusted(outcome.code);
}

import type { ServiceCredential } from '../model/schemas';
import { settle } from '../utils/settle';
import { CancelledError, pause } from './cancellation';
import { confidentialIn } from './credential';
import { DeadlineError, withDeadline } from './deadline';
import type { Delays } from './delays';
import { isSuccess, type Attempt, type Outcome, type Unreachable } from './outcome';
import { quoteOf } from './quote';
import type { RateLimiter } from './rateLimiter';
import {
	isUsable,
	mayHaveWorked,
	nextAttempt,
	type RetryPolicy,
	type Progress,
} from './retryPolicy';
import { send, type ApiRequest, type RawResponse, type Transport } from './send';

/** What all requests of a client share. */
export type Connection = {
	transport: Transport;
	credential: ServiceCredential;
	limiter: RateLimiter;
	policy: RetryPolicy;
	/** Told of each request that is sent again. */
	delays: Delays;
};

/**
 * When a request heeds the cancellation: `always`, only `untilSent` (the wait for a slot in the rate limit ends, but a
 * request that the service may have received runs to its end), or `never`.
 */
export type Cancellable = 'always' | 'untilSent' | 'never';

/**
 * Sends a request at the pace that the service allows (§8), and again where that is safe. This is the only loop around
 * {@link send}: nodes, list search and credential test all come through here.
 * @param signal cancels the request
 * @throws n8n's error when n8n did not send it at all
 */
export async function request(
	connection: Connection,
	what: ApiRequest,
	{
		signal,
		cancellable = 'always',
	}: { signal?: AbortSignal | undefined; cancellable?: Cancellable },
): Promise<Outcome> {
	const progress: Sent = {
		...{ failures: 0, rateLimited: 0, startedAt: undefined },
		...{ mayHaveWorked: false, latest: undefined },
	};
	const heeded = cancellable === 'never' ? undefined : signal;
	const result = await settle(attemptUntilDone(connection, what, heeded, cancellable, progress));
	if (result.ok) return result.value;
	if (result.error instanceof DeadlineError) return progress.latest ?? { kind: 'busy' };
	if (!(result.error instanceof CancelledError)) throw result.error;
	const inFlight = result.error.mayHaveWorked;
	return { kind: 'cancelled', mayHaveWorked: inFlight || progress.mayHaveWorked };
}

/** What became of a request so far. */
type Sent = Progress & {
	/** Whether the service may have carried it out. */
	mayHaveWorked: boolean;
	/** What the latest attempt ended in; undefined while nothing was sent. */
	latest: Outcome | undefined;
};

/** @throws DeadlineError when there is none in time */
async function slotIn(
	limiter: RateLimiter,
	{ slotMs }: RetryPolicy,
	signal: AbortSignal | undefined,
): Promise<() => void> {
	if (slotMs === undefined) return await limiter.acquire(signal);
	return await withDeadline(slotMs, signal, async (abandoned) => await limiter.acquire(abandoned));
}

/** @param progress told of each attempt, also when a cancellation ends this early */
async function attemptUntilDone(
	{ transport, credential, limiter, policy, delays }: Connection,
	what: ApiRequest,
	signal: AbortSignal | undefined,
	cancellable: Cancellable,
	progress: Sent,
): Promise<Outcome> {
	let heeded = signal;
	for (;;) {
		const release = await slotIn(limiter, policy, heeded);
		if (cancellable === 'untilSent') heeded = undefined;
		// The wait for the first slot does not count: a long queue is not the service's fault.
		progress.startedAt ??= performance.now();
		const how = { timeoutMs: policy.requestMs, signal: heeded };
		const received = await send(transport, what, credential, how).finally(release);
		const attempt = asAttempt(received, what, credential, progress.mayHaveWorked);
		const next = nextAttempt(attempt, what.method, progress, policy, Math.random());
		progress.mayHaveWorked ||= mayHaveWorked(attempt);
		const changes = what.method !== 'GET';
		const isUncertain = changes && progress.mayHaveWorked && !isUsable(attempt);
		progress.latest = isUncertain ? { kind: 'uncertain', cause: attempt } : attempt;
		if (next === 'done') return progress.latest;
		delays.add(attempt, next.afterMs);
		if (next.because === 'rateLimited') {
			progress.rateLimited += 1;
			limiter.holdBack(next.afterMs);
		} else {
			progress.failures += 1;
			await pause(next.afterMs, heeded);
		}
	}
}

/** A service may repeat in an error what was sent to it: an error quotes nothing that is confidential. */
function asAttempt(
	received: RawResponse | Unreachable,
	{ body }: ApiRequest,
	credential: ServiceCredential,
	repeated: boolean,
): Attempt {
	if (received.kind === 'unreachable') return received;
	if (isSuccess(received)) return { ...received, repeated };
	const secret = typeof body?.secret === 'string' ? body.secret : '';
	const quote = quoteOf(received.text, [...confidentialIn(credential), secret]);
	return { ...received, quote, repeated };
}

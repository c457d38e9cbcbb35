import type { IHttpRequestOptions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { z } from 'zod';

import type { ServiceCredential } from '../model/schemas';
import { CancelledError } from './cancellation';
import { withCancelSignal, type ServiceContext } from './context';
import { CREDENTIAL_TYPE } from './credential';
import { withDeadline } from './deadline';
import type { Outcome } from './errors';
import type { Headers } from './retryTiming';
import { settle } from '../utils/settle';

export type ApiRequest = {
	method: 'GET' | 'POST' | 'DELETE';
	/** Below the base URL, with its leading slash and already encoded. */
	path: string;
	qs?: Record<string, string | number | boolean>;
	body?: Record<string, string | number | boolean>;
	/** Error answers that the caller takes as they are. */
	takes?: (answer: { status: number; text: string }) => boolean;
	/** What an error says when a try that failed may have done the work all the same. */
	hintIfUncertain?: string;
} & Where;

/**
 * When a request heeds a cancellation: `always`, only `untilSent` (the wait for its turn in the limit ends, but a
 * request that the service may have received runs to its end), or `never`.
 */
export type Cancellable = 'always' | 'untilSent' | 'never';

/** For whom a request is sent. */
export type Where = {
	/** For the error of this item, when there are several. */
	itemIndex?: number | undefined;
	/** Cancels the request, as stopping the execution does; for contexts that have no execution. */
	signal?: AbortSignal | undefined;
	/** Without it: `always`. */
	cancellable?: Cancellable | undefined;
};

const answerSchema = z.object({
	statusCode: z.number(),
	body: z.unknown(),
	headers: z.record(z.string(), z.unknown()),
});

const failureSchema = z.object({
	code: z.string().optional().catch(undefined),
	httpCode: z.string().nullish().catch(undefined),
	cause: z
		.object({ code: z.string().optional().catch(undefined) })
		.optional()
		.catch(undefined),
});

/** n8n wraps what axios threw; the code of the connection is in one of three places. */
export function failureCode(error: unknown): string | undefined {
	const parsed = failureSchema.safeParse(error);
	if (!parsed.success) return undefined;
	const { cause, code, httpCode } = parsed.data;
	return cause?.code ?? code ?? httpCode ?? undefined;
}

/**
 * Sends one request, once (§5.3).
 * @param timeoutMs how long the whole response may take, in milliseconds
 * @returns the response with whatever status it has, or the code of what went wrong on the way
 * @throws CancelledError; NodeOperationError when n8n did not send it at all, for lack of a credential
 */
export async function send(
	ctx: ServiceContext,
	{ method, path, qs, body }: ApiRequest,
	credential: ServiceCredential,
	{ timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal | undefined },
): Promise<Outcome & { headers: Headers }> {
	const options: IHttpRequestOptions = {
		method,
		url: `${credential.baseUrl}${path}`,
		...(qs && Object.keys(qs).length > 0 ? { qs } : {}),
		...(body ? { body } : {}),
		headers: {
			Accept: 'application/json',
			...(body ? { 'Content-Type': 'application/json' } : {}),
		},
		encoding: 'text',
		timeout: timeoutMs,
		returnFullResponse: true,
		// Every status is a response here: n8n would send a 401 twice, and lose text bodies (§7).
		ignoreHttpStatusErrors: true,
		// A redirect would carry the credential to whatever host it names.
		disableFollowRedirect: true,
	};
	const request = async (abortSignal: AbortSignal): Promise<unknown> =>
		await ctx.helpers.httpRequestWithAuthentication.call(
			withCancelSignal(ctx, abortSignal),
			CREDENTIAL_TYPE,
			{ ...options, abortSignal },
			// Handed over, so that n8n does not read it from its database again for every request.
			{ credentialsDecrypted: { id: '', name: '', type: CREDENTIAL_TYPE, data: credential } },
		);
	const sent = await settle(withDeadline(timeoutMs, signal, request));
	if (sent.ok) {
		const { statusCode, body: answer, headers } = answerSchema.parse(sent.value);
		const text = typeof answer === 'string' ? answer : answer == null ? '' : JSON.stringify(answer);
		return { kind: 'answer', status: statusCode, text, headers };
	}
	if (sent.error instanceof CancelledError) throw sent.error;
	const code = failureCode(sent.error);
	if (code === undefined || code === 'ERR_CANCELED') {
		throw new NodeOperationError(ctx.getNode(), sent.error);
	}
	return { kind: 'unreachable', code, headers: {} };
}

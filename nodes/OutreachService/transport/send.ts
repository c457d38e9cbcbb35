import type { IHttpRequestOptions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { z } from 'zod';

import type { ServiceCredential } from '../model/schemas';
import type { ServiceContext } from './context';
import { CREDENTIAL_TYPE } from './credential';
import { REQUEST_TIMEOUT_MS, type Outcome } from './errors';
import type { Headers } from './retryTiming';

export type ApiRequest = {
	method: 'GET' | 'POST' | 'DELETE';
	/** Below the base URL, with its leading slash and already encoded. */
	path: string;
	qs?: Record<string, string | number | boolean>;
	body?: Record<string, string | number | boolean>;
	/** Error answers that the caller takes as they are. */
	takes?: (answer: { status: number; text: string }) => boolean;
	/** For the error of this item, when there are several. */
	itemIndex?: number | undefined;
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
 * @param timeoutMs how long the answer may take, in milliseconds
 * @returns the answer with whatever status it has, or the code of what went wrong on the way
 * @throws NodeOperationError when n8n did not send it at all: no credential, a cancelled execution
 */
export async function send(
	ctx: ServiceContext,
	{ method, path, qs, body }: ApiRequest,
	credential: ServiceCredential,
	timeoutMs = REQUEST_TIMEOUT_MS,
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
		// Every status is an answer here: n8n would send a 401 twice, and lose text bodies (§7).
		ignoreHttpStatusErrors: true,
		// A redirect would carry the credential to whatever host it names.
		disableFollowRedirect: true,
	};
	try {
		const raw: unknown = await ctx.helpers.httpRequestWithAuthentication.call(
			ctx,
			CREDENTIAL_TYPE,
			options,
			// Handed over, so that n8n does not read it from its database again for every request.
			{ credentialsDecrypted: { id: '', name: '', type: CREDENTIAL_TYPE, data: credential } },
		);
		const { statusCode, body: answer, headers } = answerSchema.parse(raw);
		const text = typeof answer === 'string' ? answer : answer == null ? '' : JSON.stringify(answer);
		return { kind: 'answer', status: statusCode, text, headers };
	} catch (error) {
		const code = failureCode(error);
		if (code === undefined || code === 'ERR_CANCELED') {
			throw new NodeOperationError(ctx.getNode(), error instanceof Error ? error : String(error));
		}
		return { kind: 'unreachable', code, headers: {} };
	}
}

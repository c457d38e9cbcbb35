import type { IHttpRequestOptions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { z } from 'zod';

import type { ServiceCredential } from '../model/schemas';
import type { ServiceContext } from './context';
import { CREDENTIAL_TYPE } from './credential';
import type { Outcome } from './errors';
import type { Headers } from './retryTiming';

/** How long one request may take, in milliseconds. */
export const REQUEST_TIMEOUT_MS = 30_000;

export type ApiRequest = {
	method: 'GET' | 'POST' | 'DELETE';
	/** Below the base URL, with its leading slash and already encoded. */
	path: string;
	qs?: Record<string, string | number | boolean>;
	body?: Record<string, string | number | boolean>;
	/** Error statuses that the caller takes as an answer. */
	takes?: readonly number[];
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
 * @returns the answer with whatever status it has, or the code of what went wrong on the way
 * @throws NodeOperationError when n8n did not send it at all: no credential, a cancelled execution
 */
export async function send(
	ctx: ServiceContext,
	{ method, path, qs, body }: ApiRequest,
	{ baseUrl }: ServiceCredential,
): Promise<Outcome & { headers: Headers }> {
	const options: IHttpRequestOptions = {
		method,
		url: `${baseUrl}${path}`,
		...(qs && Object.keys(qs).length > 0 ? { qs } : {}),
		...(body ? { body } : {}),
		headers: {
			Accept: 'application/json',
			...(body ? { 'Content-Type': 'application/json' } : {}),
		},
		encoding: 'text',
		timeout: REQUEST_TIMEOUT_MS,
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

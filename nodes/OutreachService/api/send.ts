import type {
	IAllExecuteFunctions,
	ICredentialTestFunctions,
	IHttpRequestOptions,
} from 'n8n-workflow';
import { z } from 'zod';

import { OutreachServiceApi } from '../../../credentials/OutreachServiceApi.credentials';
import type { ServiceCredential } from '../model/schemas';
import { settle } from '../utils/settle';
import { CancelledError } from './cancellation';
import { CREDENTIAL_TYPE } from './credential';
import { withDeadline } from './deadline';
import type { Headers, Unreachable } from './outcome';

export type Method = 'GET' | 'POST' | 'DELETE';

export type ApiRequest = {
	method: Method;
	/** Below the base URL, with its leading slash and already encoded. */
	path: string;
	qs?: Record<string, string | number | boolean>;
	body?: Record<string, string | number | boolean>;
};

/** A response as it arrived. */
export type RawResponse = { kind: 'response'; status: number; text: string; headers: Headers };

/** Hands a request to n8n, which sends it once. Rejects with n8n's error when there is no response. */
export type Transport = (
	request: ApiRequest,
	credential: ServiceCredential,
	how: { timeoutMs: number; signal: AbortSignal },
) => Promise<unknown>;

const HEADERS = { Accept: 'application/json' };

/** Sends with the helper that n8n gives to nodes. */
export const nodeTransport =
	(ctx: IAllExecuteFunctions): Transport =>
	async ({ method, path, qs, body }, credential, { timeoutMs, signal }) => {
		const options: IHttpRequestOptions = {
			method,
			url: `${credential.baseUrl}${path}`,
			...(qs && Object.keys(qs).length > 0 ? { qs } : {}),
			...(body ? { body } : {}),
			headers: { ...HEADERS, ...(body ? { 'Content-Type': 'application/json' } : {}) },
			encoding: 'text',
			timeout: timeoutMs,
			returnFullResponse: true,
			// Every status is a response here: n8n would send a 401 twice, and lose text bodies (§7).
			ignoreHttpStatusErrors: true,
			// A redirect would carry the credential to whatever host it names.
			disableFollowRedirect: true,
			// In an execution, n8n assigns the execution's signal here, whatever the options say: a request that must run
			// to its end would be cut off when the user stops the execution.
			get abortSignal() {
				return signal;
			},
			set abortSignal(_ofTheExecution) {},
		};
		// Handed over, so that n8n does not read it from its database again for every request.
		const decrypted = { id: '', name: '', type: CREDENTIAL_TYPE, data: credential };
		const response: unknown = await ctx.helpers.httpRequestWithAuthentication.call(
			ctx,
			CREDENTIAL_TYPE,
			options,
			{ credentialsDecrypted: decrypted },
		);
		return response;
	};

/** Sends with the helper of a credential test, which gets no other. */
export const testTransport =
	(ctx: ICredentialTestFunctions): Transport =>
	async ({ method, path }, credential, { timeoutMs }) => {
		const { url, headers } = await new OutreachServiceApi().authenticate(
			{ ...credential },
			{ url: `${credential.baseUrl}${path}`, headers: HEADERS },
		);
		const options = {
			method,
			uri: url,
			headers: { ...headers },
			simple: false,
			resolveWithFullResponse: true,
			followRedirect: false,
			timeout: timeoutMs,
		};
		const { request: sendOnce } = ctx.helpers;
		const response: unknown = await sendOnce(options);
		return response;
	};

const responseSchema = z.object({
	statusCode: z.number(),
	body: z.unknown(),
	// An instance of a class of axios, which a newer zod does not take for a record.
	headers: z.custom<Headers>((value) => typeof value === 'object' && value !== null).catch({}),
});

const thrownSchema = z.object({
	code: z.string().optional().catch(undefined),
	isAxiosError: z.boolean().optional().catch(undefined),
});

const failureSchema = thrownSchema.extend({
	httpCode: z.string().nullish().catch(undefined),
	cause: thrownSchema.optional().catch(undefined),
});

/** The code of axios for a request that failed on its way, without one of the connection. */
const UNKNOWN_CODE = 'ERR_NETWORK';

/**
 * n8n wraps what axios threw; the code of the connection is in one of three places. A proxy that closes the connection
 * before it is made for us leaves none.
 * @returns undefined when the error is not one of a request that was sent
 */
export function failureCode(error: unknown): string | undefined {
	const parsed = failureSchema.safeParse(error);
	if (!parsed.success) return undefined;
	const { cause, code, httpCode, isAxiosError } = parsed.data;
	const wasSent = isAxiosError === true || cause?.isAxiosError === true;
	return cause?.code ?? code ?? httpCode ?? (wasSent ? UNKNOWN_CODE : undefined);
}

const asText = (body: unknown): string =>
	typeof body === 'string' ? body : body == null ? '' : JSON.stringify(body);

/** What n8n's helpers resolve with, when they are asked for the full response. */
export function rawResponse(resolved: unknown): RawResponse {
	const { statusCode, body, headers } = responseSchema.parse(resolved);
	return { kind: 'response', status: statusCode, text: asText(body), headers };
}

/**
 * Sends one request, once (§5.3).
 * @param timeoutMs how long the whole response may take, in milliseconds
 * @returns the response with whatever status it has, or the code of the connection
 * @throws CancelledError; n8n's error when n8n did not send it at all, for lack of a credential
 */
export async function send(
	transport: Transport,
	request: ApiRequest,
	credential: ServiceCredential,
	{ timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal | undefined },
): Promise<RawResponse | Unreachable> {
	const sent = await settle(
		withDeadline(
			timeoutMs,
			signal,
			async (abandoned) => await transport(request, credential, { timeoutMs, signal: abandoned }),
		),
	);
	if (sent.ok) return rawResponse(sent.value);
	if (sent.error instanceof CancelledError) throw sent.error;
	const code = failureCode(sent.error);
	if (code === undefined || code === 'ERR_CANCELED') throw sent.error;
	return { kind: 'unreachable', code };
}

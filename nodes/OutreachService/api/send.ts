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
import { isSuccess, type Headers, type Unreachable } from './outcome';

export type Method = 'GET' | 'POST' | 'DELETE';

export type ApiRequest = {
	method: Method;
	/** Below the base URL, with its leading slash and already encoded. */
	path: string;
	qs?: Record<string, string | number | boolean>;
	body?: Record<string, string | number | boolean>;
};

/** A response as it arrived. */
export type RawResponse = {
	kind: 'response';
	status: number;
	/** The body, or the beginning of one that is too long. */
	text: string;
	/** Whether the body is longer than what is read of it. */
	isCut: boolean;
	headers: Headers;
};

/**
 * How much of a body is read, in bytes after decompression (D68): anybody can be at the address, and n8n's helpers would
 * read a body of any length into memory.
 */
const LONGEST_SUCCESS = 16 * 1024 * 1024;
const LONGEST_OTHER = 64 * 1024;
const longestBody = (status: number): number =>
	isSuccess({ status }) ? LONGEST_SUCCESS : LONGEST_OTHER;

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
			// As text, n8n would read all of it.
			encoding: 'stream',
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
			useStream: true,
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

type BodyStream = AsyncIterable<Uint8Array> & {
	destroy(): unknown;
	on(event: 'error', listener: () => void): unknown;
};

const isStream = (body: unknown): body is BodyStream =>
	typeof body === 'object' && body !== null && Symbol.asyncIterator in body && 'destroy' in body;

/** Reads so many bytes of a body; the rest never arrives. @param signal ends it early */
async function readBody(
	body: unknown,
	longest: number,
	signal: AbortSignal,
): Promise<Pick<RawResponse, 'text' | 'isCut'>> {
	// n8n gives no stream for an empty body.
	if (!isStream(body)) return { text: '', isCut: false };
	// axios emits an error when the signal is aborted, also while nobody reads: that would end the process.
	body.on('error', () => undefined);
	if (longest === 0) {
		body.destroy();
		return { text: '', isCut: true };
	}
	// Not every helper of n8n ends the response when the signal is aborted.
	const stop = () => void body.destroy();
	signal.addEventListener('abort', stop, { once: true });
	const decoder = new TextDecoder();
	let text = '';
	let left = longest;
	try {
		for await (const chunk of body) {
			text += decoder.decode(chunk.subarray(0, left), { stream: true });
			left -= chunk.length;
			// Leaving the loop destroys the stream.
			if (left < 0) return { text, isCut: true };
		}
		return { text: text + decoder.decode(), isCut: false };
	} catch (error) {
		throw Object.assign(new Error('The response was cut off'), {
			code: failureCode(error) ?? UNKNOWN_CODE,
		});
	} finally {
		signal.removeEventListener('abort', stop);
	}
}

/**
 * Reads what n8n's helpers resolve with when they are asked for the full response as a stream.
 * @param longest how many bytes of the body are read, by the status
 */
export async function readResponse(
	resolved: unknown,
	longest: (status: number) => number,
	signal: AbortSignal,
): Promise<RawResponse> {
	const { statusCode: status, body, headers } = responseSchema.parse(resolved);
	return { kind: 'response', status, headers, ...(await readBody(body, longest(status), signal)) };
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
		withDeadline(timeoutMs, signal, async (abandoned) => {
			const response = await transport(request, credential, { timeoutMs, signal: abandoned });
			return await readResponse(response, longestBody, abandoned);
		}),
	);
	if (sent.ok) return sent.value;
	if (sent.error instanceof CancelledError) throw sent.error;
	const code = failureCode(sent.error);
	if (code === undefined || code === 'ERR_CANCELED') throw sent.error;
	return { kind: 'unreachable', code };
}

/** The only callers of n8n's HTTP helpers: one request, sent once, bounded in time and bytes. */
import type {
	IAllExecuteFunctions,
	ICredentialTestFunctions,
	IHttpRequestOptions,
	RequestHelperFunctions,
} from 'n8n-workflow';
import { z } from 'zod';

import { OutreachServiceApi } from '../../../credentials/OutreachServiceApi.credentials';
import { decodeBody, type Body } from './body';
import { CREDENTIAL_TYPE, type ServiceCredential } from './credential';
import type { RequestError } from './errors';
import { connectionError, PROXY_LOGIN, proxyLoginError, withoutResponse } from './noResponse';
import { within } from './within';

/** A request. */
export type HttpRequest = {
	method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
	url: string;
	/** The parameters of the query. */
	qs?: Record<string, string | number | boolean>;
	/** The JSON that is sent. */
	body?: object | undefined;
	headers?: Record<string, string>;
	/** How long the whole response may take, in milliseconds. */
	timeoutMs: number;
	/** The maximum number of bytes that are read of its body, counted after decompression, by its status. */
	maxBytes: (status: number) => number;
};

/** Header names in lower case, as Node delivers them. */
type Headers = Readonly<Record<string, unknown>>;

/** A response, with whatever status it has, and its body or the beginning of a body that is too long. */
export type HttpResponse = Body & { status: number; headers: Headers };

/** Whether a status is a 2xx. */
export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/**
 * Sends one request, once. No more is read of its response than the request allows: anybody can be at the URL, and n8n's
 * helpers would read a body of any length into memory (D68).
 * @param signal cuts the request off
 * @returns the response with whatever status it has, but for that of a proxy that asks for a login
 * @throws RequestError when there is no complete response of the host; n8n's error when n8n did not send the request at all
 */
export type Send = (request: HttpRequest, signal: AbortSignal | undefined) => Promise<HttpResponse>;

function optionsFor(
	{ method, qs = {}, body, headers, url, timeoutMs }: HttpRequest,
	signal: AbortSignal,
): IHttpRequestOptions {
	const options: IHttpRequestOptions = {
		url,
		qs,
		headers: { ...headers },
		// If the body were a text, n8n would read all of it.
		encoding: 'stream',
		timeout: timeoutMs,
		returnFullResponse: true,
		// Every status is a response here. Otherwise, n8n would repeat a request after a 401, and lose text bodies (§7).
		ignoreHttpStatusErrors: true,
		// A redirect would carry the credential to whatever host it names.
		disableFollowRedirect: true,
		// In an execution, n8n assigns the execution's signal here, whatever the options say. The setter ignores it: a request
		// that must run to its end would be cut off when the user stops the execution.
		get abortSignal() {
			return signal;
		},
		set abortSignal(_ofTheExecution) {},
	};
	if (body) {
		// As text, because n8n sends nothing for an object or a list that is empty.
		options.body = JSON.stringify(body);
		options.headers = { ...options.headers, 'Content-Type': 'application/json' };
	}
	// The types of n8n do not list OPTIONS; its helper sends whatever method it is given.
	return Object.assign(options, { method });
}

const responseSchema = z.object({
	statusCode: z.number(),
	body: z.unknown().optional(),
	// The headers are an instance of a class of axios, which newer versions of zod do not accept as a record.
	headers: z.custom<Headers>((value) => typeof value === 'object' && value !== null).catch({}),
});

type BodyStream = AsyncIterable<Uint8Array> & {
	destroy(): unknown;
	on(event: 'error', listener: () => void): unknown;
};

const isStream = (body: unknown): body is BodyStream =>
	typeof body === 'object' && body !== null && Symbol.asyncIterator in body && 'destroy' in body;

/**
 * Reads the beginning of a body; the rest is not received.
 * @param longest the maximum number of bytes
 * @param abandoned ends the reading early
 */
async function readBody(
	body: unknown,
	longest: number,
	abandoned: AbortSignal,
): Promise<{ bytes: Buffer; isTruncated: boolean }> {
	// n8n gives no stream for an empty body.
	if (!isStream(body)) return { bytes: Buffer.of(), isTruncated: false };
	// axios emits an error when the signal is aborted, also while nobody reads: that would end the process.
	body.on('error', () => undefined);
	if (longest === 0) {
		body.destroy();
		return { bytes: Buffer.of(), isTruncated: true };
	}
	// Not every helper of n8n ends the response when the signal is aborted.
	const stop = () => void body.destroy();
	abandoned.addEventListener('abort', stop, { once: true });
	const chunks: Uint8Array[] = [];
	let bytesLeft = longest;
	try {
		for await (const chunk of body) {
			chunks.push(chunk.subarray(0, bytesLeft));
			bytesLeft -= chunk.length;
			// Leaving the loop destroys the stream.
			if (bytesLeft < 0) break;
		}
		return { bytes: Buffer.concat(chunks), isTruncated: bytesLeft < 0 };
	} finally {
		abandoned.removeEventListener('abort', stop);
	}
}

/** Sends with a helper of n8n, and bounds it in time and bytes. @param ask calls the helper, which sends once */
const bounded =
	(ask: (request: HttpRequest, signal: AbortSignal) => Promise<unknown>): Send =>
	async (request, signal) => {
		const timedOut = (): RequestError => connectionError({ code: 'ETIMEDOUT' }, request.url);
		const deadline = { ms: request.timeoutMs, error: timedOut };
		const received = within({ signal, deadline }, async (abandoned) => {
			const resolved = await ask(request, abandoned);
			const { statusCode: status, body, headers } = responseSchema.parse(resolved);
			const read = await readBody(body, request.maxBytes(status), abandoned);
			const decoded = decodeBody(read.bytes, headers['content-type'], read.isTruncated);
			return { status, headers, ...decoded };
		});
		const response = await received.catch((error: unknown) => {
			throw withoutResponse(error, request.url);
		});
		if (response.status === PROXY_LOGIN) throw proxyLoginError(request.url);
		return response;
	};

/** Sends to the service with the helper that n8n gives to nodes. */
export function nodeSender(ctx: IAllExecuteFunctions, data: ServiceCredential): Send {
	// The credential is handed over, so that n8n does not read it from its database again for every request.
	const extra = { credentialsDecrypted: { id: '', name: '', type: CREDENTIAL_TYPE, data } };
	return bounded((request, signal) => {
		const options = optionsFor(request, signal);
		return ctx.helpers.httpRequestWithAuthentication.call(ctx, CREDENTIAL_TYPE, options, extra);
	});
}

/**
 * Sends to the service with the only helper that n8n gives to a credential test. Its options are not those of the other
 * helpers, so it takes only the URL and the headers of what `authenticate` returns.
 */
export const testSender = (
	{ helpers }: ICredentialTestFunctions,
	credential: ServiceCredential,
): Send =>
	bounded(async (request) => {
		const { url, headers } = await new OutreachServiceApi().authenticate(
			{ ...credential },
			{ url: request.url, headers: request.headers ?? {} },
		);
		const response: unknown = await helpers.request({
			method: request.method,
			uri: url,
			headers: { ...headers },
			simple: false,
			resolveWithFullResponse: true,
			followRedirect: false,
			useStream: true,
			timeout: request.timeoutMs,
		});
		return response;
	});

/** Sends to anybody else, without a credential. */
export const plainSender = ({
	helpers,
}: {
	helpers: Pick<RequestHelperFunctions, 'httpRequest'>;
}): Send => bounded((request, signal) => helpers.httpRequest(optionsFor(request, signal)));

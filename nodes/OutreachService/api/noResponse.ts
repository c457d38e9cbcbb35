/** Why a request got no complete response. */
import { z } from 'zod';

import { RequestError } from './errors';

const text = z.string().optional().catch(undefined);

/** What n8n's HTTP client tells of a request that failed: whether it was written whole to a connection that was ready. */
const requestSchema = z
	.object({
		writableFinished: z.boolean(),
		// A connection whose handshake fails counts as written to.
		socket: z.object({ secureConnecting: z.boolean().optional() }).nullish().catch(undefined),
	})
	.transform(({ writableFinished, socket }) => writableFinished && !socket?.secureConnecting)
	.optional()
	.catch(undefined);

/** The fields of an error that n8n's helpers throw, as far as they tell why. Any may be missing. */
const thrownSchema = z.object({
	name: text,
	code: text,
	httpCode: text,
	/** What was being done, such as `connect`. */
	syscall: text,
	address: text,
	port: z.number().optional().catch(undefined),
	request: requestSchema,
	isAxiosError: z.unknown().optional(),
	cause: z.unknown().optional(),
	errors: z.unknown().optional(),
});

/** n8n's protection against server-side request forgery did not let the request out: the name of its error. */
const BLOCKED = /^SsrfBlocked/;

/** Why a connection failed, as far as it is known. */
export type Cause = {
	code: string;
	/** What was being done, such as `connect` or `getaddrinfo`. */
	syscall?: string | undefined;
	/** Whether the request was sent; undefined when nobody knows. */
	isSent?: boolean | undefined;
	/** The `address:port` that was not reached, if it is known. */
	address?: string | undefined;
};

/**
 * Finds out why a connection failed. n8n wraps the error of axios, which has the request; the innermost error has the code of
 * the connection. If a proxy has closed the connection before it made one for us, no error has a code: then the code is the
 * one that axios uses for a request that failed on its way.
 * @returns undefined when the error is not that of a request
 */
export function causeIn(error: unknown): Cause | undefined {
	const thrown = thrownSchema.safeParse(error).data;
	if (!thrown) return undefined;
	const { name = '', syscall, address, port, request, isAxiosError, cause, errors } = thrown;
	if (BLOCKED.test(name)) return { code: name };
	// A host with several addresses has an error for each of them, and the first one counts.
	const inner = causeIn(cause) ?? causeIn(Array.isArray(errors) ? errors[0] : undefined);
	if (inner) return { ...inner, isSent: request ?? inner.isSent };
	const ofAxios = isAxiosError === true ? 'ERR_NETWORK' : undefined;
	const code = thrown.code ?? thrown.httpCode ?? ofAxios;
	if (code === undefined) return undefined;
	return {
		code,
		syscall,
		isSent: request,
		address: address === undefined || port === undefined ? undefined : `${address}:${port}`,
	};
}

/** The codes of a failed search for a host, and of a connection that was refused or is not secure: nothing was sent. */
const NO_HOST = /^(ENOTFOUND|EAI_)/;
const NOT_SECURE = /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_|EPROTO/;
const NO_CONNECTION = /^(ECONNREFUSED|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN)$/;
/** The errors of Node's parser of HTTP, and of decompression. */
const NOT_HTTP = /^(HPE_|Z_)/;

/** Whether nothing was sent: n8n's HTTP client tells it, or else the code of an error that has no request. */
const isUnsent = ({ code, syscall, isSent }: Cause): boolean =>
	isSent === undefined
		? syscall === 'connect' || [NO_HOST, NOT_SECURE, NO_CONNECTION].some((one) => one.test(code))
		: !isSent;

/** Why nothing could be sent, and what to check. */
function whyUnsent(code: string, host: string): { what: string; detail: string } {
	if (NO_HOST.test(code)) {
		return {
			what: `The host ${host} could not be found`,
			detail: `the name does not exist, or the DNS server cannot be reached (${code}). Check the 'Base URL' in the credential letter by letter`,
		};
	}
	if (NOT_SECURE.test(code)) {
		return {
			what: `No secure connection to ${host} could be made`,
			detail: `the certificate is not valid for this host, or the host does not use HTTPS at this port (${code}). Check the 'Base URL' in the credential, that n8n trusts the certificate of a company proxy (NODE_EXTRA_CA_CERTS)`,
		};
	}
	if (code === 'ECONNREFUSED') {
		return {
			what: `Nothing is listening at ${host}`,
			detail: `the connection was refused (${code}). Check the host and the port of the 'Base URL' in the credential, any firewall`,
		};
	}
	return {
		what: `n8n cannot reach ${host}`,
		detail: `no connection could be made (${code}). Check the network of n8n, any firewall`,
	};
}

const portOf = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80');

/** The error for a request without a complete response: the first rule that applies. @param url the URL of the request */
export function connectionError(cause: Cause, url: string): RequestError {
	const { code, syscall, address } = cause;
	const target = new URL(url);
	const { host } = target;
	// The code is only the name of n8n's own error.
	if (BLOCKED.test(code)) return RequestError.of('blocked', { host });
	if (isUnsent(cause)) {
		// If no connection was made, and its port is not that of the URL, n8n goes through a proxy.
		const isProxy = syscall === 'connect' && address?.endsWith(`:${portOf(target)}`) === false;
		if (!isProxy)
			return RequestError.of('unreachable', { host, ...whyUnsent(code, host) }, { code });
		const what = `The proxy ${address} of n8n cannot be reached`;
		const detail = `The connection to it failed (${code})`;
		return RequestError.of('proxyDown', { host, what, detail }, { code });
	}
	if (/^(ETIMEDOUT|ECONNABORTED|ESOCKETTIMEDOUT)$/.test(code)) {
		return RequestError.of('timeout', { host, detail: code }, { code });
	}
	if (!NOT_HTTP.test(code)) return RequestError.of('cutOff', { host, detail: code }, { code });
	return RequestError.of(
		'foreign',
		{ host, what: `Its response is not valid HTTP (${code})` },
		{ code },
	);
}

/** The RequestError for the error of a request without a response; n8n's own error if n8n did not send the request. */
export function withoutResponse(error: unknown, url: string): unknown {
	// The request was under way when its time was up, or when it was cancelled: the service may carry it out.
	if (error instanceof RequestError) return error.asMaybeDone();
	const cause = causeIn(error);
	return cause === undefined ? error : connectionError(cause, url);
}

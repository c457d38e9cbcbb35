/** Why a request got no complete response. */
import { z } from 'zod';

import { RequestError, type FailureDetails, type FailureName } from './errors';

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
	errno: z.number().optional().catch(undefined),
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
	/** Whether the response is not valid HTTP, or cannot be decompressed. */
	isNotHttp?: boolean;
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
	const { name = '', syscall, errno, address, port, request, isAxiosError, cause, errors } = thrown;
	if (BLOCKED.test(name)) return { code: name };
	// A host with several addresses has an error for each of them, and the first one counts.
	const inner = causeIn(cause) ?? causeIn(Array.isArray(errors) ? errors[0] : undefined);
	if (inner) return { ...inner, isSent: request ?? inner.isSent };
	const ofAxios = isAxiosError === true ? 'ERR_NETWORK' : undefined;
	const code = thrown.code ?? thrown.httpCode ?? ofAxios;
	if (code === undefined) return undefined;
	// Only an error of the system has done something, and any other with a number is of decompression.
	const isNotHttp = /^HPE_/.test(code) || (errno !== undefined && syscall === undefined);
	return {
		code,
		syscall,
		isNotHttp,
		isSent: request,
		address: address === undefined || port === undefined ? undefined : `${address}:${port}`,
	};
}

/** The status with which a proxy asks for a login. */
export const PROXY_LOGIN = 407;

const TIMED_OUT = /^(ETIMEDOUT|ECONNABORTED|ESOCKETTIMEDOUT)$/;

/** Why no connection was made: the codes, what happened, why, and what to check beside the proxy of n8n. */
type NoConnection = [codes: RegExp, what: (host: string) => string, why: string, check: string];

const NOT_REACHED: NoConnection = [
	/^(ECONNREFUSED|(EHOST|ENET)(UNREACH|DOWN))$/,
	(host) => `n8n cannot reach ${host}`,
	'no connection could be made',
	"the host and the port of the 'Base URL' in the credential, the network of n8n, any firewall",
];
const NO_CONNECTION: readonly NoConnection[] = [
	[
		/^(ENOTFOUND|EAI_)/,
		(host) => `The host ${host} could not be found`,
		'the name does not exist, or the DNS server cannot be reached',
		"the 'Base URL' in the credential letter by letter",
	],
	[
		/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_|EPROTO/,
		(host) => `No secure connection to ${host} could be made`,
		'the certificate is not valid for this host, or the host does not use HTTPS at this port',
		"the 'Base URL' in the credential, that n8n trusts the certificate of a company proxy (NODE_EXTRA_CA_CERTS)",
	],
	NOT_REACHED,
];

const portOf = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80');

/** The error for a request without a complete response: the first rule that applies. @param url the URL of the request */
export function connectionError(
	{ code, syscall, isSent, isNotHttp, address }: Cause,
	url: string,
): RequestError {
	const target = new URL(url);
	const { host } = target;
	const failed = (failure: FailureName, details: FailureDetails): RequestError =>
		new RequestError(failure, { ...details, code });
	if (BLOCKED.test(code)) {
		return failed('blocked', {
			message: `n8n blocked the request to ${host}`,
			description:
				'The settings of this n8n forbid requests to that host (N8N_SSRF_PROTECTION_ENABLED).',
		});
	}
	const known = NO_CONNECTION.find(([codes]) => codes.test(code));
	// n8n's HTTP client tells whether the request was sent, or else the code of an error that has no request.
	const isUnsent = isSent === undefined ? known !== undefined || syscall === 'connect' : !isSent;
	if (isUnsent) {
		// If no connection was made, and its port is not that of the URL, n8n goes through a proxy.
		if (syscall === 'connect' && address?.endsWith(`:${portOf(target)}`) === false) {
			return failed('blocked', {
				message: `The proxy ${address} of n8n cannot be reached`,
				description: `The connection to it failed (${code}), so nothing was sent. Check HTTP_PROXY and HTTPS_PROXY of n8n, and that the proxy is running.`,
				passes: true,
			});
		}
		const [, what, why, check] = known ?? NOT_REACHED;
		return failed('unreachable', {
			message: what(host),
			description: `Nothing was sent: ${why} (${code}). Check ${check}, and the proxy of n8n if it has one (HTTP_PROXY or HTTPS_PROXY).`,
			passes: true,
		});
	}
	if (isNotHttp) {
		return failed('unusable', {
			message: `The response of ${host} is not valid HTTP`,
			description: `It could not be read (${code}). Check the 'Base URL' in the credential, and the proxy of n8n if it has one.`,
			progress: 'unclear',
		});
	}
	if (TIMED_OUT.test(code)) {
		return failed('timeout', {
			message: `${host} did not respond in time`,
			description: `The response was not complete in time (${code}). Try again later; if it happens often, check the 'Base URL' in the credential and the network of n8n.`,
			progress: 'underWay',
			passes: true,
		});
	}
	return failed('cutOff', {
		message: `The connection to ${host} was cut off`,
		description: `The connection ended before the response was complete (${code}). Try again later; if it happens often, check the network of n8n.`,
		progress: 'unclear',
		passes: true,
	});
}

/** The error for a proxy that asks for a login (status 407): the host has not received the request, whatever the API says (D92). */
export const proxyLoginError = (url: string): RequestError =>
	new RequestError('blocked', {
		message: `A proxy between n8n and ${new URL(url).host} asks for a login`,
		description: `It responded with status ${PROXY_LOGIN}, so the host has not received the request. Put the username and password of the proxy into n8n's HTTP_PROXY or HTTPS_PROXY.`,
		status: PROXY_LOGIN,
	});

/** The RequestError for the error of a request without a response; n8n's own error if n8n did not send the request. */
export function withoutResponse(error: unknown, url: string): unknown {
	// The request was under way when its time was up, or when it was cancelled: the service may carry it out.
	if (error instanceof RequestError) return error.asMaybeDone();
	const cause = causeIn(error);
	return cause === undefined ? error : connectionError(cause, url);
}

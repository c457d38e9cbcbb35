/** Why a request got no response, and what a person who builds workflows is told about it. */
import { z } from 'zod';

import { CancelledError } from '../utils/within';
import { cancelledError, RequestError, type ErrorText } from './errors';

const text = z.string().optional().catch(undefined);

const thrownSchema = z.object({
	...{ name: text, code: text, httpCode: text },
	isAxiosError: z.unknown(),
	cause: z.unknown(),
});

/** n8n's protection against server-side request forgery did not let the request out: the name of its error. */
const BLOCKED = /^SsrfBlocked/;

/**
 * n8n wraps what axios threw; the innermost code is that of the connection. A proxy that closes the connection before it
 * is made for us leaves none: then it is that of axios for a request that failed on its way.
 * @returns undefined when the error is not one of a request that was sent, or blocked
 */
export function failureCode(error: unknown): string | undefined {
	const thrown = thrownSchema.safeParse(error).data;
	if (!thrown) return undefined;
	const { name = '', code, httpCode, isAxiosError, cause } = thrown;
	if (BLOCKED.test(name)) return name;
	const ofAxios = isAxiosError === true ? 'ERR_NETWORK' : undefined;
	return failureCode(cause) ?? code ?? httpCode ?? ofAxios;
}

/** Their failures look like those of the host. */
const PROXY_HINT = ', and the proxy of n8n if it has one (HTTP_PROXY or HTTPS_PROXY).';

/** The error for a request without a response. @param code of the connection, such as ECONNREFUSED */
export function connectionError(code: string, host: string): RequestError {
	const isTimeout = /^(ETIMEDOUT|ECONNABORTED|ESOCKETTIMEDOUT)$/.test(code);
	const kind = isTimeout ? 'timeout' : 'network';
	// `maybeDone`: the service may have received the request.
	const failed = (maybeDone: boolean, text: ErrorText): RequestError =>
		new RequestError(kind, text, { code, maybeDone });
	if (BLOCKED.test(code)) {
		return new RequestError('rejected', {
			message: 'n8n blocked the request to the service',
			description:
				'The settings of this n8n forbid requests to that host (N8N_SSRF_PROTECTION_ENABLED).',
		});
	}
	if (/^(ENOTFOUND|EAI_AGAIN)$/.test(code)) {
		return failed(false, {
			message: `The host ${host} could not be found`,
			description: `The name does not exist, or the DNS server cannot be reached (${code}). Check the 'Base URL' in the credential letter by letter${PROXY_HINT}`,
		});
	}
	if (code === 'ECONNREFUSED') {
		return failed(false, {
			message: `Nothing is listening at ${host}`,
			description: `The connection was refused (${code}). Check host and port of the 'Base URL' in the credential, and whether a firewall is in between${PROXY_HINT}`,
		});
	}
	if (isTimeout) {
		return failed(true, {
			message: `${host} did not respond in time`,
			description: `The response was not complete in time (${code}). Try again later; if it happens often, check the 'Base URL' in the credential and the network of n8n.`,
		});
	}
	if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_|EPROTO/.test(code)) {
		return failed(false, {
			message: `No secure connection to ${host} could be made`,
			description: `Its certificate is not valid for this host, or it does not speak HTTPS there (${code}). Check the 'Base URL' in the credential; behind a company proxy, n8n must trust the certificate of the proxy.`,
		});
	}
	return failed(true, {
		message: `The connection to ${host} was cut off`,
		description: `The connection ended before the response was complete (${code}). Try again later; if it happens often, check the network of n8n.`,
	});
}

/** The RequestError for what a request without a response threw; n8n's own error when n8n did not send it at all. */
export function withoutResponse(error: unknown, host: string): unknown {
	if (error instanceof CancelledError) return cancelledError(true);
	const code = failureCode(error);
	return code === undefined ? error : connectionError(code, host);
}

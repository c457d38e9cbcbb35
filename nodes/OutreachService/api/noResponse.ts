/** Why a request got no response. */
import { z } from 'zod';

import { RequestError } from './errors';
import { NO_RESPONSE, type Failure } from './failures';

const text = z.string().optional().catch(undefined);

/** The fields of an error that n8n's helpers throw, as far as they tell why. */
const thrownSchema = z.object({
	name: text,
	code: text,
	httpCode: text,
	/** What was being done, such as `connect`. */
	syscall: text,
	address: text,
	port: z.number().optional().catch(undefined),
	isAxiosError: z.unknown(),
	cause: z.unknown(),
	errors: z.unknown(),
});

/** n8n's protection against server-side request forgery did not let the request out: the name of its error. */
const BLOCKED = /^SsrfBlocked/;

/** Why a connection failed, as far as it is known. */
export type Cause = {
	code: string;
	/** Whether no connection could be made, so that nothing was sent. */
	isUnconnected?: boolean;
	/** The `address:port` that was not reached, if it is known. */
	address?: string | undefined;
};

/**
 * Finds out why a connection failed. n8n wraps the error of axios, and the innermost error has the code of the connection.
 * If a proxy has closed the connection before it made one for us, no error has a code: then the code is the one that axios
 * uses for a request that failed on its way.
 * @returns undefined when the error is not that of a request that was sent, or blocked
 */
export function causeIn(error: unknown): Cause | undefined {
	const thrown = thrownSchema.safeParse(error).data;
	if (!thrown) return undefined;
	const { name = '', syscall, address, port, isAxiosError, cause, errors } = thrown;
	if (BLOCKED.test(name)) return { code: name };
	// A host with several addresses has an error for each of them, and the first one counts.
	const inner = causeIn(cause) ?? causeIn(Array.isArray(errors) ? errors[0] : undefined);
	if (inner) return inner;
	const ofAxios = isAxiosError === true ? 'ERR_NETWORK' : undefined;
	const code = thrown.code ?? thrown.httpCode ?? ofAxios;
	if (code === undefined) return undefined;
	return {
		code,
		isUnconnected: syscall === 'connect',
		address: address === undefined || port === undefined ? undefined : `${address}:${port}`,
	};
}

const portOf = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80');

/** Decides which failure it is: the first rule that applies. @param proxy the address of a proxy that was not reached */
function connectionFailure(
	{ code, isUnconnected }: Cause,
	proxy: string | undefined,
): keyof typeof NO_RESPONSE {
	if (BLOCKED.test(code)) return 'blocked';
	if (/^(ENOTFOUND|EAI_AGAIN)$/.test(code)) return 'unknownHost';
	if (proxy !== undefined) return 'proxyDown';
	if (code === 'ECONNREFUSED') return 'notListening';
	if (isUnconnected || /^E(NET|HOST)(UNREACH|DOWN)$/.test(code)) return 'unreachable';
	if (/^(ETIMEDOUT|ECONNABORTED|ESOCKETTIMEDOUT)$/.test(code)) return 'timeout';
	return /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_|EPROTO/.test(code) ? 'insecure' : 'cutOff';
}

/** The error for a request without a response. @param url the URL of the request */
export function connectionError(cause: Cause, url: string): RequestError {
	const { code, isUnconnected, address } = cause;
	const target = new URL(url);
	// If no connection was made, and its port is not that of the URL, n8n goes through a proxy.
	const isProxy = isUnconnected === true && address?.endsWith(`:${portOf(target)}`) === false;
	const proxy = isProxy ? address : undefined;
	const failure = connectionFailure(cause, proxy);
	const facts: Failure = NO_RESPONSE[failure]({ host: target.host, code, proxy });
	// For a blocked request, the code is only the name of n8n's own error.
	return new RequestError(failure, facts, failure === 'blocked' ? {} : { code });
}

/** The RequestError for the error of a request without a response; n8n's own error if n8n did not send the request. */
export function withoutResponse(error: unknown, url: string): unknown {
	// The request was under way when its time was up, or when it was cancelled: the service may carry it out.
	if (error instanceof RequestError) return error.asMaybeDone();
	const cause = causeIn(error);
	return cause === undefined ? error : connectionError(cause, url);
}

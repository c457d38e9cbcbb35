import type { ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Fault } from '../faults/faultSchema';
import { parseJson } from './jsonBody';
import type { RateLimitResult } from './rateLimit';
import { redactFields, redactSecrets } from './redact';
import type { LoggedRequest } from './requestLog';

/** The state of a request while the service processes it. */
export interface Call {
	readonly logged: LoggedRequest;
	readonly query: Readonly<Record<string, unknown>>;
	/** The team of the API key. Undefined if the team is invalid. */
	team: string | undefined;
	/** Undefined without a valid key, or when the limit is off. */
	rateLimit: RateLimitResult | undefined;
	/** Faults that change the headers of any response, errors included. */
	headerFaults: Fault[];
	/** Faults that change the response to a request that passed the checks. */
	responseFaults: Fault[];
}

declare module 'fastify' {
	interface FastifyRequest {
		call: Call;
	}
}

/** Creates the state for a request that has just arrived. @param id its number in the log */
export function beginCall(request: FastifyRequest, basePath: string, id: number): Call {
	const [path = ''] = request.url.split('?');
	const isInside = path === basePath || path.startsWith(`${basePath}/`);
	const query = typeof request.query === 'object' ? { ...request.query } : {};
	return {
		logged: {
			id,
			at: performance.now(),
			receivedAt: new Date().toISOString(),
			method: request.method,
			path: isInside ? path.slice(basePath.length) : path,
			...(!isInside && { outside: true as const }),
			query: redactFields(query),
			body: undefined,
			status: undefined,
			ms: undefined,
			apiKeyIndex: undefined,
			faults: [],
		},
		query,
		team: undefined,
		rateLimit: undefined,
		headerFaults: [],
		responseFaults: [],
	};
}

/** Characters. Only the length of a longer body is logged, so that the log doesn't fill the memory. */
const MAX_LOGGED_BODY = 20_000;

/** Logs how the request ended, once its response is sent or its connection is closed. */
export function logEnd({ logged }: Call, response: ServerResponse): void {
	logged.ms = Math.round((performance.now() - logged.at) * 10) / 10;
	// Some faults send their response themselves.
	if (response.writableFinished) logged.status ??= response.statusCode;
	else logged.disconnected = true;
}

/** Logs the body, parsed and with the secret redacted. */
export function logBody(call: Call, body: unknown): void {
	if (typeof body !== 'string') return;
	call.logged.body =
		body.length > MAX_LOGGED_BODY
			? `(${body.length} characters)`
			: redactSecrets(parseJson(body)?.value);
}

import type { FastifyRequest } from 'fastify';
import type { Fault } from '../faults/faultSchema';
import { parseJson } from './jsonBody';
import type { Verdict } from './rateLimit';
import { hideSecret, type LoggedRequest } from './requestLog';

/** What the service knows about a request while it deals with it. */
export interface Call {
	readonly logged: LoggedRequest;
	readonly query: Readonly<Record<string, unknown>>;
	/** The team of the API key; undefined when the team is invalid. */
	team: string | undefined;
	/** Undefined without a valid key, or with the limit off. */
	verdict: Verdict | undefined;
	/** Faults that change headers, on any answer. */
	overlays: Fault[];
	/** Faults that act on the answer of a request that was served. */
	afterWork: Fault[];
}

declare module 'fastify' {
	interface FastifyRequest {
		call: Call;
	}
}

/** Starts the record of a request that has just come in. */
export function beginCall(request: FastifyRequest, basePath: string): Call {
	const [path = ''] = request.url.split('?');
	const isInside = path === basePath || path.startsWith(`${basePath}/`);
	const query = typeof request.query === 'object' ? { ...request.query } : {};
	return {
		logged: {
			at: performance.now(),
			method: request.method,
			path: isInside ? path.slice(basePath.length) : path,
			...(!isInside && { outside: true as const }),
			query: { ...query, ...('secret' in query && { secret: '(set)' }) },
			body: undefined,
			status: undefined,
			apiKeyIndex: undefined,
			faults: [],
		},
		query,
		team: undefined,
		verdict: undefined,
		overlays: [],
		afterWork: [],
	};
}

/** What is logged of a long body is its length: thousands of them would fill the memory. */
const LONGEST_LOGGED = 20_000;

/** Puts the body into the record: parsed, with the secret replaced. */
export function logBody(call: Call, body: unknown): void {
	if (typeof body !== 'string') return;
	call.logged.body =
		body.length > LONGEST_LOGGED
			? `(${body.length} characters)`
			: hideSecret(parseJson(body)?.value);
}

/** What the response to `OPTIONS` says of a target URL (D46). */
import { ASK_TIMEOUT_MS, type TargetResponse } from './targets';
import { isNotTrusted, isTimeout, isSuccess } from './outcome';
import type { RawResponse } from './send';

/** These values stand in items: they can never change. */
export type TargetStatus = 'live' | 'gone' | 'unreachable' | 'unknown';

/** @param detail a sentence; it holds nothing of the URL, which may have a token in it */
export type Verdict = { target: TargetStatus; detail: string };

const methodsIn = (header: unknown): string[] =>
	typeof header === 'string' ? header.split(',').map((method) => method.trim().toUpperCase()) : [];

/** Express's `ETag` of `{}`, which n8n responds with. It stays with the 204, which has no body. */
const ETAG_OF_N8N = '2-vyGp6PvFo4RvsFtPoIWeCReyIC8';

/**
 * n8n lists `OPTIONS` and the methods of the webhooks at the path: when there is none, `OPTIONS` alone. Another server
 * that sends the same list says nothing about the path: CORS is often allowed for all of them.
 */
const isListOfN8n = (methods: string[], { status, headers: { etag } }: RawResponse): boolean =>
	status === 204 &&
	methods[0] === 'OPTIONS' &&
	typeof etag === 'string' &&
	etag.includes(ETAG_OF_N8N);

/** n8n's words for a test URL at which nobody listens, and for a path that it does not have. */
const isUnregistered = ({ status, text }: RawResponse): boolean =>
	status === 404 &&
	/^\{"code":404,"message":"The requested webhook .{0,2000} is not registered\./.test(text);

function judgeN8n(methods: string[]): Verdict {
	if (methods.includes('POST')) {
		return { target: 'live', detail: 'n8n has a webhook there.' };
	}
	const others = methods.slice(1);
	return others.length === 0
		? {
				target: 'gone',
				detail:
					'n8n has no webhook there: its workflow is not active, was deleted or has another path now.',
			}
		: {
				target: 'unknown',
				detail: `n8n has a webhook there, but lists no POST: ${others.join(', ')}.`,
			};
}

const UNKNOWN: ReadonlyArray<[fits: (status: number) => boolean, because: string]> = [
	[(status) => status >= 300 && status < 400, 'It redirects, and redirects are not followed'],
	[
		(status) => status === 401 || status === 403,
		'It requires a login, or a proxy rejected the request',
	],
	[
		(status) => status === 404,
		'It does not support this check (OPTIONS), but may still accept events',
	],
	[(status) => status === 429, 'It is limiting requests at the moment'],
	[(status) => status >= 500, 'The host, or a proxy in front of it, is not working'],
	[() => true, 'The host responds, but does not say what it accepts there'],
];

function judgeResponse(response: RawResponse): Verdict {
	const { status, headers } = response;
	const listed = methodsIn(headers['access-control-allow-methods']);
	if (isListOfN8n(listed, response)) return judgeN8n(listed);
	if (isUnregistered(response)) {
		return { target: 'gone', detail: 'n8n has no webhook there: the test run is over.' };
	}
	if (status === 410)
		return { target: 'gone', detail: 'The host says that it is gone (status 410).' };
	if ((isSuccess(response) || status === 405) && methodsIn(headers.allow).includes('POST')) {
		return { target: 'live', detail: 'The host says that it accepts POST there.' };
	}
	const because = UNKNOWN.find(([fits]) => fits(status))?.[1] ?? '';
	return { target: 'unknown', detail: `${because} (status ${status}).` };
}

/**
 * Why a target URL cannot be reached, in a sentence.
 * @param code of the connection, such as ECONNREFUSED
 * @param timeoutMs how long a response could take, in milliseconds
 */
export function whyUnreachable(code: string, timeoutMs: number): string {
	if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `The host could not be found (${code}).`;
	if (code === 'ECONNREFUSED') return `Nothing is listening there (${code}).`;
	if (isTimeout(code)) {
		return `There was no response within ${timeoutMs / 1000} seconds (${code}).`;
	}
	if (isNotTrusted(code)) return `No secure connection could be made (${code}).`;
	return `The connection was cut off (${code}).`;
}

/** Said of a URL to which n8n refuses to send anything. */
export const BLOCKED =
	'The settings of this n8n forbid requests to that host (N8N_SSRF_PROTECTION_ENABLED).';

/** Said of a URL to which nothing can be sent. */
export const NOT_HTTP: Verdict = {
	target: 'unknown',
	detail: 'The target URL does not begin with http:// or https://.',
};

/**
 * What a target URL is. `gone` only when that is certain: people delete such webhooks.
 */
export function judge(response: TargetResponse): Verdict {
	if (response.kind === 'blocked') {
		return { target: 'unknown', detail: BLOCKED };
	}
	return response.kind === 'response'
		? judgeResponse(response)
		: { target: 'unreachable', detail: whyUnreachable(response.code, ASK_TIMEOUT_MS) };
}

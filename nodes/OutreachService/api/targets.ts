/** The target URLs of webhooks: not the service, so without its credential and its rate limiter. */
import type { RequestHelperFunctions } from 'n8n-workflow';
import { z } from 'zod';

import { normalizeUrl } from '../model/targetUrl';
import { parseJson } from '../utils/json';
import { CONCURRENCY } from '../utils/mapConcurrently';
import { Slots } from '../utils/slots';
import { CancelledError } from '../utils/within';
import {
	failureCode,
	isBlocked,
	isSuccess,
	plainTransport,
	send,
	type HttpRequest,
	type Response,
} from './http';
import { BLOCKED, whyUnreachable } from './messages';
import { cancelledError } from './retry';

/** How long a target URL may take to respond to a question, in milliseconds. */
export const ASK_TIMEOUT_MS = 5_000;

/** The body is read for n8n's words for an unknown path. */
const ASK = {
	timeoutMs: ASK_TIMEOUT_MS,
	maxBytes: (status: number) => (status === 404 ? 4_096 : 0),
	isBodyOptional: true,
};
const POST = { timeoutMs: 30_000, maxBytes: () => 0, isBodyOptional: true };

export type Verdict = {
	/** These values stand in items: they can never change. */
	target: 'live' | 'gone' | 'unreachable' | 'unknown';
	/** A sentence; it holds nothing of the URL, which may have a token in it. */
	detail: string;
};

/** The response of a target URL, or why it has none, in a sentence. */
export type TargetResponse =
	| (Response & { kind: 'response' })
	| { kind: 'unreachable'; code: string; why: string }
	/** n8n's protection against server-side request forgery does not let the request out. */
	| { kind: 'blocked'; why: string };

/**
 * The target URLs of an execution. No request follows a redirect, so that nothing reaches another host than the webhook
 * names.
 */
export type Targets = {
	/**
	 * Asks what a URL accepts, which starts nothing there (D46): with `OPTIONS`, then with a `GET` where n8n seems to have
	 * nothing. Each URL is asked once in an execution, at most {@link CONCURRENCY} at a time.
	 * @throws RequestError when the execution is stopped
	 */
	ask(url: string): Promise<Verdict>;
	/**
	 * Gets a URL.
	 * @throws RequestError when the execution is stopped
	 */
	get(url: string): Promise<TargetResponse>;
	/**
	 * Posts JSON, as the service does (§6.3).
	 * @throws RequestError when the execution is stopped
	 */
	post(url: string, body: object): Promise<TargetResponse>;
};

/** @param signal of the execution, which the user may stop */
export function createTargets(
	ctx: { helpers: Pick<RequestHelperFunctions, 'httpRequest'> },
	signal: AbortSignal | undefined,
): Targets {
	const transport = plainTransport(ctx);
	const slots = new Slots(CONCURRENCY);
	const asked = new Map<string, Promise<Verdict>>();

	const sendOnce = async (
		request: HttpRequest,
		limits: typeof ASK | typeof POST,
	): Promise<TargetResponse> =>
		await send(transport, request, limits, signal).then(
			(response) => ({ kind: 'response' as const, ...response }),
			(error: unknown) => {
				if (error instanceof CancelledError) throw cancelledError(true);
				if (isBlocked(error)) return { kind: 'blocked' as const, why: BLOCKED.description };
				const code = failureCode(error);
				if (code === undefined) throw error;
				const why = whyUnreachable(code, limits.timeoutMs);
				return { kind: 'unreachable' as const, code, why };
			},
		);

	const askOnce = async (url: string): Promise<Verdict> => {
		// n8n lists the methods of a webhook only for a request with an origin. That of the URL itself tells its host nothing.
		const headers = { Origin: new URL(url).origin };
		const response = await sendOnce({ method: 'OPTIONS', url, headers }, ASK);
		if (response.kind === 'blocked') return { target: 'unknown', detail: response.why };
		if (response.kind === 'unreachable') return { target: 'unreachable', detail: response.why };
		const methods = methodsOfN8n(response);
		if (methods?.includes('POST')) return { target: 'live', detail: 'n8n has a webhook there.' };
		if (methods?.length === 0) {
			// n8n delivers at a path with a slash at its end, too, but lists its methods only without.
			const shorter = withoutSlash(url);
			if (shorter !== undefined) return await askOnce(shorter);
			// A host that looks like n8n may be another. Where n8n lists no method, a GET starts nothing.
			const got = await sendOnce({ method: 'GET', url }, ASK);
			if (got.kind === 'response' && isUnregistered(got, url)) {
				return { target: 'gone', detail: GONE_FROM_N8N };
			}
		} else if (methods) {
			const detail = `n8n has a webhook there, but lists no POST: ${methods.join(', ')}.`;
			return { target: 'unknown', detail };
		}
		return judge(response, url);
	};

	return {
		ask: async (url) => {
			const key = normalizeUrl(url);
			const verdict = asked.get(key) ?? slots.run(async () => await askOnce(url));
			asked.set(key, verdict);
			return await verdict;
		},
		get: async (url) => await sendOnce({ method: 'GET', url }, ASK),
		post: async (url, body) => await sendOnce({ method: 'POST', url, body }, POST),
	};
}

/**
 * The methods that n8n has webhooks for at a path; undefined when something else has responded. n8n lists `OPTIONS` first.
 * Its `ETag` is Express's for `{}`, and stays with the 204, which has no body. Another server's list says nothing about
 * the path: CORS is often allowed for all of them.
 */
function methodsOfN8n({ status, headers }: Response): string[] | undefined {
	const { etag, 'access-control-allow-methods': list } = headers;
	if (status !== 204 || typeof etag !== 'string' || typeof list !== 'string') return undefined;
	const [first, ...methods] = list.split(',').map((one) => one.trim().toUpperCase());
	return first === 'OPTIONS' && etag.includes('2-vyGp6PvFo4RvsFtPoIWeCReyIC8')
		? methods
		: undefined;
}

const GONE_FROM_N8N =
	'n8n has no webhook there: its workflow is not active, was deleted or has another path now.';

/** n8n's own words for a path that it does not have, and for a test URL at which nobody listens. */
const unregisteredSchema = z.object({
	code: z.literal(404),
	message: z
		.string()
		.transform(
			(text) => /^The requested webhook "(?:GET )?([^"]+)" is not registered\./.exec(text)?.[1],
		),
});

/** Whether n8n says so itself, and of this very path: a proxy or another n8n may be at the URL. */
function isUnregistered({ status, text }: Response, url: string): boolean {
	const said = unregisteredSchema.safeParse(status === 404 ? parseJson(text) : undefined).data;
	const path = said?.message?.split('/').map(encodeURIComponent).join('/');
	return path !== undefined && new URL(normalizeUrl(url)).pathname.endsWith(`/${path}`);
}

/** The same URL without slashes at the end of its path; undefined when it has none there. */
function withoutSlash(url: string): string | undefined {
	const parsed = new URL(url);
	const pathname = parsed.pathname.replace(/\/+$/, '');
	if (pathname === parsed.pathname || pathname === '') return undefined;
	return Object.assign(parsed, { pathname }).href;
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

/** What a response says of a target URL. `gone` only when that is certain: people delete such webhooks. */
function judge(response: Response, url: string): Verdict {
	const { status, headers } = response;
	if (isUnregistered(response, url)) {
		return { target: 'gone', detail: 'n8n has no webhook there: the test run is over.' };
	}
	if (status === 410) {
		return { target: 'gone', detail: 'The host says that it is gone (status 410).' };
	}
	const allowed = typeof headers.allow === 'string' ? headers.allow.toUpperCase() : '';
	if ((isSuccess(status) || status === 405) && /\bPOST\b/.test(allowed)) {
		return { target: 'live', detail: 'The host says that it accepts POST there.' };
	}
	const because = UNKNOWN.find(([fits]) => fits(status))?.[1] ?? '';
	return { target: 'unknown', detail: `${because} (status ${status}).` };
}

/** Said of a URL to which nothing can be sent. */
export const NOT_HTTP: Verdict = {
	target: 'unknown',
	detail: 'The target URL does not begin with http:// or https://.',
};

/** The target URLs of webhooks: not the service, so without its credential and its rate limiter. */
import type { RequestHelperFunctions } from 'n8n-workflow';
import { z } from 'zod';

import { isHttpUrl, normalizeUrl } from '../domain/targetUrl';
import { parseJson } from '../utils/json';
import { CONCURRENCY, ConcurrencyLimit } from '../utils/concurrency';
import { isCancelled, settleRequest } from '../api/errors';
import {
	isSuccess,
	plainTransport,
	send,
	type HttpRequest,
	type Limits,
	type HttpResponse,
	type Transport,
} from '../api/http';

/** For a question. The body is read for n8n's words for an unknown path. */
const ASK: Limits = { timeoutMs: 5_000, maxBytes: (status) => (status === 404 ? 4_096 : 0) };
const POST: Limits = { timeoutMs: 30_000, maxBytes: () => 0 };

export type TargetStatus = {
	/** These values stand in items: they can never change. */
	target: 'live' | 'gone' | 'unreachable' | 'unknown';
	/** A sentence; of the URL it holds nothing but the host: there may be a token in it. */
	detail: string;
};

/** Said by n8n itself, of this very path: a proxy or another n8n may be at the URL. */
export const UNREGISTERED: TargetStatus = {
	target: 'gone',
	detail:
		'n8n has no webhook there: its workflow is not active, was deleted or has another path now, or the test run is over.',
};

/** Said of a URL to which nothing can be sent; undefined for any other. */
export function unusable(targetUrl: string): TargetStatus | undefined {
	if (isHttpUrl(targetUrl)) return undefined;
	const detail = /^https?:\/\//i.test(targetUrl)
		? 'The target URL is not valid: check its host and port.'
		: 'The target URL does not begin with http:// or https://.';
	return { target: 'unknown', detail };
}

/**
 * The target URLs of an execution. No request follows a redirect, so that nothing reaches another host than the webhook
 * names. Everything throws a RequestError when the execution is stopped.
 */
export class Targets {
	private readonly limit = new ConcurrencyLimit(CONCURRENCY);

	private readonly asked = new Map<string, Promise<TargetStatus>>();

	private readonly transport: Transport;

	/** @param signal of the execution, which the user may stop */
	constructor(
		ctx: { helpers: Pick<RequestHelperFunctions, 'httpRequest'> },
		private readonly signal: AbortSignal | undefined,
	) {
		this.transport = plainTransport(ctx);
	}

	/**
	 * Asks what a URL accepts, which starts nothing there (D46): with `OPTIONS`, then with a `GET` where n8n lists no
	 * method. Each URL is asked once in an execution, at most {@link CONCURRENCY} at a time.
	 */
	async ask(url: string): Promise<TargetStatus> {
		const key = new URL(url).href;
		const verdict = this.asked.get(key) ?? this.limit.run(async () => await this.askOnce(url));
		this.asked.set(key, verdict);
		return await verdict;
	}

	/** Posts JSON, as the service does (§6.3). @returns a verdict when there is no response */
	async post(url: string, body: object): Promise<HttpResponse | TargetStatus> {
		const response = await this.send({ method: 'POST', url, body }, POST);
		const isFromProxy = 'status' in response && response.status === PROXY_LOGIN;
		return isFromProxy ? { target: 'unknown', detail: NO_PROXY_LOGIN } : response;
	}

	private async askOnce(url: string): Promise<TargetStatus> {
		const { origin, pathname } = new URL(url);
		// n8n lists the methods of a webhook only for a request with an origin. That of the URL itself tells its host nothing.
		const asked = { method: 'OPTIONS', url, headers: { Origin: origin } } as const;
		const response = await this.send(asked, ASK);
		if ('target' in response) return response;
		const methods = methodsOfN8n(response);
		if (methods?.includes('POST')) return { target: 'live', detail: 'n8n has a webhook there.' };
		// At a path with a slash at its end, n8n lists no method, but starts a webhook for GET.
		if (methods?.length === 0 && !pathname.endsWith('/')) {
			// A host that looks like n8n may be another.
			const got = await this.send({ method: 'GET', url }, ASK);
			if ('status' in got && isUnregistered(got, url)) return UNREGISTERED;
		}
		return judge(response, url);
	}

	private async send(request: HttpRequest, limits: Limits): Promise<HttpResponse | TargetStatus> {
		const sent = await settleRequest(send(this.transport, request, limits, this.signal));
		if (sent.ok) return sent.value;
		const { error } = sent;
		if (isCancelled(error)) throw error;
		const { message, description, details } = error;
		if (details.code === undefined) return { target: 'unknown', detail: description };
		const detail = `${message} (${details.code}).`;
		// Of the target, this says nothing.
		if (details.meaning === 'proxyDown') return { target: 'unknown', detail };
		return { target: 'unreachable', detail };
	}
}

/**
 * The methods that n8n has webhooks for at a path; undefined when something else has responded. n8n lists `OPTIONS` first.
 * Its `ETag` is Express's for `{}`, and stays with the 204, which has no body. Another server's list says nothing about
 * the path: CORS is often allowed for all of them.
 */
function methodsOfN8n({ status, headers }: HttpResponse): string[] | undefined {
	const { etag, 'access-control-allow-methods': list } = headers;
	if (status !== 204 || typeof etag !== 'string' || typeof list !== 'string') return undefined;
	const [first, ...methods] = list.split(',').map((one) => one.trim().toUpperCase());
	return first === 'OPTIONS' && etag.includes('2-vyGp6PvFo4RvsFtPoIWeCReyIC8')
		? methods
		: undefined;
}

/** n8n's own words for a path that it does not have, and for a test URL at which nobody listens. */
const UNREGISTERED_PATH =
	/^The requested webhook "(?:GET )?([^"\p{Surrogate}]+)" is not registered\.$/u;
const unregisteredSchema = z.object({ code: z.literal(404), message: z.string() });

function isUnregistered({ status, text }: HttpResponse, url: string): boolean {
	const said = unregisteredSchema.safeParse(status === 404 ? parseJson(text) : undefined).data;
	const path = UNREGISTERED_PATH.exec(said?.message ?? '')?.[1];
	const segments = path?.split('/').map(encodeURIComponent).join('/');
	return segments !== undefined && new URL(normalizeUrl(url)).pathname.endsWith(`/${segments}`);
}

/** The status with which a proxy asks for a login: the target has not received the request. */
const PROXY_LOGIN = 407;
const NO_PROXY_LOGIN = `A proxy between n8n and the target URL asks for a login (status ${PROXY_LOGIN}).`;

/** What a response says of a target URL. `gone` only when that is certain: people delete such webhooks. */
function judge(response: HttpResponse, url: string): TargetStatus {
	const { status, headers } = response;
	if (isUnregistered(response, url)) return UNREGISTERED;
	if (status === PROXY_LOGIN) return { target: 'unknown', detail: NO_PROXY_LOGIN };
	if (status === 410) {
		return { target: 'gone', detail: 'The host says that it is gone (status 410).' };
	}
	const allowed = typeof headers.allow === 'string' ? headers.allow.toUpperCase() : '';
	if ((isSuccess(status) || status === 405) && /\bPOST\b/.test(allowed)) {
		return { target: 'live', detail: 'The host says that it accepts POST there.' };
	}
	return {
		target: 'unknown',
		detail: `The host does not say whether it accepts events there (status ${status}).`,
	};
}

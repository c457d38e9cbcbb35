/** What listens at target URLs: asks it and posts to it, without the service's credential and rate limiter. */
import type { RequestHelperFunctions } from 'n8n-workflow';
import { z } from 'zod';

import { isHttpUrl, normalizeUrl } from '../domain/targetUrl';
import { parseJson } from '../utils/json';
import { CONCURRENCY, ConcurrencyLimit } from '../utils/concurrency';
import { inOneLine, isCancelled, settleRequest } from '../api/errors';
import {
	isSuccess,
	plainSender,
	type HttpRequest,
	type HttpResponse,
	type Send,
} from '../api/http';

/**
 * The limits of a question: for *Check Many*, for the check whether n8n listens, and for a test run with a sample. The body of a 404 is
 * read, because n8n says in it that it does not know a path.
 */
const ASK = { timeoutMs: 5_000, maxBytes: (status: number) => (status === 404 ? 4_096 : 0) };
/** The limits of a delivery. */
const POST = { timeoutMs: 30_000, maxBytes: () => 0 };

/** What is known about a target URL. */
export type TargetStatus = {
	/** These values stand in items: they can never change. */
	target: 'live' | 'gone' | 'unreachable' | 'unknown';
	/** A sentence. Of the URL, it contains the host alone, because the rest may contain a token. */
	detail: string;
};

/**
 * The status if n8n says, in its own words, that it has no webhook at this very path. Any other 404 proves nothing, because
 * it may come from a proxy or from another program at the URL. It is recognized by identity, because others are `gone`, too.
 */
export const UNREGISTERED: TargetStatus = {
	target: 'gone',
	detail:
		'n8n has no webhook there: its workflow is not active, was deleted or has another path now, or the test run is over.',
};

/** The status if n8n says, in its own words, that it has a webhook at this very path. It is recognized by identity, too. */
export const REGISTERED: TargetStatus = { target: 'live', detail: 'n8n has a webhook there.' };

/** The status of a URL to which nothing can be sent; undefined for any other URL. */
export function unusable(targetUrl: string): TargetStatus | undefined {
	if (isHttpUrl(targetUrl)) return undefined;
	const detail = /^https?:\/\//i.test(targetUrl)
		? 'The target URL is not valid: check its host and port.'
		: 'The target URL does not begin with http:// or https://.';
	return { target: 'unknown', detail };
}

/**
 * Sends the requests of an execution to target URLs. No request follows a redirect, so that it reaches no other host than
 * the webhook names. Every method throws a RequestError when the execution is stopped.
 */
export class Targets {
	private readonly limit = new ConcurrencyLimit(CONCURRENCY);

	private readonly asked = new Map<string, Promise<TargetStatus>>();

	private readonly sendPlain: Send;

	/** @param signal of the execution, which the user may stop */
	constructor(
		ctx: { helpers: Pick<RequestHelperFunctions, 'httpRequest'> },
		private readonly signal: AbortSignal | undefined,
	) {
		this.sendPlain = plainSender(ctx);
	}

	/**
	 * Asks what a URL accepts, which starts nothing there (D46): with `OPTIONS`, then with a `GET` where n8n lists no
	 * method. Each URL is asked once in an execution, at most {@link CONCURRENCY} at a time.
	 */
	async ask(url: string): Promise<TargetStatus> {
		const key = new URL(url).href;
		const status = this.asked.get(key) ?? this.limit.run(async () => await this.askOnce(url));
		this.asked.set(key, status);
		return await status;
	}

	/** Posts JSON, as the service does (§6.3). @returns the response; a TargetStatus when the target has sent none */
	async post(url: string, body: object): Promise<HttpResponse | TargetStatus> {
		return await this.send({ ...POST, method: 'POST', url, body });
	}

	private async askOnce(url: string): Promise<TargetStatus> {
		const { origin, pathname } = new URL(url);
		// n8n lists the methods of a webhook only if a request has an origin. The URL's own origin tells its host nothing new.
		const headers = { Origin: origin };
		const response = await this.send({ ...ASK, method: 'OPTIONS', url, headers });
		if ('target' in response) return response;
		const methods = methodsOfN8n(response);
		if (methods?.includes('POST')) return REGISTERED;
		// If n8n lists no method, a GET starts nothing. At a path that ends with a slash, n8n lists no method either, but a GET
		// would start a webhook.
		if (methods?.length === 0 && !pathname.endsWith('/')) {
			// Another server may look like n8n, so only n8n's own words count.
			const getResponse = await this.send({ ...ASK, method: 'GET', url });
			if ('status' in getResponse && isUnregistered(getResponse, url)) return UNREGISTERED;
		}
		return judge(response, url);
	}

	private async send(request: HttpRequest): Promise<HttpResponse | TargetStatus> {
		const sent = await settleRequest(this.sendPlain(request, this.signal));
		if (sent.ok) return sent.value;
		const { error } = sent;
		if (isCancelled(error)) throw error;
		// This says nothing about the target.
		if (error.failure === 'blocked') return { target: 'unknown', detail: inOneLine(error) };
		// The description is about the Base URL.
		return { target: 'unreachable', detail: `${error.message} (${error.details.code}).` };
	}
}

/**
 * The methods that n8n has webhooks for at a path; undefined when another server has responded, whose list says nothing: many
 * servers allow the same methods at every path. n8n lists `OPTIONS` first. Its `ETag` is Express's for `{}`, and stays with
 * the 204, which has no body.
 */
function methodsOfN8n({ status, headers }: HttpResponse): string[] | undefined {
	const { etag, 'access-control-allow-methods': list } = headers;
	if (status !== 204 || typeof etag !== 'string' || typeof list !== 'string') return undefined;
	const [first, ...methods] = list.split(',').map((method) => method.trim().toUpperCase());
	return first === 'OPTIONS' && etag.includes('2-vyGp6PvFo4RvsFtPoIWeCReyIC8')
		? methods
		: undefined;
}

/** n8n's own words for a path that it does not have, and for a test URL at which nobody listens. */
const UNREGISTERED_PATH =
	/^The requested webhook "(?:GET )?([^"\p{Surrogate}]+)" is not registered\.$/u;
const unregisteredSchema = z.object({ code: z.literal(404), message: z.string() });

/** Whether n8n says in a response that it has no webhook at the path of a URL. */
function isUnregistered({ status, text }: HttpResponse, url: string): boolean {
	const body = unregisteredSchema.safeParse(status === 404 ? parseJson(text) : undefined).data;
	const path = UNREGISTERED_PATH.exec(body?.message ?? '')?.[1];
	const segments = path?.split('/').map(encodeURIComponent).join('/');
	return segments !== undefined && new URL(normalizeUrl(url)).pathname.endsWith(`/${segments}`);
}

/** What a response says about a target URL. It is `gone` only if that is certain, because people delete such webhooks. */
function judge(response: HttpResponse, url: string): TargetStatus {
	const { status, headers } = response;
	if (isUnregistered(response, url)) return UNREGISTERED;
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

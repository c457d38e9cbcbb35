/** A method for each route of the service's API. */
import type { IAllExecuteFunctions, ICredentialTestFunctions, IDataObject } from 'n8n-workflow';

import { ALL_EVENTS } from '../domain/eventTypes';
import {
	webhookListSchema,
	webhookSchema,
	type Webhook,
	type WebhookSettings,
} from '../domain/webhook';
import { deriveSecret } from '../domain/secret';
import { isJsonObject, parseJson } from '../utils/json';
import type { Outcome } from '../utils/settle';
import { formsOf, problemWithBody } from './acceptance';
import {
	accountIdOf,
	CREDENTIAL_TYPE,
	parseCredential,
	serviceIdOf,
	type ServiceCredential,
} from './credential';
import { settleRequest, type RequestError } from './errors';
import type { ResponseFailure } from './failures';
import {
	isSuccess,
	nodeSender,
	testSender,
	type HttpRequest,
	type HttpResponse,
	type Send,
} from './http';
import { isErrorBody, isKnownError, responseError } from './messages';
import { looksLikePage } from './quote';
import { ITEM, USER, type Policy } from './policy';
import type { RateLimiter, RateLimiters } from './rateLimiter';
import { withRetries } from './retry';

/**
 * The outcome of a deletion.
 * @property wasFound whether the service still had the webhook
 * @property webhook the fields of the webhook that the service has returned, if any
 */
export type Deleted = { wasFound: boolean; webhook: Partial<Webhook> };

/**
 * Something that is fetched once for all items of an execution: otherwise, each item would use a slot of the rate limit.
 */
class FetchedOnce<T> {
	private fetched: Promise<T> | undefined;

	/** Fetches it, unless it was fetched before. */
	async get(fetch: () => Promise<T>): Promise<T> {
		const fetched = this.fetched ?? fetch();
		this.fetched = fetched;
		// A failure is not kept, so that the next item tries again. The items that wait for it now get it all the same.
		fetched.catch(() => {
			if (this.fetched === fetched) this.fetched = undefined;
		});
		return await fetched;
	}

	/** Lets it be fetched again when it is needed next. */
	forget(): void {
		this.fetched = undefined;
	}
}

type ClientOptions = {
	/** Cancels the requests of an execution that the user stops, or of a change of a trigger's webhooks. */
	signal?: AbortSignal | undefined;
	/** How requests are retried; without it, as for an item of an execution. */
	policy?: Policy;
};

/** A credential that was read, and what its requests go through. */
type Connection = {
	credential: ServiceCredential;
	/** All requests of an account share it. */
	limiter: RateLimiter;
	send: Send;
};

/** A client for a node. @param rateLimiters of the process */
export const createClient = (
	ctx: IAllExecuteFunctions,
	{ rateLimiters }: { rateLimiters: RateLimiters },
	options: ClientOptions = {},
): Client =>
	new Client(options, async () => {
		// An execution uses the credential of its first item, as n8n's own helper does.
		const credential = parseCredential(await ctx.getCredentials(CREDENTIAL_TYPE));
		const send = nodeSender(ctx, credential);
		return { credential, limiter: rateLimiters.of(credential), send };
	});

/** A client for a credential test, whose user waits for the result. @param data the credential as n8n gives it */
export const createTestClient = (
	ctx: ICredentialTestFunctions,
	{ rateLimiters }: { rateLimiters: RateLimiters },
	data: unknown,
): Client =>
	new Client({ policy: { ...USER, attempts: 1 } }, async () => {
		const credential = parseCredential(data);
		const send = testSender(ctx, credential);
		return { credential, limiter: rateLimiters.of(credential), send };
	});

/** A request to the service. */
type ApiRequest<T> = Pick<HttpRequest, 'method' | 'qs'> & {
	/** The path below the base URL, with its leading slash and already encoded. */
	path: string;
	body?: object | undefined;
	/** The failures that mean another one for this request: it may be for another route than those of §4. */
	otherMeanings?: Partial<Record<ResponseFailure, ResponseFailure>>;
	/** The maximum number of bytes that are read of a success; without it, as few as of an error. */
	maxBytes?: number;
	/** The maximum number of levels of the JSON in its response; without it, as many as an item may have. */
	maxDepth?: number;
	/** Reads the result from a 2xx; returns undefined when the response does not contain it. */
	parse: (response: HttpResponse) => T | undefined;
	/** How long the response may take, in milliseconds, if not as long as the policy says. */
	timeoutMs?: number | undefined;
	/** Called each time the request is sent: from then on, the service may carry it out. */
	onSent?: (() => void) | undefined;
	/** Called each time the service has responded without the result. The request may be sent again. */
	onFailedAttempt?: ((error: RequestError) => void) | undefined;
};

/** The maximum number of bytes that are read of a list, of a schema, or of a success of any other route (D68). */
const MAX_LIST_BYTES = 16 * 1024 * 1024;
/** The maximum number of bytes that are read of all other responses. */
const MAX_OTHER_BYTES = 64 * 1024;

/** A request to any route (D99). @property path with its query, already encoded */
export type RouteRequest = Pick<HttpRequest, 'method'> & {
	path: string;
	body: object | undefined;
};

/** A successful response to a request to any route. @property text the body, which may be anything */
export type RouteResponse = { status: number; text: string };

/**
 * The service's API for one activation, execution or check. It reads the credential once, when it is first needed.
 * Everything throws a RequestError when a request fails or the credential cannot be used, and n8n's own error when n8n gives
 * no credential or sends nothing.
 * A cancellation ends every wait, and cuts off a request that is under way, except a POST or a PATCH: that runs to its end.
 */
export class Client {
	private connection: Promise<Connection> | undefined;

	constructor(
		private readonly options: ClientOptions,
		private readonly readCredential: () => Promise<Connection>,
		private readonly webhooks = new FetchedOnce<Webhook[]>(),
		private readonly peopleSchema = new FetchedOnce<object>(),
	) {}

	/** Cancels the requests of the client, and what else the caller does with it. */
	get signal(): AbortSignal | undefined {
		return this.options.signal;
	}

	/** A client with the same connection and lists, which nothing cancels. */
	uncancellable(): Client {
		return this.cancelledBy(undefined);
	}

	/** A client with the same connection and lists, whose requests a signal cancels. */
	cancelledBy(signal: AbortSignal | undefined): Client {
		const connect = async (): Promise<Connection> => await this.connected();
		const options = { ...this.options, signal };
		return new Client(options, connect, this.webhooks, this.peopleSchema);
	}

	/** The URL of the API, as the credential gives it. */
	async baseUrl(): Promise<string> {
		return (await this.connected()).credential.baseUrl;
	}

	/** Reads the credential, for whoever can do so only now. @throws RequestError when it cannot be used */
	async connect(): Promise<void> {
		await this.connected();
	}

	/** Identifies the service that the credential names: another Base URL is another service (D106). */
	async serviceId(): Promise<string> {
		return serviceIdOf(await this.baseUrl());
	}

	/** The secret that a trigger's webhook has (§6.4): derived from the API key and its target URL. */
	async secretFor(targetUrl: string): Promise<string> {
		return deriveSecret((await this.connected()).credential.apiKey, targetUrl);
	}

	/** All webhooks of the team (§4.1). The list is kept until a change, {@link listAgain} or a failure. */
	async listWebhooks(): Promise<Webhook[]> {
		return await this.webhooks.get(async () => await this.list());
	}

	/** The current definition of the People record, as the service returns it (§4.4). */
	async getPeopleSchema(): Promise<object> {
		return await this.peopleSchema.get(
			async () =>
				await this.request({
					method: 'GET',
					path: '/schema/people',
					maxBytes: MAX_LIST_BYTES,
					parse: parsePeopleSchema,
				}),
		);
	}

	/** All webhooks of the team, in a fresh list (§4.1). */
	async listAgain(): Promise<Webhook[]> {
		this.forgetList();
		return await this.listWebhooks();
	}

	/** Forgets the list after a change: one that was requested before or during the change may not show it. */
	readonly forgetList = (): void => {
		this.webhooks.forget();
	};

	/** Names the account of the credential, for locks: the same ID or URL may mean something else at another service. */
	async accountId(): Promise<string> {
		return accountIdOf((await this.connected()).credential);
	}

	/**
	 * Sends one create (§4.2). It is sent again only if `isRepeatable` of `retry.ts` allows it, and never cut off: its
	 * response may arrive long after a cancellation.
	 * @throws RequestError when it fails; its `maybeDone` says whether a webhook may exist
	 */
	async create(
		settings: WebhookSettings,
		options: Pick<ApiRequest<Webhook>, 'timeoutMs' | 'onSent' | 'onFailedAttempt'> = {},
	): Promise<Webhook> {
		const request = { ...createRequest(settings), ...options };
		return await this.request(request).finally(this.forgetList);
	}

	/**
	 * Deletes a webhook (§4.3). That it is gone already is no error. A 204, an empty body and the webhook itself mean that it
	 * is deleted; any other 2xx is an error (D3).
	 * @throws RequestError that says when the outcome is not known
	 */
	async deleteWebhook(id: string): Promise<Deleted> {
		const path = `/hooks/${encodeURIComponent(id)}`;
		const parse = (response: HttpResponse): Deleted | undefined => {
			const { status, text } = response;
			if (status === 204 || text.trim() === '') return { wasFound: true, webhook: {} };
			const webhook = parseWebhook(response);
			return webhook?._id === id ? { wasFound: true, webhook } : undefined;
		};
		const request = this.request({ method: 'DELETE', path, parse }).finally(this.forgetList);
		const outcome = await settleRequest(request);
		if (outcome.ok) return outcome.value;
		const { error } = outcome;
		// If an earlier attempt may have been carried out, the webhook is not found because that attempt has deleted it.
		if (error.failure === 'notFound') return { wasFound: error.maybeDone, webhook: {} };
		if (!error.maybeDone) throw error;
		throw error.with(
			`Whether the webhook ${id} is deleted is not known: check with the operation 'Get Many'.`,
		);
	}

	/**
	 * Sends a request to any other route (D99). Like a create, a POST or PATCH is sent again only if `isRepeatable` of
	 * `retry.ts` allows it.
	 * @throws RequestError that says when the outcome is not known
	 */
	async requestRoute({ method, path, body }: RouteRequest): Promise<RouteResponse> {
		const parse = ({ status, text }: HttpResponse): RouteResponse | undefined =>
			looksLikePage(text) || isKnownError(text) ? undefined : { status, text };
		const outcome = await settleRequest(
			this.request({
				method,
				path,
				body,
				maxBytes: MAX_LIST_BYTES,
				parse,
				// A path that does not exist says nothing about the Base URL here, and a conflict need not be about a target URL.
				otherMeanings: { noSuchPath: 'route', conflict: 'badRequest' },
			}),
		);
		// The request may have changed webhooks.
		if (method !== 'GET') this.forgetList();
		if (outcome.ok) return outcome.value;
		const { error } = outcome;
		if (method === 'GET' || !error.maybeDone) throw error;
		throw error.with(
			`Whether the service has carried out the request is not known: check that before you send it again.`,
		);
	}

	/** Reads the credential, unless it was read before. */
	private async connected(): Promise<Connection> {
		this.connection ??= this.readCredential();
		return await this.connection;
	}

	/** Sends a request until it has a result, or an error that no other attempt would change. */
	private async request<T>(request: ApiRequest<T>): Promise<T> {
		const { policy = ITEM, signal } = this.options;
		const connection = await this.connected();
		const timeoutMs = request.timeoutMs ?? policy.timeoutMs;
		const attempt = async (): Promise<T> => await this.attempt(request, connection, timeoutMs);
		const { method } = request;
		const { limiter } = connection;
		return await withRetries(attempt, { method, limiter, policy, cancel: signal });
	}

	/**
	 * Sends a request once.
	 * @returns the result that the request reads from the response
	 * @throws RequestError when there is no response, or none with the result
	 */
	private async attempt<T>(
		request: ApiRequest<T>,
		{ credential, limiter, send }: Connection,
		timeoutMs: number,
	): Promise<T> {
		// A POST or a PATCH cannot be taken back: if it were cut off, nobody would know its outcome.
		const isCancellable = request.method !== 'POST' && request.method !== 'PATCH';
		const cancel = isCancellable ? this.options.signal : undefined;

		const startedAt = performance.now();
		request.onSent?.();
		const response = await send(httpRequestFor(request, credential, timeoutMs), cancel);

		// The response says how much of the rate limit is used, whatever else it says.
		limiter.learn(response, startedAt);
		const outcome = readResponse(request, response, credential);
		if (outcome.ok) return outcome.value;
		// All requests with this key wait as long as the service asks, even if this one is not sent again.
		const { askedMs } = outcome.error.details;
		if (askedMs !== undefined) limiter.holdBack(askedMs);
		request.onFailedAttempt?.(outcome.error);
		throw outcome.error;
	}

	private async list(): Promise<Webhook[]> {
		const outcome = await settleRequest(
			this.request({ method: 'GET', path: '/hooks', maxBytes: MAX_LIST_BYTES, parse: parseList }),
		);
		if (outcome.ok) return outcome.value;
		// §7 documents 'Webhook not found' for the list, too. There it can only mean that there are no webhooks.
		if (outcome.error.failure === 'notFound') return [];
		throw outcome.error;
	}
}

/** The HTTP request that is sent for a request. */
const httpRequestFor = <T>(
	{ method, path, qs, body, maxBytes = MAX_OTHER_BYTES }: ApiRequest<T>,
	{ baseUrl }: ServiceCredential,
	timeoutMs: number,
): HttpRequest => ({
	method,
	url: `${baseUrl}${path}`,
	qs,
	body,
	headers: { Accept: 'application/json' },
	timeoutMs,
	maxBytes: (status) => (isSuccess(status) ? maxBytes : MAX_OTHER_BYTES),
});

/** Reads the result of a request from its response, or what the response means without it. */
function readResponse<T>(
	{ body, maxDepth, parse, otherMeanings }: ApiRequest<T>,
	response: HttpResponse,
	{ baseUrl, apiKey }: ServiceCredential,
): Outcome<T, RequestError> {
	const keyForms = formsOf(apiKey);
	const bodyFailure = problemWithBody(response, keyForms, maxDepth);
	if (isSuccess(response.status) && bodyFailure === undefined) {
		const value = parse(response);
		if (value !== undefined) return { ok: true, value };
	}
	// An error may quote the response, but not what is secret in the request. `keyForms` leaves out a short key, which texts
	// contain by chance. An error must not quote even that, so the key itself is added.
	const confidential = [apiKey, ...keyForms, ...secretsIn(body)];
	const facts = { confidential, bodyFailure, otherMeanings };
	return { ok: false, error: responseError(response, new URL(baseUrl).host, facts) };
}

/** The request for a create (§4.2). Optional settings are sent in query and body (D1), if they are set. */
function createRequest(settings: WebhookSettings): ApiRequest<Webhook> {
	const { targetUrl, event, secret, campaignId, isFirst, toolLinkId } = settings;
	const qs: NonNullable<HttpRequest['qs']> = {};
	if (campaignId) qs.campaignId = campaignId;
	if (isFirst) qs.isFirst = isFirst;
	if (toolLinkId !== undefined) qs.toolLinkId = toolLinkId;
	const body: IDataObject = { targetUrl, ...qs };
	if (event !== ALL_EVENTS) body.type = event;
	if (secret) body.secret = secret;
	// Only the documented fields of the response become an item, and the webhook exists however deep another field is.
	return { method: 'POST', path: '/hooks', qs, body, maxDepth: Infinity, parse: parseWebhook };
}

/** The secrets in the body of a request: that of a create, or those anywhere in the body of *Make an API Request*. */
function secretsIn(body: unknown): string[] {
	if (Array.isArray(body)) return body.flatMap(secretsIn);
	if (!isJsonObject(body)) return [];
	return Object.entries(body).flatMap(([name, value]) =>
		name === 'secret' && typeof value === 'string' ? [value] : secretsIn(value),
	);
}

const parseWebhook = ({ text }: HttpResponse): Webhook | undefined =>
	webhookSchema.safeParse(parseJson(text)).data;

/** The webhooks in a response; undefined for any other body, which does not come from the service (D6). */
const parseList = ({ text }: HttpResponse): Webhook[] | undefined =>
	webhookListSchema.safeParse(parseJson(text)).data;

/** The object or list in a response; undefined for an error (D6), and for any other value. */
function parsePeopleSchema({ text }: HttpResponse): object | undefined {
	const schema = parseJson(text);
	return typeof schema === 'object' && schema !== null && !isErrorBody(schema) ? schema : undefined;
}

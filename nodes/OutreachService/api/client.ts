/** A method for each route of the service's API. */
import type { IAllExecuteFunctions, ICredentialTestFunctions, IDataObject } from 'n8n-workflow';

import { ALL_EVENTS } from '../domain/eventTypes';
import {
	saysThereIsMore,
	webhookListSchema,
	webhookSchema,
	type Webhook,
	type WebhookList,
	type WebhookSettings,
} from '../domain/webhook';
import { webhookKeyOf, type WebhookKey } from '../domain/secret';
import { isJsonObject, parseJson } from '../utils/json';
import { settle } from '../utils/settle';
import { accountIdOf, CREDENTIAL_TYPE, parseCredential } from './credential';
import { settleRequest, type RequestError } from './errors';
import { isSuccess, nodeSender, testSender, type HttpRequest, type HttpResponse } from './http';
import { USER } from './policy';
import type { RateLimiters } from './rateLimiter';
import { sendRequest, type ApiRequest, type Connection, type RequestOptions } from './request';
import { failureByText, isErrorBody, reasonOfError } from './response';

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
		this.fetched ??= fetch();
		// A failure is not kept, so that the next item tries again. The items that wait for it now get it all the same.
		this.fetched.catch(() => this.forget());
		return await this.fetched;
	}

	/** Lets it be fetched again when it is needed next. */
	forget(): void {
		this.fetched = undefined;
	}
}

/** A client for a node. @param rateLimiters of the process */
export const createClient = (
	ctx: IAllExecuteFunctions,
	{ rateLimiters }: { rateLimiters: RateLimiters },
	options: RequestOptions = {},
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

/** A request to any route (D99). @property path with its query, already encoded */
export type RouteRequest = Pick<HttpRequest, 'method'> & {
	path: string;
	body: object | undefined;
};

/**
 * The service's API for one change, execution or verification, and for what goes on after it: a late create, or a removal. It reads
 * the credential once, when it is first needed.
 * Everything throws a RequestError when a request fails or the credential cannot be used, and n8n's own error when n8n gives
 * no credential or sends nothing.
 * A cancellation ends every wait, and cuts off a request that is under way, except a POST or a PATCH: that runs to its end.
 */
export class Client {
	constructor(
		private readonly options: RequestOptions,
		private readonly openConnection: () => Promise<Connection>,
		private readonly fetched = {
			connection: new FetchedOnce<Connection>(),
			list: new FetchedOnce<WebhookList>(),
			schema: new FetchedOnce<object>(),
		},
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
		return new Client({ ...this.options, signal }, this.openConnection, this.fetched);
	}

	/** The URL of the API, as the credential gives it. */
	async baseUrl(): Promise<string> {
		return (await this.connected()).credential.baseUrl;
	}

	/** What the API key gives the webhooks of triggers: their secrets, and a fingerprint that their target URLs contain. */
	async webhookKey(): Promise<WebhookKey> {
		return webhookKeyOf((await this.connected()).credential.apiKey);
	}

	/** All webhooks of the team (§4.1). The list is kept until a change, {@link listAgain} or a failure. */
	async listWebhooks(): Promise<WebhookList> {
		return await this.fetched.list.get(async () => {
			const list = this.request({ method: 'GET', path: '/hooks', parse: parseList });
			const outcome = await settleRequest(list);
			if (outcome.ok) return outcome.value;
			// §7 documents 'Webhook not found' for the list, too. There it can only mean that there are no webhooks.
			if (outcome.error.failure === 'notFound') return [];
			throw outcome.error;
		});
	}

	/** The current people schema, as the service returns it (§4.4). */
	async getPeopleSchema(): Promise<object> {
		return await this.fetched.schema.get(
			async () =>
				await this.request({ method: 'GET', path: '/schema/people', parse: parsePeopleSchema }),
		);
	}

	/** All webhooks of the team, in a fresh list (§4.1). */
	async listAgain(): Promise<WebhookList> {
		this.fetched.list.forget();
		return await this.listWebhooks();
	}

	/** The webhooks in a fresh list; undefined if there is none, for whoever has an error to report anyway. */
	async listIfPossible(): Promise<WebhookList | undefined> {
		const listed = await settle(this.listAgain());
		return listed.ok ? listed.value : undefined;
	}

	/** Names the account of the credential, for locks: the same ID or URL may mean something else at another service. */
	async accountId(): Promise<string> {
		return accountIdOf((await this.connected()).credential);
	}

	/**
	 * Sends one create (§4.2). It is sent again only if `retryDelay` allows it, and never cut off: its
	 * response may arrive long after a cancellation.
	 * @throws RequestError when it fails; its `maybeDone` says whether a webhook may exist
	 */
	async create(
		settings: WebhookSettings,
		options: Pick<ApiRequest<Webhook>, 'timeoutMs' | 'onSent' | 'onFailedAttempt'> = {},
	): Promise<Webhook> {
		const { targetUrl, event, secret, campaignId, isFirst, toolLinkId } = settings;
		// Optional settings are sent in query and body, if they are set (D1).
		const qs: NonNullable<HttpRequest['qs']> = {};
		if (campaignId) qs.campaignId = campaignId;
		if (isFirst) qs.isFirst = isFirst;
		if (toolLinkId !== undefined) qs.toolLinkId = toolLinkId;
		const body: IDataObject = { targetUrl, ...qs };
		if (event !== ALL_EVENTS) body.type = event;
		if (secret) body.secret = secret;
		return await this.request({
			method: 'POST',
			path: '/hooks',
			qs,
			body,
			parse: parseWebhook,
			purpose: 'create',
			...options,
		});
	}

	/**
	 * Deletes a webhook (§4.3). That it is gone already is no error. A 204, an empty body and the webhook itself mean that it
	 * is deleted. If a response does not say clearly what has happened, a fresh list tells (D3).
	 * @param options.wasListed whether the list has shown the webhook: only then does it prove something that a fresh one does not
	 * @throws RequestError that says when the outcome is not known
	 */
	async deleteWebhook(id: string, { wasListed }: { wasListed: boolean }): Promise<Deleted> {
		const path = `/hooks/${encodeURIComponent(id)}`;
		// A success may say in its body that the webhook was not there.
		let isDenied = false;
		const parse = (response: HttpResponse): Deleted | undefined => {
			const { status, text } = response;
			if (status === 204 || text.trim() === '') return { wasFound: true, webhook: {} };
			const json = parseJson(text);
			const isConfirmed = isJsonObject(json) && (json.success === true || json.ok === true);
			isDenied = reasonOfError(text) !== '' && !isConfirmed;
			const webhook = parseWebhook(response);
			return webhook?._id === id ? { wasFound: true, webhook } : undefined;
		};
		const outcome = await settleRequest(this.request({ method: 'DELETE', path, parse }));
		if (outcome.ok) return outcome.value;
		const { error } = outcome;
		// If an earlier attempt may have been carried out, the webhook is not found because that attempt has deleted it.
		if (error.failure === 'notFound') return { wasFound: error.maybeDone, webhook: {} };
		const listed = wasListed && mayMeanGone(error) ? await this.listIfPossible() : undefined;
		if (listed && !listed.some(({ _id }) => _id === id)) {
			return { wasFound: error.maybeDone && !isDenied, webhook: {} };
		}
		if (!error.maybeDone) throw error;
		throw error.with(
			`Whether the webhook ${id} is deleted is not known: check with the operation 'Get Many'.`,
		);
	}

	/**
	 * Sends a request to any other route (D99). Like a create, a POST or PATCH is sent again only if `retryDelay`
	 * allows it.
	 * @throws RequestError that says when the outcome is not known
	 */
	async requestRoute({ method, path, body }: RouteRequest): Promise<HttpResponse> {
		const parse = (response: HttpResponse): HttpResponse | undefined =>
			failureByText(response.text) ? undefined : response;
		const outcome = await settleRequest(
			this.request({ method, path, body, parse, purpose: 'route' }),
		);
		if (outcome.ok) return outcome.value;
		const { error } = outcome;
		if (method === 'GET' || !error.maybeDone) throw error;
		throw error.with(
			`Whether the service has carried out the request is not known: check that before you send it again.`,
		);
	}

	/** The connection of this client. It reads the credential, unless that was read before. */
	private async connected(): Promise<Connection> {
		return await this.fetched.connection.get(this.openConnection);
	}

	private async request<T>(request: ApiRequest<T>): Promise<T> {
		const sent = sendRequest(request, await this.connected(), this.options);
		if (request.method === 'GET') return await sent;
		// Whatever its outcome is, it may have changed webhooks, and a list that was requested meanwhile may not show it.
		return await sent.finally(() => this.fetched.list.forget());
	}
}

/**
 * Whether the response to a DELETE may mean that the webhook is gone, although it does not say so in the words of the API: a
 * 2xx with another body, or a 404 or 410. The Base URL may also be wrong, so a list must confirm it.
 */
const mayMeanGone = ({ failure, details: { status } }: RequestError): boolean =>
	failure === 'unusable' && (status === 404 || status === 410 || isSuccess(status ?? 0));

const parseWebhook = ({ text }: HttpResponse): Webhook | undefined =>
	webhookSchema.safeParse(parseJson(text)).data;

/** The webhooks in a response; undefined for any other body, which does not come from the service (D6). */
function parseList({ text, headers }: HttpResponse): WebhookList | undefined {
	const json = parseJson(text);
	const webhooks: WebhookList | undefined = webhookListSchema.safeParse(json).data;
	if (webhooks && saysThereIsMore(json, headers.link, webhooks.length)) webhooks.hasMore = true;
	return webhooks;
}

/** The object or list in a response; undefined for an error (D6), and for any other value. */
function parsePeopleSchema({ text }: HttpResponse): object | undefined {
	const schema = parseJson(text);
	return typeof schema === 'object' && schema !== null && !isErrorBody(schema) ? schema : undefined;
}

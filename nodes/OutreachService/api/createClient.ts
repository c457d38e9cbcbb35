import type { IAllExecuteFunctions, ICredentialTestFunctions } from 'n8n-workflow';

import type { ServiceCredential, Webhook, WebhookSettings } from '../model/schemas';
import { deriveSecret } from '../model/secret';
import type { Api, ClientState, RequestOptions } from './api';
import { createWebhook, type CreateOptions } from './createWebhook';
import { hostOf, readCredential } from './credential';
import { Delays } from './delays';
import { deleteWebhook, type Deleted } from './deleteWebhook';
import { RequestError } from './errors';
import { listWebhooks } from './listWebhooks';
import { getPeopleSchema } from './peopleSchema';
import { request, type Connection } from './request';
import { CREDENTIAL_TEST_POLICY, DEFAULT_POLICY, type RetryPolicy } from './retryPolicy';
import { nodeTransport, testTransport, type Transport } from './send';

/**
 * The service's API for one activation, execution or check. It reads the credential once, when it is first needed.
 * Everything throws a RequestError when a request fails, and a NodeOperationError when the credential cannot be used.
 */
export type Client = {
	/** How long its requests have waited because the service was busy or failed. */
	readonly delays: Delays;
	/** All webhooks of the team (§4.1). */
	listWebhooks(options?: RequestOptions): Promise<Webhook[]>;
	/**
	 * Creates a webhook (§4.2). When no response arrives, it finds out whether the webhook was created (D17); an error
	 * says so.
	 */
	createWebhook(settings: WebhookSettings, options?: CreateOptions): Promise<Webhook>;
	/** Deletes a webhook (§4.3); one that is gone already is no error. An error says when the outcome is unknown. */
	deleteWebhook(id: string, options?: RequestOptions): Promise<Deleted>;
	/** The current definition of the People record (§4.4). */
	getPeopleSchema(): Promise<object>;
	/** The address of the API, as the credential gives it. */
	baseUrl(): Promise<string>;
	/** The secret that a trigger's webhook has (§6.4): derived from the API key and its target URL. */
	secretFor(targetUrl: string): Promise<string>;
};

type Source = {
	transport: Transport;
	readCredential: () => Promise<ServiceCredential>;
	policy: RetryPolicy;
	/** Cancels the requests that heed it. */
	signal?: AbortSignal | undefined;
};

function clientOf(state: ClientState, source: Source): Client {
	const delays = new Delays();
	let connection: Promise<Connection> | undefined;
	const connect = async (): Promise<Connection> => {
		const credential = await source.readCredential();
		const limiter = state.limiters.for(credential);
		const { transport, policy } = source;
		return { transport, credential, limiter, policy, delays };
	};
	const connected = async (): Promise<Connection> => await (connection ??= connect());
	const api: Api = {
		state,
		policy: source.policy,
		request: async (what, options) =>
			await request(await connected(), what, { signal: source.signal, ...options }),
		failure: async (outcome, consequence) =>
			RequestError.of(outcome, hostOf((await connected()).credential), consequence),
	};
	return {
		delays,
		listWebhooks: async (options) => (await listWebhooks(api, options)).webhooks,
		createWebhook: async (settings, options) => await createWebhook(api, settings, options),
		deleteWebhook: async (id, options) => await deleteWebhook(api, id, options),
		getPeopleSchema: async () => await getPeopleSchema(api),
		baseUrl: async () => (await connected()).credential.baseUrl,
		secretFor: async (targetUrl) => deriveSecret((await connected()).credential.apiKey, targetUrl),
	};
}

/**
 * A client for a node.
 * @param options `signal` cancels its requests: that of an execution which the user may stop, or of a check
 */
export const createClient = (
	ctx: IAllExecuteFunctions,
	state: ClientState,
	{
		signal,
		policy = DEFAULT_POLICY,
	}: { signal?: AbortSignal | undefined; policy?: RetryPolicy | undefined } = {},
): Client =>
	clientOf(state, {
		transport: nodeTransport(ctx),
		readCredential: async () => await readCredential(ctx),
		policy,
		signal,
	});

/** A client for a credential test, whose user waits for the result. */
export const createTestClient = (
	ctx: ICredentialTestFunctions,
	state: ClientState,
	credential: ServiceCredential,
): Client =>
	clientOf(state, {
		transport: testTransport(ctx),
		readCredential: async () => credential,
		policy: CREDENTIAL_TEST_POLICY,
	});

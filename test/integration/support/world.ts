import dns from 'node:dns';

import { LoadOptionsContext } from 'n8n-core';
import type {
	INodeCredentialTestResult,
	INodeExecutionData,
	INodeListSearchResult,
	INodeParameters,
} from 'n8n-workflow';

import { deriveSecret } from '../../deriveSecret';
import {
	startService,
	type HookFields,
	type HookView,
	type RunningService,
	type ServiceOptions,
} from '../../../tools/service';
import {
	actionExecution,
	failureOf,
	type ActionExecution,
	type RunOptions,
	type ShownError,
} from './action';
import { additionalData, makeNode, N8n, type Credential } from './n8n';
import { post } from './post';
import { TriggerHost, type TriggerHostOptions } from './trigger';

/** `credential` replaces that of the local service, and `n8n` the process of the world. */
type ExecutionOptions = RunOptions & { credential?: Credential; n8n?: N8n };

const ELSEWHERE = 'api.outreach.example';
const { lookup } = dns;

type Parts = { service: RunningService; n8n: N8n; hosts: TriggerHost[] };

/** A world of its own for each test of the file: it starts before the test and ends after it. */
export function useWorld(options: ServiceOptions = {}): World {
	const world = new World(options);
	beforeEach(async () => {
		await world.start();
	});
	afterEach(async () => {
		jest.restoreAllMocks();
		await world.end();
	});
	return world;
}

/** A local service and a process of n8n, with the triggers and the executions of the action node that a test needs. */
export class World {
	private parts: Parts | undefined;

	constructor(private readonly options: ServiceOptions = {}) {}

	async start(): Promise<void> {
		const service = await startService({ control: false, ...this.options });
		this.parts = { service, n8n: new N8n(), hosts: [] };
	}

	async end(): Promise<void> {
		const { service, hosts } = this.running;
		this.parts = undefined;
		await Promise.all(hosts.map(async (host) => await host.stop()));
		await service.close();
		// n8n would respond by itself.
		expect(hosts.map(({ emptyResults }) => emptyResults)).toEqual(hosts.map(() => 0));
	}

	private get running(): Parts {
		if (!this.parts) throw new Error('The world exists only during a test');
		return this.parts;
	}

	get service(): RunningService {
		return this.running.service;
	}

	get n8n(): N8n {
		return this.running.n8n;
	}

	/** The webhooks that exist, oldest first. */
	get webhooks(): HookView[] {
		return this.service.hooks();
	}

	get webhookIds(): string[] {
		return this.webhooks.map(({ _id }) => _id);
	}

	/** The event type of each webhook, `*` for one of all events. */
	get webhookTypes(): string[] {
		return this.webhooks.map(({ type }) => type ?? '*');
	}

	/** Adds a webhook as another client of the service would. */
	addWebhook(fields: Partial<HookFields> & { team?: string } = {}): HookView {
		return this.service.addHook({ targetUrl: 'https://crm.test/in', ...fields });
	}

	/** The requests since a position in the log, as `METHOD /path`. */
	requests(since = 0): string[] {
		return this.service.requests
			.slice(since)
			.map(({ method, path }) => `${method} ${path.replace(/hoo_.*/, ':id')}`);
	}

	/** The requests that a task sends. */
	async requestsOf(task: () => Promise<unknown>): Promise<string[]> {
		const since = this.service.requests.length;
		await task();
		return this.requests(since);
	}

	/** Makes the service respond with a status to the next requests with a method. */
	refuse(method: string, status: number, times = 1): void {
		this.service.addFault({ kind: 'status', status, times, match: { method } });
	}

	/** Makes the service take long for the next request with a method. */
	delay(method: string, delayMs: number, more: { times?: number; skip?: number } = {}): void {
		this.service.addFault({ ...more, kind: 'delay', delayMs, match: { method } });
	}

	/**
	 * Posts an activity to a target URL with the secret of the webhook there, which the service need not have any more.
	 * @param options.to another URL to post it to
	 * @returns the status of the response
	 */
	async deliver(
		activity: object,
		{
			targetUrl = this.webhooks[0]!.targetUrl,
			apiKey = this.service.apiKey,
			to = targetUrl,
		}: { targetUrl?: string; apiKey?: string; to?: string } = {},
	): Promise<number> {
		const secret = deriveSecret(apiKey, targetUrl);
		return (await post(to, { ...activity, secret })).status;
	}

	/** Makes the service respond with this JSON to the next request with a method, without carrying it out. */
	respondOnce(method: string, body: object): void {
		this.service.addFault({
			kind: 'status',
			status: 200,
			body: JSON.stringify(body),
			contentType: 'application/json',
			match: { method },
		});
	}

	/** Runs a webhook operation of the action node, and returns its items. */
	async run(
		operation: string,
		parameters: INodeParameters = {},
		options: ExecutionOptions = {},
	): Promise<INodeExecutionData[]> {
		return await this.runNode({ resource: 'webhook', operation, ...parameters }, options);
	}

	/** Runs a webhook operation that must fail, and returns its error. */
	async fail(
		operation: string,
		parameters: INodeParameters = {},
		options: ExecutionOptions = {},
	): Promise<ShownError> {
		return await this.failNode({ resource: 'webhook', operation, ...parameters }, options);
	}

	/** Runs the action node with exactly these parameters. */
	async runNode(
		parameters: INodeParameters,
		options: ExecutionOptions = {},
	): Promise<INodeExecutionData[]> {
		return await this.execution(parameters, options).run();
	}

	/** Runs the action node with exactly these parameters, where it must fail. */
	async failNode(parameters: INodeParameters, options: ExecutionOptions = {}): Promise<ShownError> {
		return await failureOf(this.execution(parameters, options));
	}

	/** An execution of the action node that the test runs itself. */
	execution(
		parameters: INodeParameters = {},
		{ credential = this.service, n8n = this.n8n, ...options }: ExecutionOptions = {},
	): ActionExecution {
		return actionExecution(n8n, credential, parameters, options);
	}

	/** The list of webhooks in the editor. */
	async searchWebhooks(
		filter?: string,
		{ page, n8n = this.n8n }: { page?: string | undefined; n8n?: N8n } = {},
	): Promise<INodeListSearchResult> {
		const node = makeNode('outreachService', {});
		const { data } = additionalData(this.service);
		const context = new LoadOptionsContext(n8n.makeWorkflow([node]), node, data, '/webhookId');
		return await n8n.actionNode.methods.listSearch.searchWebhooks.call(context, filter, page);
	}

	/** Tests the credential as n8n does, with these values changed; with a `failure`, n8n sends no request. */
	async testCredential(
		change: Partial<Credential> = {},
		node: N8n['actionNode' | 'triggerNode'] = this.n8n.actionNode,
		failure?: Error,
	): Promise<INodeCredentialTestResult> {
		const { baseUrl, apiKey } = this.service;
		const { helpers } = this.execution().context;
		if (failure) {
			const request = async () => {
				throw failure;
			};
			Object.assign(helpers, { request });
		}
		return await node.methods.credentialTest.outreachServiceApiTest.call(
			// n8n gives such a test its helpers; the node uses one of them.
			{ helpers } as never,
			{ id: '1', name: '', type: 'outreachServiceApi', data: { baseUrl, apiKey, ...change } },
		);
	}

	/** A trigger with these events and options, not yet active. */
	async trigger(
		events: string[],
		options: INodeParameters = {},
		more: TriggerHostOptions = {},
	): Promise<TriggerHost> {
		const { baseUrl, apiKey } = this.service;
		const host = await TriggerHost.start(this.n8n, { baseUrl, apiKey }, { events, options }, more);
		this.running.hosts.push(host);
		return host;
	}

	/** A trigger whose workflow is active. */
	async activeTrigger(
		events: string[],
		options: INodeParameters = {},
		more: TriggerHostOptions = {},
	): Promise<TriggerHost> {
		const host = await this.trigger(events, options, more);
		await host.activate(more.mode === 'manual' ? 'manual' : 'activate');
		return host;
	}

	/** Gives a trigger's credential another API key, of the same team unless another is named. */
	useKey({ credential }: TriggerHost, apiKey: string, team?: string): void {
		this.service.addApiKey(apiKey, team);
		credential.apiKey = apiKey;
	}

	/** The local service, at a name that could be anywhere. */
	serviceElsewhere(): string {
		const resolve = (host: string, ...rest: unknown[]): unknown =>
			Reflect.apply(lookup, dns, [host === ELSEWHERE ? '127.0.0.1' : host, ...rest]);
		jest.spyOn(dns, 'lookup').mockImplementation(resolve);
		return this.service.baseUrl.replace('127.0.0.1', ELSEWHERE);
	}

	/** The warnings that the nodes write into n8n's log from now on. */
	spyOnWarnings() {
		return jest.spyOn(this.execution().context.logger, 'warn');
	}

	/** @returns a function that returns the texts of the warnings that the nodes have written into n8n's log from now on */
	warnings(): () => unknown[] {
		const { mock } = this.spyOnWarnings();
		return () => mock.calls.map(([text]) => text);
	}
}

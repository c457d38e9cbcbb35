import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { HookContext, TriggerContext, WebhookContext } from 'n8n-core';
import type {
	IDataObject,
	INode,
	INodeExecutionData,
	INodeParameters,
	IWebhookData,
	IWebhookResponseData,
	Workflow,
	WorkflowActivateMode,
} from 'n8n-workflow';

import {
	additionalData,
	makeNode,
	makeWorkflow,
	runtime,
	triggerNode,
	type Credential,
} from './n8n';

type Method = 'checkExists' | 'create' | 'delete';

/**
 * One trigger node in a workflow, in a stand-in for n8n's process: it calls the node's methods in n8n's order, in
 * n8n-core's contexts, and receives deliveries on a port of its own.
 */
export class TriggerHost {
	readonly started: INodeExecutionData[] = [];

	readonly answers: number[] = [];

	/** How often n8n would have answered what the node had answered already. */
	answeredTwice = 0;

	/** What was delivered, as it came. */
	readonly bodies: string[] = [];

	/**
	 * The status of n8n once the node let it start the workflow; a failing database makes it a 500. A promise is n8n
	 * that queues the execution; one that never resolves, a queued execution that was cancelled.
	 */
	takes: (item: IDataObject) => number | Promise<number> = () => 200;

	/** Requests that n8n has not ended yet. */
	underWay = 0;

	private server: Server | undefined;

	private readonly extra;

	constructor(
		readonly credential: Credential,
		public node: INode,
		public workflow: Workflow,
		private readonly mode: 'trigger' | 'manual' = 'trigger',
	) {
		this.extra = additionalData(credential);
	}

	static async start(
		credential: Credential,
		parameters: INodeParameters,
		options: { id?: string; mode?: 'trigger' | 'manual'; node?: Partial<INode> } = {},
	): Promise<TriggerHost> {
		const node = makeNode('outreachServiceTrigger', parameters, {
			webhookId: '00000000-0000-4000-8000-000000000001',
			...options.node,
		});
		const workflow = makeWorkflow([node], options.id === undefined ? {} : { id: options.id });
		const host = new TriggerHost(credential, node, workflow, options.mode);
		await host.listen();
		return host;
	}

	/** How often the credential was read from n8n's database. */
	get credentialReads(): number {
		return this.extra.reads();
	}

	failCredentialReads(error: Error | undefined): void {
		this.extra.failReads(error);
	}

	get staticData(): IDataObject {
		return this.workflow.getStaticData('node', this.node);
	}

	/** The static data as it would come back from n8n's database. */
	get savedStaticData(): Workflow['staticData'] {
		return JSON.parse(JSON.stringify(this.workflow.staticData)) as Workflow['staticData'];
	}

	/** The same workflow, loaded anew from what was saved, with other parameters if given. */
	reload(
		parameters: INodeParameters = this.node.parameters,
		staticData = this.savedStaticData,
	): void {
		this.node = { ...this.node, parameters };
		this.workflow = makeWorkflow([this.node], { id: this.workflow.id, staticData });
	}

	async call(method: Method, activation: WorkflowActivateMode = 'activate'): Promise<boolean> {
		const context = new HookContext(
			this.workflow,
			this.node,
			this.extra.data,
			// n8n removes the webhooks of an active workflow and of a test run in one and the same mode.
			method === 'delete' ? 'internal' : this.mode,
			activation,
			this.webhookData,
		);
		return await triggerNode.webhookMethods.default[method].call(context);
	}

	/** As n8n activates: `create` only if `checkExists` said false; a failure makes it call `delete`. */
	async activate(activation: WorkflowActivateMode = 'activate'): Promise<void> {
		try {
			if (!(await this.call('checkExists', activation))) await this.call('create', activation);
		} catch (error) {
			await this.call('delete').catch(() => undefined);
			throw error;
		}
	}

	async deactivate(): Promise<void> {
		await this.call('delete', 'update');
	}

	/**
	 * Calls trigger() as n8n does on activation and at each start, and keeps its clock.
	 * @returns the cron expression, `tick` to let the clock strike, and `close` for the deactivation
	 */
	async startClock(activation: WorkflowActivateMode = 'activate') {
		const clocks: Array<{ expression: string; strike: () => void }> = [];
		const context = new TriggerContext(
			this.workflow,
			this.node,
			this.extra.data,
			this.mode,
			activation,
			undefined,
			undefined,
			undefined,
			{
				registerCron: ({ expression }, onTick) => {
					clocks.push({
						expression,
						strike: () => {
							onTick(new Date());
						},
					});
				},
			},
		);
		const response = await triggerNode.trigger.call(context);
		return { clocks, context, close: async () => await response.closeFunction?.() };
	}

	/** Waits until nothing changes this node's webhooks any more. */
	async settled(): Promise<void> {
		await runtime.activeNodes.exclusively(this.place, async () => undefined);
	}

	/** Whether this process remembers the node as an active one. */
	get isRemembered(): boolean {
		return runtime.activeNodes.get(this.place) !== undefined;
	}

	private get place() {
		return { getWorkflow: () => this.workflow, getNode: () => this.node };
	}

	async stop(): Promise<void> {
		this.server?.closeAllConnections();
		await new Promise((resolve) => (this.server ? this.server.close(resolve) : resolve(undefined)));
	}

	private get webhookData(): IWebhookData {
		return {
			httpMethod: 'POST',
			node: this.node.name,
			path: `${this.node.webhookId ?? ''}/webhook`,
			webhookDescription: triggerNode.description.webhooks![0]!,
			workflowId: this.workflow.id,
			workflowExecuteAdditionalData: this.extra.data,
			isTest: this.mode === 'manual',
		};
	}

	/** Where n8n takes the deliveries of this node, without the event. */
	get address(): string {
		return `${this.extra.data.webhookBaseUrl}/${this.node.webhookId ?? ''}/webhook`;
	}

	/** Has this n8n name itself otherwise in its webhook addresses. */
	set webhookHost(host: string) {
		for (const name of ['webhookBaseUrl', 'webhookTestBaseUrl'] as const) {
			this.extra.data[name] = this.extra.data[name].replace('127.0.0.1', host);
		}
	}

	/** As when two workflows of one n8n have the same webhook path. */
	shareAddressOf({ extra }: TriggerHost): void {
		this.extra.data.webhookBaseUrl = extra.data.webhookBaseUrl;
	}

	private async listen(): Promise<void> {
		this.server = createServer((request, response) => {
			this.underWay += 1;
			void this.receive(request, response).finally(() => {
				this.underWay -= 1;
			});
		});
		await new Promise<void>((resolve) => this.server?.listen(0, '127.0.0.1', resolve));
		const { port } = this.server.address() as AddressInfo;
		this.extra.data.webhookBaseUrl = `http://127.0.0.1:${port}/webhook`;
		this.extra.data.webhookTestBaseUrl = `http://127.0.0.1:${port}/webhook-test`;
	}

	/** What n8n's web server does around the node's webhook(). */
	private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const raw = Buffer.concat(chunks);
		this.bodies.push(raw.toString());
		const url = new URL(request.url ?? '/', 'http://n8n.test');
		const isJson = request.headers['content-type']?.startsWith('application/json') === true;
		let body: unknown;
		try {
			body = isJson && raw.length > 0 ? JSON.parse(raw.toString()) : undefined;
		} catch {
			// n8n itself refuses a body that is not the JSON that it claims to be.
			response.statusCode = 422;
			response.end();
			return;
		}
		Object.assign(request, {
			body,
			query: queryOf(url.searchParams),
			params: {},
			readRawBody: async () => Object.assign(request, { rawBody: raw }),
		});
		Object.assign(response, {
			status: (code: number) => Object.assign(response, { statusCode: code }),
		});
		response.once('finish', () => this.answers.push(response.statusCode));
		const result = await this.webhook(request, response).catch((error: unknown) => error as Error);
		if (result instanceof Error) response.statusCode = 500;
		else if (result.noWebhookResponse) return;
		else if (response.writableEnded) this.answeredTwice += 1;
		else if (result.workflowData) {
			const items = result.workflowData[0] ?? [];
			response.statusCode = await this.takes(items[0]?.json ?? {});
			if (response.statusCode < 300) this.started.push(...items);
		}
		response.end();
	}

	private async webhook(
		request: IncomingMessage,
		response: ServerResponse,
	): Promise<IWebhookResponseData> {
		const data = { ...this.extra.data, httpRequest: request, httpResponse: response };
		const context = new WebhookContext(
			this.workflow,
			this.node,
			data as typeof this.extra.data,
			this.mode,
			this.webhookData,
			[],
			null,
		);
		return await triggerNode.webhook.call(context);
	}
}

/** As Express reads it: a parameter that is repeated is a list. */
const queryOf = (parameters: URLSearchParams) =>
	Object.fromEntries(
		[...new Set(parameters.keys())].map((name) => {
			const values = parameters.getAll(name);
			return [name, values.length > 1 ? values : values[0]];
		}),
	);

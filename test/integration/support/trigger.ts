import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parse as parseQuery } from 'node:querystring';

import { ExecuteContext, HookContext, TriggerContext, WebhookContext } from 'n8n-core';
import type {
	ExecutionError,
	IDataObject,
	INode,
	INodeExecutionData,
	INodeParameters,
	IWebhookData,
	IWebhookResponseData,
	Workflow,
	WorkflowActivateMode,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { createRunExecutionData } from 'n8n-workflow';

import { webhookBase } from '../../../nodes/OutreachService/domain/triggerUrl';
import { REMOVAL_GRACE_MS } from '../../../tools/host/grace';
import { additionalData, makeNode, N8n, type Credential } from './n8n';
import { n8nWith, respondWith } from './targets';

type Method = 'checkExists' | 'create' | 'delete';

export type TriggerHostOptions = {
	/** The ID of the workflow. */
	id?: string;
	/** `manual` for a test run. */
	mode?: 'trigger' | 'manual';
	node?: Partial<INode>;
};

/** How a process of n8n executes a workflow. */
type ExecutionOptions = {
	mode?: WorkflowExecuteMode;
	inWorker?: N8n;
};

/**
 * A workflow with one trigger node. Stands in for the rest of n8n: calls the node's methods in n8n's order, in n8n-core's
 * contexts, and receives deliveries on a port of its own.
 */
export class TriggerHost {
	/** The items with which the workflow was started. */
	readonly started: INodeExecutionData[] = [];

	/** The status of each response. */
	readonly statuses: number[] = [];

	/**
	 * How often the node neither responded nor started the workflow with an item, so that n8n would respond by itself, or started it
	 * although it had responded. It never may.
	 */
	emptyResults = 0;

	/** Of the calls of `webhook()`, as far as something still refers to them. */
	readonly contexts: Array<WeakRef<object>> = [];

	/** The body of each delivery, as received. */
	readonly bodies: string[] = [];

	/**
	 * The status with which n8n responds once the node has returned an item; 500 when its database fails. A promise
	 * stands for an execution that n8n queues, and one that never resolves for a queued execution that was cancelled.
	 */
	respond: (item: IDataObject, items: IDataObject[]) => number | Promise<number> = () => 200;

	/** Whether `webhook()` can ask for the URL of a test run: n8n 1 gives it that of the active workflow. */
	knowsTestUrl = true;

	/** Whether n8n has lost the listener of the active workflow. */
	hasLostListener = false;

	/** Whether n8n has called `delete`, after which it stops listening. */
	private isInactive = false;

	/** Whether n8n takes long to stop listening after `delete`, for example because of another trigger. */
	isSlowToStopListening = false;

	/** The status of a response to `OPTIONS`. n8n's is 204; a proxy in front of it may give another one. */
	optionsStatus = 204;

	/** What happens while n8n reads a body that it has not parsed; it may also fail. */
	duringRawRead: (response: ServerResponse) => Promise<void> = async () => undefined;

	/** The errors that the node had n8n save as failed executions. */
	readonly failedExecutions: ExecutionError[] = [];

	/** The titles of these executions. */
	get reports(): string[] {
		return this.failedExecutions.map(({ message }) => message);
	}

	/** Why n8n cannot save a failed execution. */
	saveFailure: Error | undefined;

	/** The deliveries to which n8n has not responded yet. */
	pending = 0;

	private server: Server | undefined;

	/** The cron jobs of the latest `trigger()`. */
	private jobs: Array<{ expression: string; onTick: (at: Date) => void }> = [];

	/** Ends the latest `trigger()`, as n8n does on deactivation. */
	close: () => Promise<void> = async () => undefined;

	private readonly extra;

	private constructor(
		private n8n: N8n,
		readonly credential: Credential,
		public node: INode,
		public workflow: Workflow,
		private readonly mode: 'trigger' | 'manual' = 'trigger',
	) {
		this.extra = additionalData(credential);
	}

	static async start(
		n8n: N8n,
		credential: Credential,
		parameters: INodeParameters,
		options: TriggerHostOptions = {},
	): Promise<TriggerHost> {
		const node = makeNode('outreachServiceTrigger', parameters, {
			webhookId: '00000000-0000-4000-8000-000000000001',
			...options.node,
		});
		const workflow = n8n.makeWorkflow([node], options.id === undefined ? {} : { id: options.id });
		const host = new TriggerHost(n8n, credential, node, workflow, options.mode);
		await host.listen();
		return host;
	}

	/** Has n8n queue executions. @returns a function that ends the queue, with the status of n8n's responses */
	queueExecutions(): (status: number) => void {
		let end: (status: number) => void = () => undefined;
		const queued = new Promise<number>((resolve) => {
			end = resolve;
		});
		this.respond = async () => await queued;
		return end;
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

	/** The static data as n8n's database would return it. */
	get savedStaticData(): Workflow['staticData'] {
		return JSON.parse(JSON.stringify(this.workflow.staticData)) as Workflow['staticData'];
	}

	/** Loads the workflow again from the saved static data, with new parameters if given. */
	reload(
		parameters: INodeParameters = this.node.parameters,
		staticData = this.savedStaticData,
	): void {
		this.node = { ...this.node, parameters };
		this.workflow = this.n8n.makeWorkflow([this.node], { id: this.workflow.id, staticData });
	}

	/**
	 * Continues in another process, as after a restart of n8n or in one of its webhook processes: only the static data
	 * is kept.
	 */
	moveToNewProcess(staticData = this.savedStaticData, n8n = new N8n()): void {
		this.n8n = n8n;
		this.jobs = [];
		this.close = async () => undefined;
		this.reload(undefined, staticData);
	}

	/** n8n starts again in another process, and with it the active workflow. */
	async restart(): Promise<void> {
		this.moveToNewProcess();
		await this.activate('init');
	}

	async call(method: Method, activation: WorkflowActivateMode = 'activate'): Promise<boolean> {
		this.isInactive = method === 'delete';
		const context = new HookContext(
			this.workflow,
			this.node,
			this.extra.data,
			// n8n uses the same mode to remove the webhooks of an active workflow and those of a test run.
			method === 'delete' ? 'internal' : this.mode,
			activation,
			this.webhookData,
		);
		return await this.n8n.triggerNode.webhookMethods.default[method].call(context);
	}

	/**
	 * Activates as n8n does: calls `create` only if `checkExists` returned false, then `trigger()`; and `delete` after a failure.
	 * If that failed, n8n would go on listening, and not activate the node the next time.
	 */
	async activate(activation: WorkflowActivateMode = 'activate'): Promise<void> {
		try {
			if (!(await this.call('checkExists', activation))) await this.call('create', activation);
		} catch (error) {
			await this.call('delete');
			await this.removal();
			throw error;
		}
		await this.startTrigger(activation);
	}

	/** Deactivates the workflow, and waits until the node has removed its webhooks in the background, or given up. */
	async deactivate(): Promise<void> {
		await this.call('delete', 'update');
		await this.close();
		await this.removal();
	}

	/** Waits until a removal that `delete` has begun in the background is over. */
	async removal(): Promise<void> {
		await new Promise((resolve) => setTimeout(resolve, REMOVAL_GRACE_MS + 100));
		await this.settled();
	}

	/** Publishes a change of the active workflow as n8n does: `delete`, then `create` at once. */
	async publish(parameters: INodeParameters = this.node.parameters): Promise<void> {
		await this.call('delete', 'update');
		await this.close();
		this.reload(parameters);
		await this.activate('update');
	}

	/** Calls `trigger()` as n8n does on activation and at each start. The test lets its cron job tick. */
	async startTrigger(activation: WorkflowActivateMode = 'activate'): Promise<TriggerHost> {
		this.jobs = [];
		const context = new TriggerContext(
			this.workflow,
			this.node,
			this.extra.data,
			this.mode,
			activation,
			undefined,
			undefined,
			(error) => {
				if (this.saveFailure) throw this.saveFailure;
				this.failedExecutions.push(error);
			},
			{ registerCron: ({ expression }, onTick) => this.jobs.push({ expression, onTick }) },
		);
		const { closeFunction } = await this.n8n.triggerNode.trigger.call(context);
		this.close = async () => await closeFunction?.();
		return this;
	}

	/** The cron expressions of the latest `trigger()`. */
	get schedules(): string[] {
		return this.jobs.map(({ expression }) => expression);
	}

	/** Lets the cron job tick once. n8n may do so once more after it has ended the trigger. */
	tick(): void {
		for (const { onTick } of this.jobs) onTick(new Date());
	}

	/** Lets the cron job tick, and waits until the check that this begins is done. */
	async check(times = 1): Promise<void> {
		for (let done = 0; done < times; done++) {
			this.tick();
			// The check is queued before anything else that changes this node's webhooks, so `settled` waits for it.
			await new Promise((resolve) => setTimeout(resolve, 0));
			await this.settled();
		}
	}

	/**
	 * Runs `execute()` on the items of an execution, as the process of n8n that executes workflows does.
	 * @param given.inWorker in another process, as a worker of queue mode
	 * @returns the items that the next node gets, from all outputs
	 */
	async execute(
		items: INodeExecutionData[],
		given: ExecutionOptions = {},
	): Promise<INodeExecutionData[]> {
		return (await this.outputs(items, given)).flat();
	}

	/** As {@link execute}. @returns the items of each output */
	async outputs(
		items: INodeExecutionData[],
		given: ExecutionOptions = {},
	): Promise<INodeExecutionData[][]> {
		// n8n stores an execution before it runs.
		const input = JSON.parse(JSON.stringify(items)) as INodeExecutionData[];
		const context = new ExecuteContext(
			this.workflow,
			this.node,
			{ ...this.extra.data, executionId: randomUUID() },
			given.mode ?? 'webhook',
			createRunExecutionData(),
			0,
			input,
			{ main: [input] },
			{ node: this.node, data: { main: [input] }, source: null },
			[],
		);
		return await (given.inWorker ?? this.n8n).triggerNode.execute.call(context);
	}

	/** Waits until nothing is changing this node's webhooks, those of a test run included. */
	async settled(): Promise<void> {
		const { triggerNodes } = this.n8n.runtime;
		const { base } = triggerNodes.active(this.nodeInWorkflow) ?? {};
		for (const url of new Set([base ?? this.webhookUrl, this.webhookUrl, this.testUrl])) {
			await triggerNodes.exclusively(webhookBase(url), async () => undefined);
		}
	}

	/** Whether the process keeps the node as an active one. */
	get isKnownToProcess(): boolean {
		return this.n8n.runtime.triggerNodes.active(this.nodeInWorkflow) !== undefined;
	}

	private get nodeInWorkflow() {
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
			webhookDescription: this.n8n.triggerNode.description.webhooks![0]!,
			workflowId: this.workflow.id,
			workflowExecuteAdditionalData: this.extra.data,
			isTest: this.mode === 'manual',
		};
	}

	private get hasListener(): boolean {
		return !this.hasLostListener && (!this.isInactive || this.isSlowToStopListening);
	}

	/** The node's webhook URL, without the event. */
	get webhookUrl(): string {
		return `${this.extra.data.webhookBaseUrl}/${this.node.webhookId ?? ''}/webhook`;
	}

	/** The URL of its test webhook, without the event. */
	get testUrl(): string {
		return `${this.extra.data.webhookTestBaseUrl}/${this.node.webhookId ?? ''}/webhook`;
	}

	/** Changes the host in n8n's webhook URLs. */
	set webhookHost(host: string) {
		for (const name of ['webhookBaseUrl', 'webhookTestBaseUrl'] as const) {
			this.extra.data[name] = this.extra.data[name].replace(/\/\/[^/]*?(?=:\d+\/)/, `//${host}`);
		}
	}

	/** Sets n8n's variables (`$vars`). */
	set variables(variables: IDataObject) {
		this.extra.data.variables = variables;
	}

	/** Gives n8n URLs below a path of another one's host, as a reverse proxy does; without a path, the same URLs. */
	moveBelow(path: string, { extra: { data: other } }: TriggerHost): void {
		const { data } = this.extra;
		for (const name of ['webhookBaseUrl', 'webhookTestBaseUrl', 'restApiUrl'] as const) {
			const { origin } = new URL(other[name]);
			data[name] = `${origin}${path}${new URL(data[name]).pathname}`;
		}
	}

	private async listen(): Promise<void> {
		this.server = createServer((request, response) => {
			const respond = async () => {
				this.pending += 1;
				try {
					await this.receive(request, response);
				} finally {
					this.pending -= 1;
				}
			};
			void respond();
		});
		await new Promise<void>((resolve) => this.server?.listen(0, '127.0.0.1', resolve));
		const { port } = this.server.address() as AddressInfo;
		this.extra.data.webhookBaseUrl = `http://127.0.0.1:${port}/webhook`;
		this.extra.data.webhookTestBaseUrl = `http://127.0.0.1:${port}/webhook-test`;
		this.extra.data.restApiUrl = `http://127.0.0.1:${port}/rest`;
	}

	/** What n8n's web server does around the node's webhook(). */
	private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const { method = '', url = '', headers } = request;
		// What n8n does by itself for a webhook that it has.
		if (method !== 'POST') {
			const methods = this.hasListener ? ['POST'] : [];
			const isProxy = method === 'OPTIONS' && this.optionsStatus !== 204;
			const respond = isProxy ? respondWith(this.optionsStatus) : n8nWith(...methods);
			respond(response, { method, url, headers, body: '' });
			return;
		}
		const raw = Buffer.concat(chunks);
		this.bodies.push(raw.toString());
		const isOfType = (type: string) => headers['content-type']?.startsWith(type) === true;
		let body: unknown;
		try {
			if (isOfType('application/json') && raw.length > 0) body = JSON.parse(raw.toString());
			if (isOfType('application/x-www-form-urlencoded')) body = parseQuery(raw.toString());
		} catch {
			// n8n itself rejects a body that is not the JSON that its content type promises.
			response.statusCode = 422;
			response.end();
			return;
		}
		// n8n keeps the bytes of a body that it has parsed.
		if (body !== undefined) Object.assign(request, { rawBody: raw });
		Object.assign(request, {
			body,
			query: parseQuery(/(?<=\?).*/.exec(url)?.[0] ?? ''),
			params: {},
			readRawBody: async () => {
				await this.duringRawRead(response);
				Object.assign(request, { rawBody: raw });
			},
		});
		Object.assign(response, {
			status: (code: number) => Object.assign(response, { statusCode: code }),
		});
		response.once('finish', () => this.statuses.push(response.statusCode));
		const result = await this.webhook(request, response).catch((error: unknown) => error as Error);
		if (result instanceof Error) response.statusCode = 500;
		else if (result.noWebhookResponse) return;
		else if (response.writableEnded) this.emptyResults += 1;
		else {
			const items = result.workflowData?.[0] ?? [];
			if (items.length === 0) this.emptyResults += 1;
			response.statusCode = await this.respond(
				items[0]?.json ?? {},
				items.map(({ json }) => json),
			);
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
		this.contexts.push(new WeakRef(context));
		if (!this.knowsTestUrl) {
			const ofActiveWorkflow = () => this.webhookUrl;
			Object.assign(context, {
				getWebhookResourceUrl: undefined,
				getNodeWebhookUrl: ofActiveWorkflow,
			});
		}
		return await this.n8n.triggerNode.webhook.call(context);
	}
}

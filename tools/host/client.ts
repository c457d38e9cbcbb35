import { setTimeout as pause } from 'node:timers/promises';
import { Agent, fetch } from 'undici';
import { z } from 'zod';
import { readExecutionData, type ExecutionData } from './executions';
import { waitFor, type WaitOptions } from './waitFor';

// Only the fields that tests and tools use; n8n's responses have many more.

const credentialSchema = z.object({ id: z.string(), name: z.string(), type: z.string() });
export type N8nCredential = z.infer<typeof credentialSchema>;

const credentialTestSchema = z.object({
	status: z.enum(['OK', 'Error']),
	message: z.string(),
});

const nodeSchema = z
	.object({
		id: z.string(),
		name: z.string(),
		type: z.string(),
		typeVersion: z.number(),
		position: z.tuple([z.number(), z.number()]),
		parameters: z.record(z.unknown()),
		credentials: z.record(z.object({ id: z.string().nullable(), name: z.string() })).optional(),
		webhookId: z.string().optional(),
	})
	.passthrough();
export type N8nNode = z.infer<typeof nodeSchema>;

const linkSchema = z.object({ node: z.string(), type: z.string(), index: z.number() });

/** By node and by connection type, such as `main` or `ai_tool`. */
const connectionsSchema = z.record(z.record(z.array(z.array(linkSchema).nullable())));

/** By node: pinned items that a manual run uses instead of running the node. */
const pinDataSchema = z.record(z.array(z.object({ json: z.record(z.unknown()) })));

const workflowSchema = z.object({
	id: z.string(),
	name: z.string(),
	active: z.boolean(),
	versionId: z.string(),
	nodes: z.array(nodeSchema),
	connections: connectionsSchema,
});
export type N8nWorkflow = z.infer<typeof workflowSchema>;

/** A workflow to create, in the format of an exported one. */
export const workflowDraftSchema = z.object({
	name: z.string(),
	nodes: z.array(nodeSchema),
	connections: connectionsSchema,
	settings: z.record(z.unknown()).optional(),
	pinData: pinDataSchema.optional(),
});
export type N8nWorkflowDraft = z.infer<typeof workflowDraftSchema>;

const executionSummarySchema = z.object({
	id: z.string(),
	workflowId: z.string(),
	/** Such as `new`, `running`, `success`, `error` or `crashed`. */
	status: z.string(),
	/** How it was started, such as `webhook`, `manual` or `trigger`. */
	mode: z.string(),
});
type N8nExecutionSummary = z.infer<typeof executionSummarySchema>;

const executionResponseSchema = executionSummarySchema.extend({
	/** Stored by n8n in the `flatted` format. */
	data: z.string(),
});

/** An execution with the output of its nodes. */
export type N8nExecution = N8nExecutionSummary & ExecutionData;

/** The progress and errors of an activation or deactivation. */
export interface N8nPublication {
	/** `in_progress` until n8n has carried out the change. */
	status: 'in_progress' | 'not_published' | 'published' | 'partial' | 'failed';
	/** The errors that the editor shows at the workflow's triggers. */
	errors: string[];
}

const publicationSchema = z
	.object({
		status: z.enum(['in_progress', 'not_published', 'published', 'partial', 'failed']),
		triggers: z.array(z.object({ errorMessage: z.string().nullable() })),
	})
	.transform(({ status, triggers }): N8nPublication => {
		const errors = triggers.flatMap(({ errorMessage }) => errorMessage ?? []);
		return { status, errors };
	});

const settingsSchema = z
	.object({
		userManagement: z.object({ showSetupOnFirstLoad: z.boolean() }),
		/** Absent in n8n 1. */
		useWorkflowPublicationService: z.boolean().default(false),
	})
	.transform(({ userManagement, useWorkflowPublicationService }) => ({
		isOwnerSetUp: !userManagement.showSetupOnFirstLoad,
		/** Whether n8n responds to an activation or deactivation before it carries it out: the default in n8n 2. */
		hasPublicationService: useWorkflowPublicationService,
	}));

/** A node's description as the editor gets it. */
const nodeTypeSchema = z.object({
	name: z.string(),
	displayName: z.string(),
	codex: z
		.object({ alias: z.array(z.string()).optional() })
		.passthrough()
		.optional(),
});
export type N8nNodeType = z.infer<typeof nodeTypeSchema>;

/** Thrown if n8n responds with anything but a 2xx. */
export class N8nRequestError extends Error {
	override readonly name = 'N8nRequestError';

	/** n8n's message, as its editor shows it. */
	readonly reason: string;

	constructor(
		request: string,
		readonly status: number,
		body: string,
	) {
		const reason = messageOf(body);
		super(`${request} failed with status ${status}: ${reason}`);
		this.reason = reason;
	}
}

interface Sent {
	query?: Record<string, string>;
	body?: unknown;
}

const REQUEST_TIMEOUT_MS = 60_000;
const REST_API_TIMEOUT_MS = 120_000;
/** n8n carries out nothing while its database takes long to respond, as on a machine that is busy. */
const DATABASE_ATTEMPTS = 30;

/** Unwraps a response: n8n's have the form `{ data: … }`, except for the files that it generates for its editor. */
function dataOf(text: string, request: string): unknown {
	if (text === '') return undefined;
	try {
		const parsed: unknown = JSON.parse(text);
		return typeof parsed === 'object' && parsed !== null && 'data' in parsed ? parsed.data : parsed;
	} catch (cause) {
		// During startup, n8n responds to /rest with its start page.
		throw new Error(`${request} did not return JSON: ${text.slice(0, 200)}`, { cause });
	}
}

const errorSchema = z.object({ message: z.string() });

/** n8n's error message, without the stack trace that comes with it. */
function messageOf(body: string): string {
	try {
		return errorSchema.parse(JSON.parse(body)).message;
	} catch {
		// Not n8n's format: the start of the body is more useful than a parse error.
		return body.slice(0, 500);
	}
}

/** The maximum time n8n takes to finish accepted events. */
const IDLE_TIMEOUT_MS = 300_000;

/** Lists, reads, retries and stops executions. */
class N8nExecutions {
	constructor(private readonly client: N8nClient) {}

	/** Lists the matching executions, newest first: all that are in progress, and the latest hundred of the others. */
	async list(filter: { workflowId: string; status?: string[] }): Promise<N8nExecutionSummary[]> {
		const query = { filter: JSON.stringify(filter), limit: '100' };
		const list = await this.client.send('GET', '/executions', { query });
		return z.object({ results: z.array(executionSummarySchema) }).parse(list).results;
	}

	/** Fetches an execution with its data. */
	async get(id: string): Promise<N8nExecution> {
		const { data, ...summary } = executionResponseSchema.parse(
			await this.client.read(`/executions/${id}`),
		);
		return { ...summary, ...(await readExecutionData(data)) };
	}

	/** Retries a failed execution, as _Retry_ in the editor does. Resolves once the retry has finished. */
	retry = (id: string) => this.client.send('POST', `/executions/${id}/retry`, { body: {} });

	/** Waits until no execution of a workflow is in progress. */
	async untilIdle(workflowId: string): Promise<void> {
		let idleChecks = 0;
		await waitFor(
			'all executions to finish',
			() => this.list({ workflowId, status: ['new', 'running'] }),
			(inProgress) => {
				idleChecks = inProgress.length === 0 ? idleChecks + 1 : 0;
				// Two consecutive checks, because n8n responds to the sender before it lists the execution.
				return idleChecks >= 2;
			},
			{ timeoutMs: IDLE_TIMEOUT_MS, everyMs: 250 },
		);
	}

	/**
	 * Waits until at least `count` executions of a workflow, up to a hundred, have finished, successfully or not.
	 *
	 * @returns all finished executions with their data, oldest first
	 * @throws if the time runs out
	 */
	async waitForFinished(
		workflowId: string,
		count: number,
		options?: WaitOptions,
	): Promise<N8nExecution[]> {
		const summaries = await waitFor(
			`${count} finished executions of workflow ${workflowId}`,
			() => this.list({ workflowId }),
			(executions) => executions.filter(isFinished).length >= count,
			options,
		);
		const ids = summaries.filter(isFinished).map(({ id }) => id);
		const finished: N8nExecution[] = [];
		// One by one: many requests at once make n8n on SQLite consider its database unavailable and respond with 503.
		for (const id of ids.reverse()) finished.push(await this.get(id));
		return finished;
	}
}

function isFinished({ status }: N8nExecutionSummary): boolean {
	return !['new', 'running', 'waiting', 'unknown'].includes(status);
}

/** The owner account. Not confidential: these n8n instances are short-lived and listen only on the loopback interface. */
export const owner = { email: 'owner@example.com', password: 'Outreach-demo-1' };

interface CredentialDraft {
	name: string;
	type: string;
	data: Record<string, unknown>;
}

/** Milliseconds in which n8n writes its list of nodes; usually a tenth of a second. */
const NODE_LIST_MS = 10_000;

const manualRunSchema = z.object({
	/** Whether the test URL is active: it accepts one delivery within two minutes. */
	waitingForWebhook: z.boolean().optional(),
});

/**
 * A client for n8n's internal REST API: sends requests as the editor does, and keeps the session cookie. Every method
 * throws N8nRequestError if a request fails, and ZodError if the response is of another form.
 */
export class N8nClient {
	readonly executions = new N8nExecutions(this);

	/** n8n ties each session to the browser ID that signed in. */
	private readonly browserId = crypto.randomUUID();

	private cookie = '';

	/** A connection for each request: while the machine is busy, n8n closes an idle one just as the next request is sent. */
	private readonly dispatcher = new Agent({ pipelining: 0 });

	/** @param url n8n's URL, such as http://127.0.0.1:5678 */
	constructor(readonly url: string) {}

	/** Sends a request below `/rest`, or to the path as it is if it ends in `.json`. @returns its data */
	async send(method: string, path: string, sent: Sent = {}, attempt = 1): Promise<unknown> {
		const { query = {}, body } = sent;
		const url = new URL(path.endsWith('.json') ? path : `/rest${path}`, this.url);
		for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
		const response = await fetch(url, {
			method,
			dispatcher: this.dispatcher,
			headers: {
				'browser-id': this.browserId,
				...(this.cookie !== '' && { cookie: this.cookie }),
				...(body !== undefined && { 'content-type': 'application/json' }),
			},
			...(body !== undefined && { body: JSON.stringify(body) }),
			signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
		});
		const text = await response.text();
		if (!response.ok && text.includes('Database is not ready') && attempt < DATABASE_ATTEMPTS) {
			await pause(1_000);
			return await this.send(method, path, sent, attempt + 1);
		}
		if (!response.ok) throw new N8nRequestError(`${method} ${path}`, response.status, text);
		const authCookie = response.headers.getSetCookie().find((line) => line.startsWith('n8n-auth='));
		if (authCookie !== undefined) this.cookie = authCookie.split(';')[0] ?? '';
		return dataOf(text, `${method} ${path}`);
	}

	/** Fetches any path unparsed, also to check what must not be in the response. */
	read = (path: string) => this.send('GET', path);

	/** Signs in as the owner, whom it sets up in a new n8n. Waits until n8n has a REST API, some time after it is ready. */
	async signIn(): Promise<void> {
		const { isOwnerSetUp } = await waitFor(
			"n8n's REST API",
			() => this.settings(),
			() => true,
			{ timeoutMs: REST_API_TIMEOUT_MS },
		);
		const { email, password } = owner;
		const [path, body] = isOwnerSetUp
			? ['/login', { emailOrLdapLoginId: email, password }]
			: ['/owner/setup', { ...owner, firstName: 'Demo', lastName: 'Owner' }];
		await this.send('POST', path, { body });
	}

	createCredential = async (body: CredentialDraft): Promise<N8nCredential> =>
		credentialSchema.parse(await this.send('POST', '/credentials', { body }));

	updateCredential = (id: string, body: CredentialDraft) =>
		this.send('PATCH', `/credentials/${id}`, { body });

	/**
	 * Tests a credential, as the editor does after _Save_: n8n 1 only tests stored credentials.
	 * A credential that fails the test is a result, not an error.
	 */
	testCredential = async (credentials: CredentialDraft & { id: string }) =>
		credentialTestSchema.parse(
			await this.send('POST', '/credentials/test', { body: { credentials } }),
		);

	createWorkflow = async (draft: N8nWorkflowDraft): Promise<N8nWorkflow> =>
		workflowSchema.parse(
			// n8n 1 requires `active`.
			await this.send('POST', '/workflows', { body: { active: false, settings: {}, ...draft } }),
		);

	/** Changes an inactive workflow, or the draft of an active one, which must then be activated again. */
	async updateWorkflow(id: string, changes: Partial<N8nWorkflowDraft>): Promise<N8nWorkflow> {
		const { versionId } = await this.getWorkflow(id);
		const body = { versionId, ...changes };
		return workflowSchema.parse(await this.send('PATCH', `/workflows/${id}`, { body }));
	}

	getWorkflow = async (id: string): Promise<N8nWorkflow> =>
		workflowSchema.parse(await this.read(`/workflows/${id}`));

	/**
	 * Activates the latest version. With the publication service, n8n responds before it registers any webhook, so wait for
	 * the outcome (see `activate`). Without it, n8n registers the webhooks first, or rejects the request with the
	 * reason.
	 */
	async activateWorkflow(id: string): Promise<void> {
		const { versionId } = await this.getWorkflow(id);
		await this.send('POST', `/workflows/${id}/activate`, { body: { versionId } });
	}

	/** Deactivates a workflow. As in `activateWorkflow`, n8n may respond before it removes any webhook. */
	async deactivateWorkflow(id: string): Promise<void> {
		await this.send('POST', `/workflows/${id}/deactivate`, { body: {} });
	}

	/** The outcome of the last activation or deactivation. Requires the publication service. */
	publicationOf = async (id: string): Promise<N8nPublication> =>
		publicationSchema.parse(await this.read(`/workflows/${id}/publication-status`));

	/**
	 * Runs a workflow manually, starting with one of its triggers. A webhook trigger only starts to listen: see
	 * `waitingForWebhook` in the response.
	 */
	async runWorkflow(id: string, triggerName: string): Promise<z.infer<typeof manualRunSchema>> {
		// n8n 1 runs the workflow in the request, with its pinned data and settings, and n8n 2 the stored one.
		const workflowData = await this.read(`/workflows/${id}`);
		const body = { workflowData, triggerToStartFrom: { name: triggerName } };
		return manualRunSchema.parse(await this.send('POST', `/workflows/${id}/run`, { body }));
	}

	/**
	 * Fetches every version of every node, as the editor lists them: some megabytes. While n8n loads a package anew it
	 * writes this file in place and serves what is there of it, which may be nothing: so it is read until it is whole.
	 */
	nodeTypes = async (): Promise<N8nNodeType[]> =>
		await waitFor(
			'n8n to write its list of nodes',
			async () => z.array(nodeTypeSchema).parse(await this.read('/types/nodes.json')),
			() => true,
			{ timeoutMs: NODE_LIST_MS },
		);

	/** Fetches n8n's settings. */
	settings = async () => settingsSchema.parse(await this.read('/settings'));
}

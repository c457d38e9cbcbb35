import { z } from 'zod';
import { N8nExecutions } from './executions';
import {
	credentialSchema,
	credentialTestSchema,
	nodeTypeSchema,
	publicationSchema,
	settingsSchema,
	workflowSchema,
	type N8nCredential,
	type N8nCredentialTest,
	type N8nNodeType,
	type N8nPublication,
	type N8nSettings,
	type N8nWorkflow,
	type N8nWorkflowDraft,
} from './schemas';
import { N8nSession } from './session';

export { errorOf, itemsOf, type ExecutionFilter, type N8nExecutions } from './executions';
export type * from './schemas';
export { N8nRequestError } from './session';

/** Whom n8n lets in. Made up: such an n8n listens on the loopback address only and lives for an hour. */
export const owner = { email: 'owner@example.com', password: 'Outreach-demo-1' };

export interface CredentialDraft {
	name: string;
	type: string;
	data: Record<string, unknown>;
}

const manualRunSchema = z.object({
	executionId: z.string().optional(),
	/** The test address is live: it takes one delivery, for up to two minutes. */
	waitingForWebhook: z.boolean().optional(),
});

/** What a person does in n8n's editor. Every method throws N8nRequestError when n8n refuses. */
export class N8nClient {
	readonly executions: N8nExecutions;

	private readonly session: N8nSession;

	constructor(readonly url: string) {
		this.session = new N8nSession(url);
		this.executions = new N8nExecutions(this.session);
	}

	/** Claims a new n8n, and signs in by that. */
	async setUpOwner(): Promise<void> {
		const body = { ...owner, firstName: 'Demo', lastName: 'Owner' };
		await this.session.request('POST', '/owner/setup', z.unknown(), { body });
	}

	async login(): Promise<void> {
		const body = { emailOrLdapLoginId: owner.email, password: owner.password };
		await this.session.request('POST', '/login', z.unknown(), { body });
	}

	async createCredential(draft: CredentialDraft): Promise<N8nCredential> {
		return this.session.request('POST', '/credentials', credentialSchema, { body: draft });
	}

	async updateCredential(id: string, draft: CredentialDraft): Promise<N8nCredential> {
		return this.session.request('PATCH', `/credentials/${id}`, credentialSchema, { body: draft });
	}

	async deleteCredential(id: string): Promise<void> {
		await this.session.request('DELETE', `/credentials/${id}`, z.unknown());
	}

	/**
	 * The test behind the editor's Save button, which saves first: n8n 1 tests nothing that it has not stored.
	 * A credential that fails it is a result, not an error.
	 */
	async testCredential(credentials: CredentialDraft & { id: string }): Promise<N8nCredentialTest> {
		const body = { credentials };
		return this.session.request('POST', '/credentials/test', credentialTestSchema, { body });
	}

	async createWorkflow(draft: N8nWorkflowDraft): Promise<N8nWorkflow> {
		// n8n 1 refuses a workflow that doesn't say it is inactive.
		const body = { active: false, settings: {}, ...draft };
		return this.session.request('POST', '/workflows', workflowSchema, { body });
	}

	/** Changes an inactive workflow, or the draft of an active one, which then needs activating again. */
	async updateWorkflow(id: string, changes: Partial<N8nWorkflowDraft>): Promise<N8nWorkflow> {
		const { versionId } = await this.getWorkflow(id);
		const body = { versionId, ...changes };
		return this.session.request('PATCH', `/workflows/${id}`, workflowSchema, { body });
	}

	async getWorkflow(id: string): Promise<N8nWorkflow> {
		return this.session.request('GET', `/workflows/${id}`, workflowSchema);
	}

	/** Deletes for good, which n8n allows for archived workflows only. */
	async deleteWorkflow(id: string): Promise<void> {
		await this.session.request('POST', `/workflows/${id}/archive`, z.unknown(), { body: {} });
		await this.session.request('DELETE', `/workflows/${id}`, z.unknown());
	}

	/**
	 * Activates the latest version. An n8n with the publication service returns before it has registered any webhook:
	 * poll the service. Another one has done so, or refuses with the reason why it could not.
	 */
	async activateWorkflow(id: string): Promise<void> {
		const { versionId } = await this.getWorkflow(id);
		const body = { versionId };
		await this.session.request('POST', `/workflows/${id}/activate`, z.unknown(), { body });
	}

	/** As with `activateWorkflow`, n8n may return before it has removed any webhook. */
	async deactivateWorkflow(id: string): Promise<void> {
		await this.session.request('POST', `/workflows/${id}/deactivate`, z.unknown(), { body: {} });
	}

	/** The outcome of the last activation or deactivation. Only an n8n with the publication service knows. */
	async publicationOf(id: string): Promise<N8nPublication> {
		return this.session.request('GET', `/workflows/${id}/publication-status`, publicationSchema);
	}

	/**
	 * Runs a workflow by hand, starting with one of its triggers. One that waits for a call only
	 * starts to listen: see `waitingForWebhook` in the answer.
	 */
	async runWorkflow(id: string, triggerName: string): Promise<z.infer<typeof manualRunSchema>> {
		// n8n 1 runs the workflow it is sent, n8n 2 the one it has.
		const workflowData = await this.getWorkflow(id);
		const body = { workflowData, triggerToStartFrom: { name: triggerName } };
		return this.session.request('POST', `/workflows/${id}/run`, manualRunSchema, { body });
	}

	/** Ends the listening that `runWorkflow` began. Returns before n8n has removed any webhook: poll the service. */
	async stopListening(id: string): Promise<void> {
		await this.session.request('DELETE', `/test-webhook/${id}`, z.unknown());
	}

	/** Any answer of the API as it is, to look for what must not be in it. */
	async read(path: string): Promise<unknown> {
		return this.session.request('GET', path, z.unknown());
	}

	/** Every version of every node, as the editor lists them; some megabytes. */
	async nodeTypes(): Promise<N8nNodeType[]> {
		return this.session.readFile('/types/nodes.json', z.array(nodeTypeSchema));
	}

	/** Answers once the REST API is there, which is some time after n8n says it is ready. */
	async settings(): Promise<N8nSettings> {
		return this.session.request('GET', '/settings', settingsSchema);
	}
}

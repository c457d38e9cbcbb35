import { z } from 'zod';
import { waitFor } from '../waitFor';
import { N8nExecutions } from './executions';
import {
	credentialSchema,
	credentialTestSchema,
	installedPackageSchema,
	nodeTypeSchema,
	publicationSchema,
	settingsSchema,
	workflowSchema,
	type N8nCredential,
	type N8nCredentialTest,
	type N8nInstalledPackage,
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

/** The owner account. Not confidential: these n8n instances are short-lived and listen only on the loopback interface. */
export const owner = { email: 'owner@example.com', password: 'Outreach-demo-1' };

export interface CredentialDraft {
	name: string;
	type: string;
	data: Record<string, unknown>;
}

/** Milliseconds in which n8n writes its list of nodes; usually a tenth of a second. */
const NODE_LIST_MS = 10_000;

const manualRunSchema = z.object({
	executionId: z.string().optional(),
	/** Whether the test URL is active: it accepts one delivery within two minutes. */
	waitingForWebhook: z.boolean().optional(),
});

/** A client for n8n's internal REST API, as the editor uses it. Every method throws N8nRequestError if a request fails. */
export class N8nClient {
	readonly executions: N8nExecutions;

	private readonly session: N8nSession;

	constructor(readonly url: string) {
		this.session = new N8nSession(url);
		this.executions = new N8nExecutions(this.session);
	}

	/** Creates the owner account of a new n8n, which also signs in. */
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
	 * Tests a credential, as the editor does after _Save_: n8n 1 only tests stored credentials.
	 * A credential that fails the test is a result, not an error.
	 */
	async testCredential(credentials: CredentialDraft & { id: string }): Promise<N8nCredentialTest> {
		const body = { credentials };
		return this.session.request('POST', '/credentials/test', credentialTestSchema, { body });
	}

	async createWorkflow(draft: N8nWorkflowDraft): Promise<N8nWorkflow> {
		// n8n 1 requires `active`.
		const body = { active: false, settings: {}, ...draft };
		return this.session.request('POST', '/workflows', workflowSchema, { body });
	}

	/** Changes an inactive workflow, or the draft of an active one, which must then be activated again. */
	async updateWorkflow(id: string, changes: Partial<N8nWorkflowDraft>): Promise<N8nWorkflow> {
		const { versionId } = await this.getWorkflow(id);
		const body = { versionId, ...changes };
		return this.session.request('PATCH', `/workflows/${id}`, workflowSchema, { body });
	}

	async getWorkflow(id: string): Promise<N8nWorkflow> {
		return this.session.request('GET', `/workflows/${id}`, workflowSchema);
	}

	/** Archives a workflow and deletes it permanently: n8n only deletes archived workflows. */
	async deleteWorkflow(id: string): Promise<void> {
		await this.session.request('POST', `/workflows/${id}/archive`, z.unknown(), { body: {} });
		await this.session.request('DELETE', `/workflows/${id}`, z.unknown());
	}

	/**
	 * Activates the latest version. With the publication service, n8n responds before it registers any webhook, so wait for
	 * the outcome (see `waitUntilSettled`). Without it, n8n registers the webhooks first, or rejects the request with the
	 * reason.
	 */
	async activateWorkflow(id: string): Promise<void> {
		const { versionId } = await this.getWorkflow(id);
		const body = { versionId };
		await this.session.request('POST', `/workflows/${id}/activate`, z.unknown(), { body });
	}

	/** Deactivates a workflow. As in `activateWorkflow`, n8n may respond before it removes any webhook. */
	async deactivateWorkflow(id: string): Promise<void> {
		await this.session.request('POST', `/workflows/${id}/deactivate`, z.unknown(), { body: {} });
	}

	/** The outcome of the last activation or deactivation. Requires the publication service. */
	async publicationOf(id: string): Promise<N8nPublication> {
		return this.session.request('GET', `/workflows/${id}/publication-status`, publicationSchema);
	}

	/**
	 * Runs a workflow manually, starting with one of its triggers. A webhook trigger only starts to listen: see
	 * `waitingForWebhook` in the response.
	 */
	async runWorkflow(id: string, triggerName: string): Promise<z.infer<typeof manualRunSchema>> {
		// n8n 1 runs the workflow in the request, n8n 2 the stored one.
		const workflowData = await this.getWorkflow(id);
		const body = { workflowData, triggerToStartFrom: { name: triggerName } };
		return this.session.request('POST', `/workflows/${id}/run`, manualRunSchema, { body });
	}

	/** Stops the listening that `runWorkflow` started. n8n responds before it removes any webhook, so poll the service. */
	async stopListening(id: string): Promise<void> {
		await this.session.request('DELETE', `/test-webhook/${id}`, z.unknown());
	}

	/**
	 * Installs a package from npm as _Settings > Community nodes_ does, or updates it.
	 * @throws N8nRequestError with n8n's reason
	 */
	async installPackage(name: string, { isUpdate = false } = {}): Promise<N8nInstalledPackage> {
		return this.session.request(
			isUpdate ? 'PATCH' : 'POST',
			'/community-packages',
			installedPackageSchema,
			{ body: { name } },
		);
	}

	/** Uninstalls a package that was installed from npm. */
	async uninstallPackage(name: string): Promise<void> {
		await this.session.request('DELETE', '/community-packages', z.unknown(), { query: { name } });
	}

	/** Fetches any path unparsed, to check what must not be in the response. */
	async read(path: string): Promise<unknown> {
		return this.session.request('GET', path, z.unknown());
	}

	/**
	 * Fetches every version of every node, as the editor lists them: some megabytes. While n8n loads a package anew it
	 * writes this file in place and serves what is there of it, which may be nothing: so it is read until it is whole.
	 */
	async nodeTypes(): Promise<N8nNodeType[]> {
		return await waitFor(
			'n8n to write its list of nodes',
			() => this.session.readFile('/types/nodes.json', z.array(nodeTypeSchema)),
			() => true,
			{ timeoutMs: NODE_LIST_MS },
		);
	}

	/** Fetches n8n's settings. The REST API becomes available some time after n8n reports that it is ready. */
	async settings(): Promise<N8nSettings> {
		return this.session.request('GET', '/settings', settingsSchema);
	}
}

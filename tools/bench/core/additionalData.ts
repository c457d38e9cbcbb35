/** What n8n hands to n8n-core for an execution. Of n8n itself, only what hands out the credential is ours. */
import '../../host/n8nCoreSettings';
import { ExecutionLifecycleHooks, ExternalSecretsProxy } from 'n8n-core';
import {
	ICredentialsHelper,
	type ICredentialDataDecryptedObject,
	type ICredentials,
	type IHttpRequestOptions,
	type INodeCredentialsDetails,
	type INodeProperties,
	type IRequestOptionsSimplified,
	type IWorkflowExecuteAdditionalData,
	type Workflow,
	type WorkflowExecuteMode,
} from 'n8n-workflow';

export interface KeyAndAddress {
	baseUrl: string;
	apiKey: string;
}

const unused = async (): Promise<never> => {
	throw new Error('Nothing that is measured needs this');
};

/** Has one credential, and signs every request as the interface wants it (§5.3). */
class OneCredential extends ICredentialsHelper {
	constructor(private readonly credential: KeyAndAddress) {
		super();
	}

	getParentTypes = (): string[] => [];

	isCredentialUsableByNode = (): boolean => true;

	preAuthentication = async (): Promise<undefined> => undefined;

	runPreAuthentication = async (): Promise<undefined> => undefined;

	getCredentials = (): Promise<ICredentials> => unused();

	updateCredentials = unused;

	updateCredentialsOauthTokenData = unused;

	getCredentialsProperties = (): INodeProperties[] => [];

	/** As our credential holds it, and as a user of the HTTP Request node enters it. */
	async getDecrypted(
		_data: IWorkflowExecuteAdditionalData,
		_node: INodeCredentialsDetails,
		type: string,
	): Promise<ICredentialDataDecryptedObject> {
		const { apiKey } = this.credential;
		return type === 'httpBasicAuth' ? { user: '', password: apiKey } : { ...this.credential };
	}

	async authenticate(
		_credentials: ICredentialDataDecryptedObject,
		_type: string,
		options: IHttpRequestOptions | IRequestOptionsSimplified,
	): Promise<IHttpRequestOptions> {
		if (!('url' in options)) return await unused();
		const key = Buffer.from(`:${this.credential.apiKey}`).toString('base64');
		return { ...options, headers: { ...options.headers, Authorization: `Basic ${key}` } };
	}
}

const BASE = 'http://n8n.test';

export function additionalDataFor(
	workflow: Workflow,
	mode: WorkflowExecuteMode,
	credential: KeyAndAddress,
): IWorkflowExecuteAdditionalData {
	const { id, name, nodes, connectionsBySourceNode: connections } = workflow;
	const now = new Date();
	return {
		credentialsHelper: new OneCredential(credential),
		externalSecretsProxy: new ExternalSecretsProxy(),
		hooks: new ExecutionLifecycleHooks(mode, '1', {
			...{ id, name: name ?? '', nodes: Object.values(nodes), connections },
			...{ active: true, activeVersionId: null, isArchived: false, createdAt: now, updatedAt: now },
		}),
		executionId: '1',
		currentNodeExecutionIndex: 0,
		restApiUrl: `${BASE}/rest`,
		instanceBaseUrl: `${BASE}/`,
		formBaseUrl: `${BASE}/form`,
		formWaitingBaseUrl: `${BASE}/form-waiting`,
		formTestBaseUrl: `${BASE}/form-test`,
		webhookBaseUrl: `${BASE}/webhook`,
		webhookWaitingBaseUrl: `${BASE}/webhook-waiting`,
		webhookTestBaseUrl: `${BASE}/webhook-test`,
		mcpBaseUrl: `${BASE}/mcp`,
		mcpTestBaseUrl: `${BASE}/mcp-test`,
		variables: {},
		logAiEvent: () => undefined,
		executeWorkflow: unused,
		getRunExecutionData: async () => undefined,
		getRuntimeCredential: async () => undefined,
		startRunnerTask: unused,
	};
}

/** The data that n8n passes to n8n-core for an execution, with our own credentials helper. */
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

export interface ServiceCredential {
	baseUrl: string;
	apiKey: string;
}

const unused = async (): Promise<never> => {
	throw new Error('Not implemented: the benchmark does not need it');
};

/** Has one credential, and authenticates every request as the API requires (§5.3). */
class OneCredential extends ICredentialsHelper {
	constructor(private readonly credential: ServiceCredential) {
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

	/** Returns the data of our credential, or of the Basic Auth credential for the HTTP Request node. */
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
	credential: ServiceCredential,
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

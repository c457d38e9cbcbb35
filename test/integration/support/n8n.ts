/** n8n-core's real contexts around the built nodes; of n8n itself only what hands out the credential is ours. */
import { createHash, randomUUID } from 'node:crypto';

import type {
	ICredentialDataDecryptedObject,
	IHttpRequestOptions,
	INode,
	INodeParameters,
	INodeType,
	INodeTypes,
	IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';

import { OutreachService, OutreachServiceApi, OutreachServiceTrigger, Runtime } from './built';

export const PACKAGE = 'n8n-nodes-outreach-service';

/** What this process remembers. n8n's process is the test file; both nodes share it. */
export const runtime = new Runtime();
export const actionNode = new OutreachService(runtime);
export const triggerNode = new OutreachServiceTrigger(runtime);

const NODES: Record<string, INodeType> = {
	[`${PACKAGE}.outreachService`]: actionNode,
	[`${PACKAGE}.outreachServiceTrigger`]: triggerNode,
};

const nodeTypes: INodeTypes = {
	getByName: (name) => nodeType(name),
	getByNameAndVersion: (name) => nodeType(name),
	getKnownTypes: () => ({}),
};

function nodeType(name: string): INodeType {
	const found = NODES[name];
	if (!found) throw new Error(`There is no node ${name}`);
	return found;
}

/** What the user put into the credential; a test may change it, as a user would. */
export type Credential = { baseUrl: string; apiKey: string };

/** What n8n hands to its contexts. `reads` counts the looks into the database for the credential. */
export function additionalData(credential: Credential): {
	data: IWorkflowExecuteAdditionalData;
	reads: () => number;
	failReads: (error: Error | undefined) => void;
} {
	let reads = 0;
	let failure: Error | undefined;
	const api = new OutreachServiceApi();
	const data = {
		credentialsHelper: {
			getParentTypes: () => [],
			isCredentialUsableByNode: () => true,
			preAuthentication: async () => undefined,
			authenticate: async (
				credentials: ICredentialDataDecryptedObject,
				_type: string,
				options: IHttpRequestOptions,
			) => await api.authenticate(credentials, options),
			getDecrypted: async () => {
				reads += 1;
				if (failure) throw failure;
				return { baseUrl: credential.baseUrl, apiKey: credential.apiKey };
			},
			getCredentialsProperties: () => api.properties,
		},
		currentNodeParameters: undefined,
		executionId: '1',
		webhookBaseUrl: 'http://n8n.test/webhook',
		webhookTestBaseUrl: 'http://n8n.test/webhook-test',
		restApiUrl: 'http://n8n.test/rest',
		instanceBaseUrl: 'http://n8n.test/',
		webhookWaitingBaseUrl: 'http://n8n.test/webhook-waiting',
		formWaitingBaseUrl: 'http://n8n.test/form-waiting',
		hooks: { runHook: async () => undefined, handlers: {} },
		variables: {},
		setExecutionStatus: () => undefined,
		sendDataToUI: () => undefined,
	};
	return {
		data: data as unknown as IWorkflowExecuteAdditionalData,
		reads: () => reads,
		failReads: (error) => {
			failure = error;
		},
	};
}

export function makeNode(
	type: 'outreachService' | 'outreachServiceTrigger',
	parameters: INodeParameters,
	extra: Partial<INode> = {},
): INode {
	const name = extra.name ?? (type === 'outreachService' ? 'Outreach Service' : 'Trigger');
	return {
		// Always the same for a name, so that a second workflow object is the same node again.
		id: createHash('sha256').update(name).digest('hex').slice(0, 12),
		name,
		type: `${PACKAGE}.${type}`,
		typeVersion: type === 'outreachService' ? 1 : 1.1,
		position: [0, 0],
		parameters,
		credentials: { outreachServiceApi: { id: '1', name: 'Outreach' } },
		...extra,
	};
}

export function makeWorkflow(
	nodes: INode[],
	options: { id?: string; staticData?: Workflow['staticData'] } = {},
): Workflow {
	return new Workflow({
		id: options.id ?? randomUUID(),
		name: 'Test',
		nodes,
		connections: {},
		active: true,
		nodeTypes,
		...(options.staticData ? { staticData: options.staticData } : {}),
	});
}

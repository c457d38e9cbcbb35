/** The built nodes for n8n-core's real contexts. Of n8n itself, only the part that provides the credential is ours. */
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

const PACKAGE = 'n8n-nodes-outreach-service';

/** One process of n8n: the two nodes of the package and their runtime. */
export class N8n {
	readonly runtime = new Runtime();

	readonly actionNode = new OutreachService(this.runtime);

	readonly triggerNode = new OutreachServiceTrigger(this.runtime);

	private readonly nodes = new Map<string, INodeType>([
		[`${PACKAGE}.outreachService`, this.actionNode],
		[`${PACKAGE}.outreachServiceTrigger`, this.triggerNode],
	]);

	private readonly nodeTypes: INodeTypes = {
		getByName: (name) => this.nodeType(name),
		getByNameAndVersion: (name) => this.nodeType(name),
		getKnownTypes: () => ({}),
	};

	private nodeType(name: string): INodeType {
		const found = this.nodes.get(name);
		if (!found) throw new Error(`There is no node ${name}`);
		return found;
	}

	/** An active workflow with these nodes. */
	makeWorkflow(
		nodes: INode[],
		options: { id?: string; staticData?: Workflow['staticData'] } = {},
	): Workflow {
		return new Workflow({
			id: options.id ?? randomUUID(),
			name: 'Test',
			nodes,
			connections: {},
			active: true,
			nodeTypes: this.nodeTypes,
			...(options.staticData ? { staticData: options.staticData } : {}),
		});
	}
}

/** The values of the credential. A test may change them, as a user would. */
export type Credential = { baseUrl: string; apiKey: string };

/**
 * What n8n passes to its contexts. `reads` returns how often the credential was read from the database, and `failReads`
 * makes these reads fail.
 */
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
				return { ...credential };
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
		// Derived from the name, so that the node keeps its ID when the workflow is loaded again.
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

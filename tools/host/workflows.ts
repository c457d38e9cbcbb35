import { randomUUID } from 'node:crypto';
import { PACKAGE_NAME } from './packageTarball';
import type { N8nClient, N8nCredential, N8nNode, N8nWorkflowDraft } from './client';

export const TRIGGER_NAME = 'Outreach Service Trigger';
/** The name of {@link nextNode}. */
export const NEXT_NODE = 'No Operation';

/** Creates a credential for the local service in n8n. */
export async function createServiceCredential({
	server: { client },
	service: { baseUrl, apiKey },
}: {
	server: { client: N8nClient };
	service: { baseUrl: string; apiKey: string };
}): Promise<N8nCredential> {
	return client.createCredential({
		// As n8n would call it.
		name: 'Outreach Service account',
		type: 'outreachServiceApi',
		data: { baseUrl, apiKey },
	});
}

/** A node in a workflow to create. Those that are started by a webhook need a `webhookId`, as the editor sets it. */
export function node(
	name: string,
	type: string,
	typeVersion: number,
	parameters: Record<string, unknown> = {},
	more: Partial<N8nNode> = {},
): N8nNode {
	return { id: randomUUID(), name, type, typeVersion, position: [0, 0], parameters, ...more };
}

type Credential = Pick<N8nCredential, 'id' | 'name' | 'type'>;

/** The credential of a node. */
export const using = ({ type, id, name }: Credential): Pick<N8nNode, 'credentials'> => ({
	credentials: { [type]: { id, name } },
});

/** A workflow of these nodes, each connected to the next, from left to right. */
export function chain(name: string, nodes: N8nNode[]): N8nWorkflowDraft {
	const connections: N8nWorkflowDraft['connections'] = {};
	for (const [index, to] of nodes.slice(1).entries()) {
		const from = nodes[index]?.name ?? '';
		connections[from] = { main: [[{ node: to.name, type: 'main', index: 0 }]] };
	}
	const placed = nodes.map((one, index): N8nNode => ({ ...one, position: [224 * index, 0] }));
	return { name, nodes: placed, connections };
}

/** n8n's Webhook node at `/webhook/<path>`. Responds immediately, unless `parameters` say otherwise. */
export const webhookNode = (
	path: string,
	parameters: object = {},
	more: Partial<N8nNode> = {},
): N8nNode =>
	node(
		'Webhook',
		'n8n-nodes-base.webhook',
		2.1,
		{ httpMethod: 'POST', path, options: {}, ...parameters },
		{ webhookId: path, ...more },
	);

/** The trigger, with these parameters. */
export const triggerNode = (
	credential: Credential,
	parameters: Record<string, unknown>,
	name = TRIGGER_NAME,
): N8nNode =>
	node(name, `${PACKAGE_NAME}.outreachServiceTrigger`, 1.1, parameters, {
		...using(credential),
		webhookId: randomUUID(),
	});

/** Passes on what it gets: the node at the end of a workflow. */
export const nextNode = (): N8nNode => node(NEXT_NODE, 'n8n-nodes-base.noOp', 1);

/** A workflow with the trigger, with these parameters, and a No Operation node. */
export const triggerWorkflow = (
	credential: Credential,
	parameters: Record<string, unknown>,
): N8nWorkflowDraft =>
	chain(`Trigger ${randomUUID()}`, [triggerNode(credential, parameters), nextNode()]);

/** The names of the nodes in {@link actionWorkflow}. */
export const START_NAME = 'Start';
export const ACTION_NAME = 'Outreach Service';

/** The action node, with these parameters. */
export const actionNode = (credential: Credential, parameters: Record<string, unknown>): N8nNode =>
	node(ACTION_NAME, `${PACKAGE_NAME}.outreachService`, 1, parameters, using(credential));

/** A workflow that is started by hand and runs the action node with these parameters. */
export const actionWorkflow = (
	credential: Credential,
	parameters: Record<string, unknown>,
): N8nWorkflowDraft =>
	chain(`Action ${randomUUID()}`, [
		node(START_NAME, 'n8n-nodes-base.manualTrigger', 1),
		actionNode(credential, parameters),
	]);

import { randomUUID } from 'node:crypto';
import type { OutreachHost } from './outreachHost';
import { PACKAGE_NAME } from './packageTarball';
import type { N8nCredential, N8nNode, N8nWorkflow, N8nWorkflowDraft } from './schemas';
import { waitFor } from './waitFor';

export const TRIGGER_NAME = 'Outreach Service Trigger';
/** The node after the trigger in {@link triggerWorkflow}. */
export const NEXT_NODE = 'No Operation';

/** Creates a credential for the local service in n8n. */
export async function createServiceCredential({
	server,
	service,
}: Pick<OutreachHost, 'server' | 'service'>): Promise<N8nCredential> {
	return server.client.createCredential({
		name: `Service ${randomUUID()}`,
		type: 'outreachServiceApi',
		data: { baseUrl: service.baseUrl, apiKey: service.apiKey },
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

const using = ({ id, name }: Pick<N8nCredential, 'id' | 'name'>) => ({
	credentials: { outreachServiceApi: { id, name } },
});

/** The trigger, with these parameters. */
export const triggerNode = (
	credential: Pick<N8nCredential, 'id' | 'name'>,
	parameters: Record<string, unknown>,
	name = TRIGGER_NAME,
): N8nNode =>
	node(name, `${PACKAGE_NAME}.outreachServiceTrigger`, 1.1, parameters, {
		...using(credential),
		webhookId: randomUUID(),
	});

/** A workflow with the trigger, with these parameters, and a No Operation node. */
export function triggerWorkflow(
	credential: N8nCredential,
	parameters: Record<string, unknown>,
): N8nWorkflowDraft {
	const next = node(NEXT_NODE, 'n8n-nodes-base.noOp', 1, {}, { position: [224, 0] });
	return {
		name: `Trigger ${randomUUID()}`,
		nodes: [triggerNode(credential, parameters), next],
		connections: { [TRIGGER_NAME]: { main: [[{ node: next.name, type: 'main', index: 0 }]] } },
	};
}

/** The names of the nodes in {@link actionWorkflow}. */
export const START_NAME = 'Start';
export const ACTION_NAME = 'Outreach Service';

/** A workflow that is started by hand and runs the action node with these parameters. */
export function actionWorkflow(
	credential: Pick<N8nCredential, 'id' | 'name'>,
	parameters: Record<string, unknown>,
): N8nWorkflowDraft {
	const start = node(START_NAME, 'n8n-nodes-base.manualTrigger', 1);
	const action = node(ACTION_NAME, `${PACKAGE_NAME}.outreachService`, 1, parameters, {
		...using(credential),
		position: [224, 0],
	});
	return {
		name: `Action ${randomUUID()}`,
		nodes: [start, action],
		connections: { [START_NAME]: { main: [[{ node: ACTION_NAME, type: 'main', index: 0 }]] } },
	};
}

/** Creates a workflow, activates it and waits until the service has `hookCount` webhooks more. */
export async function activateNewWorkflow(
	host: OutreachHost,
	draft: N8nWorkflowDraft,
	hookCount: number,
): Promise<N8nWorkflow> {
	const { client } = host.server;
	const before = host.service.hooks().length;
	const workflow = await client.createWorkflow(draft);
	await client.activateWorkflow(workflow.id);
	await waitForHookCount(host, before + hookCount);
	return workflow;
}

/** Waits until the service has exactly `count` webhooks, because n8n may register and remove them after it responds. */
export async function waitForHookCount(
	{ service }: Pick<OutreachHost, 'service'>,
	count: number,
): Promise<void> {
	await waitFor(
		`the service to have ${count} webhooks`,
		() => service.hooks(),
		(hooks) => hooks.length === count,
	);
}

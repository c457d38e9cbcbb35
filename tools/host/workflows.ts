import { randomUUID } from 'node:crypto';
import {
	waitFor,
	type N8nCredential,
	type N8nNode,
	type N8nWorkflow,
	type N8nWorkflowDraft,
	type OutreachHost,
} from '.';

export const TRIGGER_NAME = 'Outreach Service Trigger';

/** Stores a credential for the service in n8n. */
export async function createServiceCredential({
	server,
	service,
}: OutreachHost): Promise<N8nCredential> {
	return server.client.createCredential({
		name: `Service ${randomUUID()}`,
		type: 'outreachServiceApi',
		data: { baseUrl: service.baseUrl, apiKey: service.apiKey },
	});
}

/** A workflow of the trigger and a node that does nothing, with the trigger's parameters as given. */
export function triggerWorkflow(
	credential: N8nCredential,
	parameters: Record<string, unknown>,
): N8nWorkflowDraft {
	const trigger: N8nNode = {
		id: randomUUID(),
		name: TRIGGER_NAME,
		type: 'n8n-nodes-outreach-service.outreachServiceTrigger',
		typeVersion: 1.1,
		position: [0, 0],
		parameters,
		credentials: { outreachServiceApi: { id: credential.id, name: credential.name } },
		webhookId: randomUUID(),
	};
	const next: N8nNode = {
		id: randomUUID(),
		name: 'No Operation',
		type: 'n8n-nodes-base.noOp',
		typeVersion: 1,
		position: [224, 0],
		parameters: {},
	};
	return {
		name: `Trigger ${randomUUID()}`,
		nodes: [trigger, next],
		connections: { [TRIGGER_NAME]: { main: [[{ node: next.name, type: 'main', index: 0 }]] } },
	};
}

/** Creates a workflow, activates it and waits until the service has as many hooks as it should make. */
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

/** Waits until the service has exactly that many hooks: n8n registers and removes them after it has answered. */
export async function waitForHookCount({ service }: OutreachHost, count: number): Promise<void> {
	await waitFor(
		`the service to have ${count} hooks`,
		() => service.hooks(),
		(hooks) => hooks.length === count,
	);
}

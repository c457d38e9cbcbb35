import type { N8nWorkflow, OutreachHost } from '../../tools/host';
import { activate, type Outcome } from '../../tools/host/publishing';
import { TRIGGER_NAME } from '../../tools/host/workflows';

/** Changes the trigger of an active workflow, publishes the new version and waits for the outcome. */
export async function changeTrigger(
	host: OutreachHost,
	{ id }: N8nWorkflow,
	change: Partial<N8nWorkflow['nodes'][number]>,
): Promise<Outcome> {
	const { client } = host.server;
	const { nodes, connections, name } = await client.getWorkflow(id);
	const changed = nodes.map((node) => (node.name === TRIGGER_NAME ? { ...node, ...change } : node));
	await client.updateWorkflow(id, { name, nodes: changed, connections });
	return activate(host, id);
}

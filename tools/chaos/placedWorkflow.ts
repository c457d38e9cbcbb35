import { randomUUID } from 'node:crypto';
import { TRIGGER_NAME, triggerWorkflow } from '../host/workflows';
import type { N8nCredential, OutreachHost } from '../host';
import { parametersFor, type Settings } from './settings';

/** One of the workflows in n8n. */
export interface PlacedWorkflow {
	id: string;
	/** Each with its address in n8n, and that of its test runs. */
	triggers: Array<{ name: string; address: string; testAddress: string }>;
}

/** Makes a workflow with a trigger for each of these settings; all lead to the same node. */
export async function createWorkflow(
	{ server }: OutreachHost,
	credential: N8nCredential,
	settings: Settings[],
): Promise<PlacedWorkflow> {
	const draft = triggerWorkflow(credential, {});
	const [template, ...others] = draft.nodes;
	if (template === undefined) throw new Error('The workflow has no trigger');
	const triggers = settings.map((one, place) => ({
		...template,
		id: randomUUID(),
		webhookId: randomUUID(),
		name: place === 0 ? TRIGGER_NAME : `${TRIGGER_NAME} ${place + 1}`,
		parameters: parametersFor(one),
	}));
	const output = draft.connections[TRIGGER_NAME] ?? {};
	const { id } = await server.client.createWorkflow({
		...draft,
		nodes: [...triggers, ...others],
		connections: Object.fromEntries(triggers.map(({ name }) => [name, output])),
	});
	return {
		id,
		triggers: triggers.map(({ name, webhookId }) => ({
			name,
			address: `${server.url}/webhook/${webhookId}/webhook`,
			testAddress: `${server.url}/webhook-test/${webhookId}/webhook`,
		})),
	};
}

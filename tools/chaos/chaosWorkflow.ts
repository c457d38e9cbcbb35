import { randomUUID } from 'node:crypto';
import type { N8nCredential, OutreachHost } from '../host';
import { TRIGGER_NAME, triggerWorkflow } from '../host/workflows';
import type { HookView } from '../service';
import { parametersFor, type Settings } from './triggerSettings';

/** One of the workflows under test. */
export interface ChaosWorkflow {
	id: string;
	/** Each with its node ID, its production URL and its test URL. */
	triggers: Array<{ id: string; name: string; webhookUrl: string; testUrl: string }>;
}

/** The workflows under test, and all webhooks of their team at the service. */
export interface Registered {
	readonly workflows: readonly ChaosWorkflow[];
	readonly webhooks: readonly HookView[];
}

/** Creates a workflow with a trigger for each of these settings, all connected to the same node. */
export async function createWorkflow(
	{ server }: OutreachHost,
	credential: N8nCredential,
	settings: Settings[],
): Promise<ChaosWorkflow> {
	const draft = triggerWorkflow(credential, {});
	const [template, ...others] = draft.nodes;
	if (template === undefined) throw new Error('The workflow has no trigger');
	const triggers = settings.map((one, index) => ({
		...template,
		id: randomUUID(),
		webhookId: randomUUID(),
		name: index === 0 ? TRIGGER_NAME : `${TRIGGER_NAME} ${index + 1}`,
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
		triggers: triggers.map(({ id: nodeId, name, webhookId }) => ({
			id: nodeId,
			name,
			webhookUrl: `${server.url}/webhook/${webhookId}/webhook`,
			testUrl: `${server.url}/webhook-test/${webhookId}/webhook`,
		})),
	};
}

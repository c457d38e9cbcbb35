import { randomUUID } from 'node:crypto';
import type { N8nCredential, N8nWorkflowDraft } from '../host';

/** Webhook → our action node: lists the webhooks whenever `/webhook/actions` is called. */
export function actionWorkflow(credential: N8nCredential): N8nWorkflowDraft {
	return {
		name: 'Actions',
		nodes: [
			{
				id: randomUUID(),
				name: 'Webhook',
				type: 'n8n-nodes-base.webhook',
				typeVersion: 2,
				position: [0, 0],
				parameters: { httpMethod: 'POST', path: 'actions', options: {} },
				webhookId: randomUUID(),
			},
			{
				id: randomUUID(),
				name: 'Outreach Service',
				type: 'n8n-nodes-outreach-service.outreachService',
				typeVersion: 1,
				position: [224, 0],
				parameters: { resource: 'webhook', operation: 'getAll' },
				credentials: { outreachServiceApi: { id: credential.id, name: credential.name } },
			},
		],
		connections: { Webhook: { main: [[{ node: 'Outreach Service', type: 'main', index: 0 }]] } },
	};
}

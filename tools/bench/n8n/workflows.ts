import { randomUUID } from 'node:crypto';
import type { N8nCredential, N8nNode, N8nWorkflowDraft } from '../../host';

/** The No Operation node at the end of every workflow: it runs if all previous nodes have passed the item on. */
export const LAST_NODE = 'No Operation';

interface NodeDraft {
	name: string;
	type: string;
	typeVersion?: number;
	parameters?: Record<string, unknown>;
	credential?: N8nCredential;
	webhookId?: string;
}

export function node({ credential, parameters = {}, webhookId, ...draft }: NodeDraft): N8nNode {
	return {
		id: randomUUID(),
		position: [0, 0],
		typeVersion: 1,
		...draft,
		parameters,
		...(webhookId !== undefined && { webhookId }),
		...(credential && {
			credentials: { [credential.type]: { id: credential.id, name: credential.name } },
		}),
	};
}

/** A workflow of these nodes, each connected to the next, that saves all executions. */
export function chain(name: string, nodes: N8nNode[]): N8nWorkflowDraft {
	const connections: N8nWorkflowDraft['connections'] = {};
	for (const [index, to] of nodes.slice(1).entries()) {
		const from = nodes[index]?.name ?? '';
		connections[from] = { main: [[{ node: to.name, type: 'main', index: 0 }]] };
	}
	return {
		name,
		nodes,
		connections,
		settings: {
			executionOrder: 'v1',
			saveDataSuccessExecution: 'all',
			saveDataErrorExecution: 'all',
		},
	};
}

export const noOperation = (): N8nNode => node({ name: LAST_NODE, type: 'n8n-nodes-base.noOp' });

/** n8n's Webhook node at `/webhook/<path>`; responds immediately. `headerAuth`: the credential that callers must know. */
export const webhookNode = (path: string, headerAuth?: N8nCredential): N8nNode =>
	node({
		name: 'Webhook',
		type: 'n8n-nodes-base.webhook',
		typeVersion: 2.1,
		parameters: {
			httpMethod: 'POST',
			path,
			...(headerAuth && { authentication: 'headerAuth' }),
			options: {},
		},
		webhookId: path,
		...(headerAuth && { credential: headerAuth }),
	});

export const ourTrigger = (
	credential: N8nCredential,
	events: readonly string[],
	options: Record<string, unknown> = {},
): N8nNode =>
	node({
		name: 'Outreach Service Trigger',
		type: 'n8n-nodes-outreach-service.outreachServiceTrigger',
		typeVersion: 1.1,
		parameters: { events: [...events], options },
		credential,
		webhookId: randomUUID(),
	});

export const bareTrigger = (webhookId: string): N8nNode =>
	node({
		name: 'Bare Trigger',
		type: 'n8n-nodes-bench-bare-trigger.bareTrigger',
		typeVersion: 1.1,
		webhookId,
	});

/** As it is: n8n evaluates an expression for every delivery to a trigger of version 1. */
export const builtInTrigger = (credential: N8nCredential): N8nNode =>
	node({
		name: 'ActiveCampaign Trigger',
		type: 'n8n-nodes-base.activeCampaignTrigger',
		parameters: { events: ['open', 'reply'], sources: ['public'] },
		credential,
		webhookId: randomUUID(),
	});

/** Passes an item on only if it carries the secret, as a user of the Webhook node would check it. */
export const secretCheck = (secret: string): N8nNode =>
	node({
		name: 'Check secret',
		type: 'n8n-nodes-base.if',
		typeVersion: 2.2,
		parameters: {
			conditions: {
				options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
				conditions: [
					{
						id: randomUUID(),
						leftValue: '={{ $json.body.secret }}',
						rightValue: secret,
						operator: { type: 'string', operation: 'equals' },
					},
				],
				combinator: 'and',
			},
			options: {},
		},
	});

export const removeDuplicates = (): N8nNode =>
	node({
		name: 'Remove Duplicates',
		type: 'n8n-nodes-base.removeDuplicates',
		typeVersion: 2,
		parameters: {
			operation: 'removeItemsSeenInPreviousExecutions',
			logic: 'removeItemsWithAlreadySeenKeyValues',
			dedupeValue: '={{ $json.body._id }}',
			options: {},
		},
	});

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { N8nCredential, N8nWorkflowDraft } from '../host';
import { actionWorkflow as startedByHand, ACTION_NAME, node } from '../host/workflows';
import { trackSettled } from './restartProcesses';

const PATH = 'actions';

/** Webhook → our action node: lists the webhooks whenever `/webhook/actions` is called. */
export function actionWorkflow(credential: N8nCredential): N8nWorkflowDraft {
	const [, action] = startedByHand(credential, { resource: 'webhook', operation: 'getAll' }).nodes;
	if (action === undefined) throw new Error('The workflow has no action');
	const webhook = node(
		'Webhook',
		'n8n-nodes-base.webhook',
		2,
		{ httpMethod: 'POST', path: PATH, options: {} },
		{ webhookId: randomUUID() },
	);
	return {
		name: 'Actions',
		nodes: [webhook, action],
		connections: { Webhook: { main: [[{ node: ACTION_NAME, type: 'main', index: 0 }]] } },
	};
}

/** Starts a burst of actions every few seconds, on any worker. @returns the number of accepted calls */
export async function callActions(webhookUrl: string, until: Promise<unknown>): Promise<number> {
	const isDone = trackSettled(until);
	let accepted = 0;
	while (!isDone()) {
		const responses = await Promise.allSettled(
			Array.from({ length: 12 }, () => fetch(`${webhookUrl}webhook/${PATH}`, { method: 'POST' })),
		);
		accepted += responses.filter(
			(response) => response.status === 'fulfilled' && response.value.ok,
		).length;
		await Promise.race([pause(5_000), until]);
	}
	return accepted;
}

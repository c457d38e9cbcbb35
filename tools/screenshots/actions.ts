import { takeScreenshot } from './browser';
import type { Editor } from './editor';
import { actionNode, createManualWorkflow, type Environment } from './environment';

const webhookId = (value: string) => ({ __rl: true, mode: 'id', value });

/** Each operation with its output, the list of webhooks, and all operations on the canvas. */
export async function captureActions(editor: Editor, environment: Environment): Promise<void> {
	const [first, second] = environment.service.hooks();
	if (first === undefined || second === undefined)
		throw new Error('The service has fewer than two webhooks');
	const operations: Record<string, Record<string, unknown>> = {
		'Get many webhooks': { operation: 'getAll' },
		'Create webhook': {
			operation: 'create',
			targetUrl: 'https://chat.example.com/incoming/outreach',
			event: 'interested',
			additionalFields: { campaignId: 'cam_8QkzT2', secret: 'shared-secret' },
		},
		'Get webhook': { operation: 'get', webhookId: webhookId(first._id) },
		'Rotate webhook secret': { operation: 'rotateSecret', webhookId: webhookId(first._id) },
		'Delete many webhooks': {
			operation: 'deleteMany',
			filters: { targetUrl: 'old-n8n.example.com' },
		},
		'Delete webhook': { operation: 'delete', webhookId: webhookId(second._id) },
		'Get people schema': { resource: 'peopleSchema', operation: 'get', output: 'fields' },
		'Compare people schema': { resource: 'peopleSchema', operation: 'compare' },
	};
	const nodes = Object.entries(operations).map(([title, parameters]) =>
		actionNode(environment.credential, title, parameters),
	);
	for (const node of nodes) {
		await editor.open(await createManualWorkflow(environment, node.name, [node]));
		await editor.openNode(node.name);
		await editor.runNode();
		await takeScreenshot(editor.page, `action-${node.name.toLowerCase().replaceAll(' ', '-')}`);
		if (node.name === 'Get webhook') await captureWebhookList(editor);
		await editor.closeNode();
	}
	await editor.open(await createManualWorkflow(environment, 'Operations', nodes));
	await takeScreenshot(editor.page, 'actions-on-the-canvas');
}

async function captureWebhookList(editor: Editor): Promise<void> {
	await editor.byTestId('rlc-mode-selector').click();
	await editor.byTestId('mode-list').click();
	await editor.byTestId('rlc-input').click();
	await editor.byTestId('rlc-item').first().waitFor();
	await takeScreenshot(editor.page, 'list-of-webhooks');
	await editor.page.keyboard.press('Escape');
}

import { randomUUID } from 'node:crypto';
import { takeScreenshot } from './browser';
import type { Editor } from './editor';
import { actionNode, createManualWorkflow, triggerNode, type Environment } from './environment';
import { waitFor } from '../host';
import type { HookView } from '../service';

const webhookId = (value: string) => ({ __rl: true, mode: 'id', value });

/** Activates a workflow, and adds webhooks to which nothing listens. @returns the webhook of the workflow */
async function addTargets({ server, service, credential }: Environment): Promise<HookView> {
	const { client, url } = server;
	const before = new Set(service.hooks().map(({ _id }) => _id));
	const { id } = await client.createWorkflow({
		name: 'Bounces',
		nodes: [triggerNode(credential, { events: ['emailsBounced'] })],
		connections: {},
	});
	await client.activateWorkflow(id);
	const webhook = await waitFor(
		'the webhook to be registered',
		() => service.hooks().find(({ _id }) => !before.has(_id)),
		(found) => found !== undefined,
	);
	const type = 'warmed';
	service.addHook({ targetUrl: `${url}/webhook/${randomUUID()}/webhook?event=${type}`, type });
	service.addHook({ targetUrl: 'http://127.0.0.1:9/outreach', type });
	return webhook!;
}

/** Each operation with its output, the list of webhooks, and all operations on the canvas. */
export async function captureActions(editor: Editor, environment: Environment): Promise<void> {
	const [first, second] = environment.service.hooks();
	if (first === undefined || second === undefined)
		throw new Error('The service has fewer than two webhooks');
	const own = await addTargets(environment);
	const operations: Record<string, Record<string, unknown>> = {
		'Get many webhooks': { operation: 'getAll' },
		'Create webhook': {
			operation: 'create',
			targetUrl: 'https://chat.example.com/incoming/outreach',
			event: 'interested',
			additionalFields: { campaignId: 'cam_8QkzT2', secret: 'shared-secret' },
		},
		'Get webhook': { operation: 'get', webhookId: webhookId(first._id) },
		'Check many webhooks': { operation: 'check', filters: { targetUrl: '127.0.0.1' } },
		'Send test event': { operation: 'sendTest', webhookId: webhookId(own._id) },
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
	await capturePreview(editor, environment);
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

/** The fields of a node that hasn't run, in the node after it. */
async function capturePreview(editor: Editor, environment: Environment): Promise<void> {
	const name = 'Get many webhooks';
	const nodes = [
		actionNode(environment.credential, name, { operation: 'getAll' }),
		{
			...actionNode(environment.credential, 'Edit Fields', { options: {} }),
			type: 'n8n-nodes-base.set',
			typeVersion: 3.4,
			credentials: {},
		},
	];
	await editor.open(await createManualWorkflow(environment, 'Before the first run', nodes));
	await editor.openNode('Edit Fields');
	await editor.byTestId('schema-preview-warning').waitFor();
	await editor.page.getByText('targetUrl').first().waitFor();
	await takeScreenshot(editor.page, 'fields-before-the-first-run');
	await editor.closeNode();
}

async function captureWebhookList(editor: Editor): Promise<void> {
	await editor.byTestId('rlc-mode-selector').click();
	await editor.byTestId('mode-list').click();
	await editor.byTestId('rlc-input').click();
	await editor.byTestId('rlc-item').first().waitFor();
	await takeScreenshot(editor.page, 'list-of-webhooks');
	await editor.page.keyboard.press('Escape');
}

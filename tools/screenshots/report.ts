import { randomUUID } from 'node:crypto';
import { spread } from '../../nodes/OutreachService/trigger/registration/checks';
import { waitFor } from '../host';
import { takeScreenshot } from './browser';
import type { Editor } from './editor';
import { triggerNode, type Environment } from './environment';

/** How soon the webhooks are checked, in seconds. */
const CHECK_IN = 15;

/** The failed execution that reports a lost webhook, once it has started the error workflow. */
export async function captureReport(editor: Editor, environment: Environment): Promise<void> {
	const { page } = editor;
	const { server, service, credential } = environment;
	const { client } = server;
	const errors = await client.createWorkflow({
		name: 'Tell us about errors',
		nodes: [
			{
				id: randomUUID(),
				name: 'Error Trigger',
				type: 'n8n-nodes-base.errorTrigger',
				typeVersion: 1,
				position: [0, 0],
				parameters: {},
			},
		],
		connections: {},
	});
	await client.activateWorkflow(errors.id);
	const node = triggerNode(credential, {
		events: ['emailsReplied'],
		options: { repairMinutes: 1 },
	});
	const draft = { name: 'Replies', connections: {}, settings: { errorWorkflow: errors.id } };
	const { id } = await client.createWorkflow({ ...draft, nodes: [node] });
	// The second at which it checks follows from the node's ID.
	const second = new Date(Date.now() + CHECK_IN * 1000).getSeconds();
	while (spread(`${id}/${node.id}`, 60) !== second) node.id = randomUUID();
	await client.updateWorkflow(id, { ...draft, nodes: [node] });
	const before = new Set(service.hooks().map(({ _id }) => _id));
	await client.activateWorkflow(id);
	const webhook = await waitFor(
		'the webhook to be registered',
		() => service.hooks().find(({ _id }) => !before.has(_id)),
		(found) => found !== undefined,
	);
	for (let event = 0; event < 3; event++) await service.emit({ type: 'emailsReplied' });
	service.removeHook(webhook!._id);
	await client.executions.waitForFinished(errors.id, 1, { timeoutMs: 90_000 });

	await page.goto(`${server.url}/workflow/${id}/executions`);
	await page.getByText('were missing at the service').first().waitFor();
	await page.waitForTimeout(1_000);
	await takeScreenshot(page, 'trigger-report');
	await client.deactivateWorkflow(id);
}

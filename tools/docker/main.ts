/** Proves that an n8n that is already running, such as that of docker/compose.yml, runs a workflow with the package. */
import { Command } from 'commander';
import { z } from 'zod';
import { itemsOf, N8nClient, waitFor } from '../host';
import { createServiceCredential, TRIGGER_NAME, triggerWorkflow } from '../host/workflows';
import { print, runProgram, step } from '../terminal';

const options = new Command('tsx tools/docker/main.ts')
	.description(
		'Activates a workflow in a running n8n, delivers an event, and waits for its execution.',
	)
	.option('--n8n <url>', 'of the n8n that is running', 'http://127.0.0.1:5678')
	.option('--service <url>', "of the service's API, as n8n reaches it", 'http://service:4010/api')
	.option('--control <url>', "of the service's control API", 'http://127.0.0.1:4011')
	.option('--api-key <key>', 'that the service accepts', 'demo-key')
	.parse()
	.opts<{ n8n: string; service: string; control: string; apiKey: string }>();

const EVENT = 'emailsReplied';
const LONG = { timeoutMs: 120_000 };

const stateSchema = z.object({ hooks: z.array(z.unknown()) });

async function control(path: string, body?: object): Promise<unknown> {
	const response = await fetch(`${options.control}${path}`, {
		method: body === undefined ? 'GET' : 'POST',
		headers: { 'content-type': 'application/json' },
		...(body === undefined ? {} : { body: JSON.stringify(body) }),
	});
	if (!response.ok) throw new Error(`${path} responded with status ${response.status}`);
	return await response.json();
}

/** The webhooks that the service has. */
const webhooks = async (): Promise<unknown[]> => stateSchema.parse(await control('/state')).hooks;

void runProgram('docker', async ({ atEnd }) => {
	const client = new N8nClient(options.n8n);
	await step(`Signing in to ${options.n8n}`, () => client.signIn());
	const workflow = await step(
		'Activating a workflow, until the service has its webhook',
		async () => {
			const service = { baseUrl: options.service, apiKey: options.apiKey };
			const credential = await createServiceCredential({ server: { client }, service });
			const created = await client.createWorkflow(triggerWorkflow(credential, { events: [EVENT] }));
			atEnd('deactivate the workflow', () => client.deactivateWorkflow(created.id));
			const before = (await webhooks()).length;
			await client.activateWorkflow(created.id);
			await waitFor('the webhook', webhooks, ({ length }) => length > before, LONG);
			return created;
		},
	);
	await step('Delivering an event, until its execution has ended', async () => {
		await control('/events', { type: EVENT, leadEmail: 'ada@example.com' });
		const [execution] = await client.executions.waitForFinished(workflow.id, 1, LONG);
		const [item] = execution === undefined ? [] : itemsOf(execution, TRIGGER_NAME);
		if (execution?.status !== 'success' || item?.leadEmail !== 'ada@example.com') {
			throw new Error(`The execution has not run with the event: ${JSON.stringify(item)}`);
		}
	});
	print('\n✓ The workflow ran with the event.');
});

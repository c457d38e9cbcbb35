/** Proves that the n8n of docker/compose.yml, which must be running, runs a workflow with the package. */
import { z } from 'zod';
import { itemsOf, N8nClient, waitFor } from '../host';
import { createServiceCredential, TRIGGER_NAME, triggerWorkflow } from '../host/workflows';
import { print, runProgram, step } from '../terminal';

const N8N = 'http://127.0.0.1:5678';
const CONTROL = 'http://127.0.0.1:4011';
/** The service, as n8n reaches it. */
const SERVICE = { baseUrl: 'http://service:4010/api', apiKey: 'demo-key' };

const EVENT = 'emailsReplied';
const LONG = { timeoutMs: 120_000 };

const stateSchema = z.object({ hooks: z.array(z.unknown()) });

async function control(path: string, body?: object): Promise<unknown> {
	const response = await fetch(`${CONTROL}${path}`, {
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
	const client = new N8nClient(N8N);
	await step(`Signing in to ${N8N}`, () => client.signIn());
	const workflow = await step(
		'Activating a workflow, until the service has its webhook',
		async () => {
			const credential = await createServiceCredential({ server: { client }, service: SERVICE });
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

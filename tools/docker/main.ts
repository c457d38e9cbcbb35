/** Proves that the n8n of docker/compose.yml, which must be running, runs a workflow with the package. */
import { itemsOf, N8nClient } from '../host';
import { activateNewWorkflow } from '../host/publishing';
import { createServiceCredential, TRIGGER_NAME, triggerWorkflow } from '../host/workflows';
import { print, runProgram, step } from '../terminal';

const N8N = 'http://127.0.0.1:5678';
const CONTROL = 'http://127.0.0.1:4011';
/** The service, as n8n reaches it. */
const SERVICE = { baseUrl: 'http://service:4010/api', apiKey: 'demo-key' };

const EVENT = 'emailsReplied';
const LONG = { timeoutMs: 120_000 };

/** Has the service deliver an event. */
async function emit(event: object): Promise<void> {
	const response = await fetch(`${CONTROL}/events`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(event),
	});
	if (!response.ok) throw new Error(`The service responded with status ${response.status}`);
}

void runProgram('docker', async ({ atEnd }) => {
	const client = new N8nClient(N8N);
	await step(`Signing in to ${N8N}`, () => client.signIn());
	const workflow = await step('Activating a workflow', async () => {
		const credential = await createServiceCredential({ server: { client }, service: SERVICE });
		const draft = triggerWorkflow(credential, { events: [EVENT] });
		const created = await activateNewWorkflow({ server: { client } }, draft);
		atEnd('deactivate the workflow', () => client.deactivateWorkflow(created.id));
		return created;
	});
	await step('Delivering an event, until its execution has ended', async () => {
		await emit({ type: EVENT, leadEmail: 'ada@example.com' });
		const [execution] = await client.executions.waitForFinished(workflow.id, 1, LONG);
		const [item] = execution === undefined ? [] : itemsOf(execution, TRIGGER_NAME);
		if (execution?.status !== 'success' || item?.leadEmail !== 'ada@example.com') {
			throw new Error(`The execution has not run with the event: ${JSON.stringify(item)}`);
		}
	});
	print('\n✓ The workflow ran with the event.');
});

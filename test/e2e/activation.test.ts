/**
 * A workflow with the trigger, and the credential test, from the first activation to the deactivation. The world is a
 * real n8n with the package and a local service.
 */
import { itemsOf, type N8nWorkflow } from '../../tools/host';
import { useOutreachHost, useServiceCredential } from './outreachHost';
import {
	activateNewWorkflow,
	TRIGGER_NAME,
	triggerWorkflow,
	waitForHookCount,
} from '../../tools/host/workflows';

const EVENTS = ['emailsReplied', 'networkInviteAccepted', 'dialerEnded'];

const host = useOutreachHost();
const credential = useServiceCredential(host);

describe('a workflow with the trigger', () => {
	let workflow: N8nWorkflow;

	beforeEach(async () => {
		workflow = await activateNewWorkflow(
			host(),
			triggerWorkflow(credential(), { events: EVENTS }),
			EVENTS.length,
		);
	});

	afterEach(async () => {
		await host().server.client.deactivateWorkflow(workflow.id);
		await waitForHookCount(host(), 0);
		await host().server.client.deleteWorkflow(workflow.id);
	});

	test('runs once for each delivery, with the activity as its only item and without the secret', async () => {
		const [entry] = await host().service.emit({
			type: 'emailsReplied',
			leadEmail: 'ada@example.com',
			unknownField: { kept: true },
		});
		expect(entry).toMatchObject({ status: 200 });

		const executions = await host().server.client.executions.waitForFinished(workflow.id, 1);
		expect(executions).toHaveLength(1);
		expect(executions[0]).toMatchObject({ status: 'success', mode: 'webhook' });
		const items = itemsOf(executions[0]!, TRIGGER_NAME);
		expect(items).toEqual([
			expect.objectContaining({
				_id: entry?.activityId,
				type: 'emailsReplied',
				leadEmail: 'ada@example.com',
				unknownField: { kept: true },
			}),
		]);
		expect(items[0]).not.toHaveProperty('secret');
	});

	test('removes its webhooks when it is deactivated, and receives no further deliveries', async () => {
		await host().server.client.deactivateWorkflow(workflow.id);
		await waitForHookCount(host(), 0);
		expect(await host().service.emit({ type: 'emailsReplied' })).toEqual([]);
		expect(await host().server.client.executions.list({ workflowId: workflow.id })).toEqual([]);
	});
});

describe('the credential test', () => {
	const check = async (changes: { baseUrl?: string; apiKey?: string }) => {
		const { client } = host().server;
		const draft = {
			name: 'Service',
			type: 'outreachServiceApi',
			data: { baseUrl: host().service.baseUrl, apiKey: host().service.apiKey, ...changes },
		};
		const { id } = await client.createCredential(draft);
		const result = await client.testCredential({ ...draft, id });
		await client.deleteCredential(id);
		return result;
	};

	test('succeeds with a valid base URL and key', async () => {
		expect(await check({})).toMatchObject({ status: 'OK' });
	});

	test('fails with a wrong key', async () => {
		expect(await check({ apiKey: 'wrong' })).toMatchObject({ status: 'Error' });
	});
});

import { createHmac, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { N8nCredential, N8nWorkflow } from '../../../tools/host';
import { TEST_TIMEOUT_MS, useOutreachHost } from '../outreachHost';
import { triggerWorkflow } from '../../../tools/host/workflows';
import { activate, deactivate, type Outcome } from '../../../tools/host/publishing';
import { deliverEach, post, runsOf } from './watching';

jest.setTimeout(TEST_TIMEOUT_MS);

const EVENTS = ['emailsReplied', 'paused'];
const API_KEY = `recognisable-${randomUUID()}`;

// At this level n8n writes down whatever it can.
const host = useOutreachHost({
	service: { apiKeys: [API_KEY] },
	env: { N8N_LOG_LEVEL: 'debug' },
});

let credential: N8nCredential;
let workflow: N8nWorkflow;
let secrets: string[];
let failed: Outcome;

/** What must be nowhere: the key, as it is and as it is sent, and the secrets of the hooks. */
const confidential = () => [API_KEY, Buffer.from(`:${API_KEY}`).toString('base64'), ...secrets];

function expectNothingIn(text: string): void {
	expect(confidential().filter((value) => text.includes(value))).toEqual([]);
}

beforeAll(async () => {
	const { client } = host().server;
	credential = await client.createCredential({
		name: 'Service',
		type: 'outreachServiceApi',
		data: { baseUrl: host().service.baseUrl, apiKey: API_KEY },
	});
	workflow = await client.createWorkflow(triggerWorkflow(credential, { events: EVENTS }));

	// An activation that fails, one that succeeds, deliveries, and forged calls: each leaves traces of its own.
	host().service.setSwitches({ maxHooks: 1 });
	failed = await activate(host(), workflow.id);
	host().service.setSwitches({ maxHooks: 0 });
	expect(await activate(host(), workflow.id)).toMatchObject({ status: 'published' });
	const hooks = host().service.hooks();
	secrets = hooks.map(({ targetUrl }) =>
		createHmac('sha256', API_KEY).update(targetUrl).digest('hex'),
	);
	await deliverEach(host(), EVENTS);
	expect(await post(hooks[0]!.targetUrl, JSON.stringify({ secret: 'guess' }))).toBe(401);
	await runsOf(host(), workflow.id, EVENTS.length);
});

describe('The API key and the secrets of the hooks', () => {
	test('are what this file takes them for', async () => {
		const [hook] = host().service.hooks();
		const body = JSON.stringify({ _id: 'act_by_hand', type: hook?.type, secret: secrets[0] });
		expect(await post(hook!.targetUrl, body)).toBe(200);
		const runs = await runsOf(host(), workflow.id, EVENTS.length + 1);
		expect(runs.at(-1)).toEqual({ _id: 'act_by_hand', type: hook?.type });
	});

	/** What is asked for, its path, and something that shows that the answer is the right one. */
	const ANSWERS: Array<[string, () => string, () => string]> = [
		['the workflow', () => `/workflows/${workflow.id}`, () => workflow.id],
		['the list of workflows', () => '/workflows', () => workflow.id],
		['the list of executions', () => '/executions', () => workflow.id],
		[
			'the credential with its data',
			() => `/credentials/${credential.id}?includeData=true`,
			() => host().service.baseUrl,
		],
	];

	test.each(ANSWERS)('are not in the answer for %s', async (_name, path, mark) => {
		const text = JSON.stringify(await host().server.client.read(path()));
		expect(text).toContain(mark());
		expectNothingIn(text);
	});

	test('are not in the answer for an activation, whether it failed or not', async () => {
		expect(failed).toEqual({ status: 'failed', errors: [expect.stringContaining('status 400')] });
		expectNothingIn(JSON.stringify(failed));
		const { client } = host().server;
		// The older registration answers an activation that went well with the workflow, and nothing more.
		if (!(await client.settings()).hasPublicationService) return;
		const text = JSON.stringify(await client.read(`/workflows/${workflow.id}/publication-status`));
		expect(text).toContain('activated');
		expectNothingIn(text);
	});

	test('are in no execution', async () => {
		const { executions } = host().server.client;
		const all = await executions.list({ workflowId: workflow.id });
		expect(all.length).toBeGreaterThanOrEqual(EVENTS.length);
		for (const { id } of all) {
			expectNothingIn(JSON.stringify(await host().server.client.read(`/executions/${id}`)));
		}
	});

	test("are in neither n8n's log nor the part of its memory that it saves", async () => {
		const { staticData } = await host().server.client.getWorkflow(workflow.id);
		expect(JSON.stringify(staticData)).toContain(host().service.hooks()[0]!._id);
		expectNothingIn(JSON.stringify(staticData));

		await deactivate(host(), workflow.id);
		expect(host().service.hooks()).toEqual([]);
		const log = await readFile(host().server.logFile, 'utf8');
		expect(log).toContain(workflow.id);
		expectNothingIn(log);
	});
});

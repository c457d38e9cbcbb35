/**
 * The API key and the secrets are in no response, execution, log or static data of n8n. The world is a real n8n with
 * the package and a local service.
 */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { N8nCredential, N8nWorkflow } from '../../../tools/host';
import { deriveSecret } from '../../../tools/load/deriveSecret';
import { useOutreachHost } from '../outreachHost';
import { triggerWorkflow } from '../../../tools/host/workflows';
import { activate, deactivate, type Outcome } from '../../../tools/host/publishing';
import { deliverEach, post, runsOf } from './deliveriesAndRuns';

const EVENTS = ['emailsReplied', 'paused'];
const API_KEY = `recognizable-${randomUUID()}`;

// At this level n8n logs as much as it can.
const host = useOutreachHost({
	service: { apiKeys: [API_KEY] },
	env: { N8N_LOG_LEVEL: 'debug' },
});

let credential: N8nCredential;
let workflow: N8nWorkflow;
let secrets: string[];
let failed: Outcome;

/** The values that must not appear: the key, raw and encoded, and the secrets of the webhooks. */
const confidential = () => [API_KEY, Buffer.from(`:${API_KEY}`).toString('base64'), ...secrets];

function expectNoSecretsIn(text: string): void {
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

	// A failing and a successful activation, deliveries and a forged call: each could leak in a different place.
	host().service.setSwitches({ maxHooks: 1 });
	failed = await activate(host(), workflow.id);
	host().service.setSwitches({ maxHooks: 0 });
	expect(await activate(host(), workflow.id)).toMatchObject({ status: 'published' });
	const webhooks = host().service.hooks();
	secrets = webhooks.map(({ targetUrl }) => deriveSecret(API_KEY, targetUrl));
	await deliverEach(host(), EVENTS);
	expect(await post(webhooks[0]!.targetUrl, JSON.stringify({ secret: 'guess' }))).toBe(401);
	await runsOf(host(), workflow.id, EVENTS.length);
});

describe('The API key and the secrets of the webhooks', () => {
	test('are the values that this file searches for', async () => {
		const [webhook] = host().service.hooks();
		const body = JSON.stringify({ _id: 'act_by_hand', type: webhook?.type, secret: secrets[0] });
		expect(await post(webhook!.targetUrl, body)).toBe(200);
		const runs = await runsOf(host(), workflow.id, EVENTS.length + 1);
		expect(runs.at(-1)).toEqual({ _id: 'act_by_hand', type: webhook?.type });
	});

	/** A resource, its path, and a text that its response must contain. */
	const RESOURCES: Array<[string, () => string, () => string]> = [
		['the workflow', () => `/workflows/${workflow.id}`, () => workflow.id],
		['the list of workflows', () => '/workflows', () => workflow.id],
		['the list of executions', () => '/executions', () => workflow.id],
		[
			'the credential with its data',
			() => `/credentials/${credential.id}?includeData=true`,
			() => host().service.baseUrl,
		],
	];

	test.each(RESOURCES)('are not in the response for %s', async (_name, path, marker) => {
		const text = JSON.stringify(await host().server.client.read(path()));
		expect(text).toContain(marker());
		expectNoSecretsIn(text);
	});

	test('are not in the result of a failed or successful activation', async () => {
		expect(failed).toEqual({ status: 'failed', errors: [expect.stringContaining('status 400')] });
		expectNoSecretsIn(JSON.stringify(failed));
		const { client } = host().server;
		// With the older registration, n8n responds to a successful activation only with the workflow.
		if (!(await client.settings()).hasPublicationService) return;
		const text = JSON.stringify(await client.read(`/workflows/${workflow.id}/publication-status`));
		expect(text).toContain('activated');
		expectNoSecretsIn(text);
	});

	test('are not in any execution', async () => {
		const { executions } = host().server.client;
		const all = await executions.list({ workflowId: workflow.id });
		expect(all.length).toBeGreaterThanOrEqual(EVENTS.length);
		for (const { id } of all) {
			expectNoSecretsIn(JSON.stringify(await host().server.client.read(`/executions/${id}`)));
		}
	});

	test("are not in n8n's log, and the workflow stores nothing of its webhooks", async () => {
		const { staticData } = await host().server.client.getWorkflow(workflow.id);
		expect(JSON.stringify(staticData ?? {})).toBe('{}');

		await deactivate(host(), workflow.id);
		expect(host().service.hooks()).toEqual([]);
		const log = await readFile(host().server.logFile, 'utf8');
		expect(log).toContain(workflow.id);
		expectNoSecretsIn(log);
	});
});

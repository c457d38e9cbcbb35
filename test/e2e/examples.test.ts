/**
 * What of the examples only n8n shows: each runs to its end as imported; tables, duplicates and deletions; models and MCP
 * clients; and that n8n 3 breaks nothing. The world is a real n8n with the package, a local service, and a fake model.
 */
import { randomUUID } from 'node:crypto';
import fastify from 'fastify';
import { z } from 'zod';

import {
	EXAMPLE_FILES,
	exampleText,
	readExample,
	withCredentials,
} from '../../tools/demo/examples';
import {
	itemsOf,
	waitFor,
	workflowDraftSchema,
	type N8nCredential,
	type N8nExecution,
	type N8nWorkflow,
	type N8nWorkflowDraft,
} from '../../tools/host';
import { actionNode, chain, triggerNode } from '../../tools/host/workflows';
import { useOutreachHost, useServiceCredential } from './outreachHost';
import { CAN, testWhere } from './underTest';

const host = useOutreachHost();
const credential = useServiceCredential(host);
const START = 'When clicking ‘Execute workflow’';

interface Setup {
	/** Besides that of the local service. */
	credentials?: Record<string, N8nCredential>;
	change?: (draft: N8nWorkflowDraft) => N8nWorkflowDraft;
}

/** Imports an example as a user does, and chooses credentials for it. */
async function importExample(
	file: string,
	{ credentials, change = (draft) => draft }: Setup = {},
): Promise<N8nWorkflow> {
	const chosen = { outreachServiceApi: credential(), ...credentials };
	const draft = withCredentials(change(readExample(file)), chosen);
	const nodes = draft.nodes.map((node) =>
		node.webhookId === undefined ? node : { ...node, webhookId: randomUUID() },
	);
	return host().server.client.createWorkflow({ ...draft, nodes });
}

/** Runs a workflow by hand, for the `count`th time. */
async function runByHand(id: string, start: string, count = 1): Promise<N8nExecution> {
	const { client } = host().server;
	const { waitingForWebhook } = await client.runWorkflow(id, start);
	expect(waitingForWebhook).not.toBe(true);
	const execution = (await client.executions.waitForFinished(id, count)).at(-1);
	expect(execution?.status).toBe('success');
	return execution!;
}

const testWithTables = testWhere(CAN.createTables, 'its Data Table node cannot create tables');
const CREATES_TABLES = /"resource": "table"/;
/** These wait for a chat message or an MCP client. */
const WAITS = /\.(chatTrigger|mcpTrigger)"/;

for (const file of EXAMPLE_FILES.filter((one) => !WAITS.test(exampleText(one)))) {
	const testIt = CREATES_TABLES.test(exampleText(file)) ? testWithTables : test;
	testIt(`${file} runs to its end as imported, with the credential alone, also twice`, async () => {
		const { id, nodes, connections } = await importExample(file);
		const nextTo = (name: string) =>
			(connections[name]?.main ?? []).flatMap((links) => (links ?? []).map(({ node }) => node));
		const followed = new Set(Object.keys(connections).flatMap(nextTo));
		const start = nodes.find(({ name }) => nextTo(name).length > 0 && !followed.has(name));
		const first = await runByHand(id, start?.name ?? '');
		const ran = [...first.outputs.keys()];
		const stoppedEarly = ran.filter((name) => {
			const next = nextTo(name);
			return next.length > 0 && !next.some((node) => ran.includes(node));
		});
		expect([ran.length > 1, stoppedEarly]).toEqual([true, []]);
		expect(host().service.hooks()).toEqual([]);

		const again = await runByHand(id, start?.name ?? '', 2);
		// The row of a lead or an address is kept.
		for (const { name } of nodes.filter(({ parameters }) => parameters.operation === 'upsert')) {
			const rowsIn = (run: N8nExecution) => itemsOf(run, name).map((row) => row.id);
			expect(rowsIn(first)[0]).toBeDefined();
			expect(rowsIn(again)).toEqual(rowsIn(first));
		}
	});
}

test('A changed people schema is reported once, and an unchanged one is not', async () => {
	const { id } = await importExample('people-schema-alert.json');
	const changed = { kind: 'status', status: 200, body: '{"full_name":"number"}' } as const;
	const reports: unknown[] = [];
	for (const [index, faults] of [[], [changed], [changed]].entries()) {
		for (const fault of faults) host().service.addFault(fault);
		const run = await runByHand(id, 'Every morning', index + 1);
		// This one is not set up: n8n passes on what it would send.
		reports.push(itemsOf(run, 'Tell the data channel').map(({ text }) => text));
	}
	const text = expect.stringMatching(
		/^People schema: removed .+; type changed full_name$/,
	) as string;
	expect(reports).toEqual([[], [text], []]);
});

test('The spring-cleaning lists webhooks whose URL is gone, and deletes them when it is told to', async () => {
	const { server, service } = host();
	const old = service.addHook({ targetUrl: `${server.url}/webhook/${randomUUID()}/webhook` });
	const other = service.addHook({ targetUrl: 'http://127.0.0.1:1/in' });
	for (const deletes of [false, true]) {
		const change = (draft: N8nWorkflowDraft) =>
			workflowDraftSchema.parse(
				JSON.parse(
					JSON.stringify(draft).replace(
						'"name":"deleteThem","value":false',
						`"name":"deleteThem","value":${deletes}`,
					),
				),
			);
		const { id } = await importExample('webhook-spring-cleaning.json', { change });
		const run = await runByHand(id, START);
		const why = expect.stringMatching(/no webhook/) as string;
		expect(itemsOf(run, 'What happened')).toMatchObject([
			{ webhook: old._id, result: deletes ? 'deleted' : 'would be deleted', why },
		]);
		expect(itemsOf(run, 'Left alone')).toMatchObject([{ webhook: other._id }]);
		expect(service.hooks()).toHaveLength(deletes ? 1 : 2);
	}
	service.removeHook(other._id);
});

test("A record that the model fills in must have the format of the service's people schema", async () => {
	const { client } = host().server;
	let record = {};
	const received: unknown[] = [];
	const model = fastify();
	model.post('/*', ({ body }) => {
		received.push(body);
		const message = { role: 'assistant', content: JSON.stringify({ output: record }) };
		return {
			id: 'chatcmpl-1',
			object: 'chat.completion',
			created: 0,
			model: 'local',
			choices: [{ index: 0, message, finish_reason: 'stop' }],
			usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
		};
	});
	const url = `${await model.listen({ host: '127.0.0.1', port: 0 })}/v1`;
	const draft = { name: 'Local model', type: 'openAiApi', data: { apiKey: 'any', url } };
	const openAiApi = await client.createCredential(draft);
	const { id } = await importExample('people-record-from-text.json', {
		credentials: { openAiApi },
		change: (example) => ({ ...example, pinData: {} }),
	});
	const fillIn = async (given: object, count: number) => {
		record = given;
		await client.runWorkflow(id, START);
		const execution = (await client.executions.waitForFinished(id, count)).at(-1);
		return [execution?.status, itemsOf(execution!, 'Fill in the record')];
	};
	const valid = { full_name: 'Ada Lovelace', languages: [{ language: 'English' }] };
	expect(await fillIn(valid, 1)).toMatchObject(['success', [{ output: valid }]]);
	expect(JSON.stringify(received)).toContain('years_of_exp_bucket');
	expect(await fillIn({ ...valid, lead_id: 'seven' }, 2)).toEqual(['error', []]);
	await model.close();
});

const toolsSchema = z.object({ tools: z.array(z.object({ name: z.string() })) });
const calledSchema = z.object({ content: z.array(z.object({ text: z.string() })) });

/** A client of an MCP server: posts JSON-RPC, and reads the result from the event in the response. */
function mcpClient(url: string, token: string) {
	let session: string | undefined;
	return async (method: string, params: object = {}): Promise<unknown> => {
		const response = await fetch(url, {
			method: 'POST',
			headers: {
				authorization: `Bearer ${token}`,
				'content-type': 'application/json',
				accept: 'application/json, text/event-stream',
				...(session !== undefined && { 'mcp-session-id': session }),
			},
			body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
		});
		if (!response.ok) throw new Error(`${method} got ${response.status}`);
		session ??= response.headers.get('mcp-session-id') ?? undefined;
		const [, event = ''] = /^data: (.*)$/m.exec(await response.text()) ?? [];
		return z.object({ result: z.unknown() }).parse(JSON.parse(event)).result;
	};
}

test('An MCP client with the token sees the tools, and none that deletes; creates a webhook; and gets errors', async () => {
	const { server, service } = host();
	const token = randomUUID();
	const draft = { name: 'Token', type: 'httpBearerAuth', data: { token } };
	const httpBearerAuth = await server.client.createCredential(draft);
	const { id } = await importExample('mcp-server.json', { credentials: { httpBearerAuth } });
	await server.client.activateWorkflow(id);
	const url = `${server.url}/mcp/outreach-webhooks`;
	const request = mcpClient(url, token);
	const clientInfo = { name: 'test', version: '1.0.0' };
	const hello = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo };
	await waitFor(
		// n8n registers the URL after it has responded.
		'the MCP server',
		() => request('initialize', hello),
		() => true,
	);
	await expect(mcpClient(url, 'wrong')('initialize', hello)).rejects.toThrow(/40[13]/);

	const { tools } = toolsSchema.parse(await request('tools/list'));
	expect(tools.map(({ name }) => name).sort()).toEqual([
		'Check_webhooks',
		'Create_a_webhook',
		'Get_people_schema',
		'List_webhooks',
	]);
	const call = async (name: string, given = {}) => {
		const called = calledSchema.parse(await request('tools/call', { name, arguments: given }));
		return called.content.map(({ text }) => text).join('');
	};
	const settings = { targetUrl: 'https://crm.test/replies', event: 'emailsReplied' };
	const created = await call('Create_a_webhook', settings);
	const [webhook, ...others] = service.hooks();
	expect([webhook?.targetUrl, webhook?.type, others]).toEqual([...Object.values(settings), []]);
	expect(created).toContain(webhook?._id);
	const wrong = { ...settings, event: 'emailReplied' };
	expect(await call('Create_a_webhook', wrong)).toContain('emailsReplied');
	expect(service.hooks()).toHaveLength(1);
	// The client can go on.
	const listed = await call('List_webhooks');
	expect(listed).toContain(webhook?._id);
	expect(listed).not.toContain(service.apiKey);
});

const ruleSchema = z.object({ ruleId: z.string() }).passthrough();
const reportSchema = z.object({
	report: z.object({
		workflowResults: z.array(ruleSchema),
		instanceResults: z.array(ruleSchema),
	}),
});

testWhere(CAN.reportMigration, 'it has no report for n8n 3')(
	"n8n's Migration Report finds nothing in the nodes and the examples that n8n 3 would break",
	async () => {
		const { client } = host().server;
		for (const file of EXAMPLE_FILES) await importExample(file);
		const options = { outputs: 'perEvent' };
		const trigger = triggerNode(credential(), { events: ['emailsReplied', 'smsReplied'], options });
		const action = actionNode(credential(), { resource: 'webhook', operation: 'getAll' });
		await client.createWorkflow(chain('Both nodes', [trigger, action]));

		const path = '/breaking-changes/report/refresh';
		const given = await client.send('POST', path, { query: { version: 'v3' } });
		const { report } = reportSchema.parse(given);
		expect(report.workflowResults).toEqual([]);
		// Everything else is about settings of n8n itself, which are not set here.
		const ids = report.instanceResults.map(({ ruleId }) => ruleId);
		expect(ids).toContain('unverified-packages-v3');
		expect(JSON.stringify(report)).not.toMatch(/outreach/i);
	},
);

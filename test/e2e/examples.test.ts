/**
 * Each example runs to its end as imported, does what its text says, and breaks with nothing in n8n 3. The world is a real
 * n8n with the package, a local service, an MCP client, and a server that stands in for every chat, CRM and model.
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';

import { EXAMPLE_FILES, exampleText } from '../../tools/demo/examples';
import {
	itemsOf,
	waitFor,
	workflowDraftSchema,
	type N8nCredential,
	type N8nExecution,
	type N8nWorkflow,
} from '../../tools/host';
import { deactivate } from '../../tools/host/publishing';
import {
	actionNode,
	chain,
	createServiceCredential,
	triggerNode,
	waitForHookCount,
} from '../../tools/host/workflows';
import { importExample, isRunByHand, startReceiver, type Received } from './exampleWorkflows';
import { openChat } from './hostedChat';
import { connectMcp } from './mcpClient';
import { useOutreachHost } from './outreachHost';
import { CAN, testWhere } from './underTest';

const host = useOutreachHost();
const START = 'When clicking ‘Execute workflow’';

let credential: N8nCredential;
let receiver: Awaited<ReturnType<typeof startReceiver>>;

beforeAll(async () => {
	credential = await createServiceCredential(host());
	receiver = await startReceiver();
});
afterAll(() => receiver.close());

beforeEach(() => receiver.received.splice(0));

const importOne = (file: string): Promise<N8nWorkflow> =>
	importExample(host(), file, {
		receiver: receiver.url,
		credentials: { outreachServiceApi: credential },
	});

const testWithTables = testWhere(CAN.createTables, 'its Data Table node cannot create tables');

/** Waits for `count` executions, and expects them to succeed. */
async function finished(id: string, count: number): Promise<N8nExecution[]> {
	const executions = await host().server.client.executions.waitForFinished(id, count);
	expect(executions.map(({ status }) => status)).toEqual(Array(count).fill('success'));
	return executions;
}

/** Runs a workflow by hand, for the `count`th time. */
async function runByHand(id: string, start: string, count = 1): Promise<N8nExecution> {
	const { waitingForWebhook } = await host().server.client.runWorkflow(id, start);
	expect(waitingForWebhook).not.toBe(true);
	return (await finished(id, count)).at(-1)!;
}

const CREATES_TABLES = /"resource": "table"/;
for (const file of EXAMPLE_FILES.filter(isRunByHand)) {
	const testIt = CREATES_TABLES.test(exampleText(file)) ? testWithTables : test;
	testIt(`${file} runs to its end as imported, with the credential alone`, async () => {
		const { id, nodes, connections } = await importExample(host(), file, {
			credentials: { outreachServiceApi: credential },
		});
		const nextTo = (name: string) =>
			(connections[name]?.main ?? []).flatMap((links) => (links ?? []).map(({ node }) => node));
		const followed = new Set(Object.keys(connections).flatMap(nextTo));
		const start = nodes.find(({ name }) => nextTo(name).length > 0 && !followed.has(name));
		const { outputs } = await runByHand(id, start?.name ?? '');
		const ran = [...outputs.keys()];
		const stoppedEarly = ran.filter((name) => {
			const next = nextTo(name);
			return next.length > 0 && !next.some((node) => ran.includes(node));
		});
		expect([ran.length > 1, stoppedEarly]).toEqual([true, []]);
		expect(host().service.hooks()).toEqual([]);
	});
}

describe('While its workflow is active', () => {
	/** Activates an example with our trigger while `run` runs. */
	async function whileActive(
		file: string,
		webhookCount: number,
		run: (id: string) => Promise<void>,
	): Promise<void> {
		// A batch responds only when it starts.
		host().service.setSwitches({ deliveryTimeoutMs: 30_000 });
		const { id } = await importOne(file);
		await host().server.client.activateWorkflow(id);
		try {
			await waitForHookCount(host(), webhookCount);
			await run(id);
		} finally {
			await deactivate(host(), id);
			await waitForHookCount(host(), 0);
		}
	}

	const ADA = { leadEmail: 'ada@example.com', leadFirstName: 'Ada', leadLastName: 'Lovelace' };
	const emit = (type: string, more: object) => host().service.emit({ type, ...more });

	testWithTables('a positive reply is sent to the chat, and each lead has a row', async () => {
		await whileActive('positive-reply.json', 1, async (id) => {
			await emit('manualInterested', { ...ADA, campaignName: 'Autumn' });
			await finished(id, 1);
			await emit('emailsInterested', { ...ADA, campaignName: 'Winter' });
			const runs = await finished(id, 2);
			expect(receiver.received).toMatchObject([
				{
					path: '/incoming/sales',
					body: { text: 'A user marked Ada Lovelace as interested by hand (Autumn)' },
				},
				{ path: '/incoming/sales' },
			]);
			const [before, after] = runs.flatMap((run) => itemsOf(run, 'Keep the lead'));
			const ada = { email: 'ada@example.com', name: 'Ada Lovelace' };
			expect(before).toMatchObject({ ...ada, campaign: 'Autumn' });
			expect(after).toMatchObject({ id: before?.id, campaign: 'Winter' });
		});
	});

	testWithTables(
		'a bounce and an unsubscribe are sent to the CRM, and each address has a row',
		async () => {
			await whileActive('bounce-and-unsubscribe-clean-up.json', 2, async (id) => {
				await emit('emailsBounced', { leadEmail: 'gone@example.com' });
				await finished(id, 1);
				await emit('emailsUnsubscribed', { leadEmail: 'no@example.com' });
				const runs = await finished(id, 2);
				const kept = [
					{ email: 'gone@example.com', reason: 'bounced' },
					{ email: 'no@example.com', reason: 'unsubscribed' },
				];
				expect(runs.flatMap((one) => itemsOf(one, 'Keep the address'))).toMatchObject(kept);
				const path = '/contacts/do-not-contact';
				expect(receiver.received).toEqual(kept.map((body) => ({ path, body })));
			});
		},
	);

	testWithTables(
		'opens and clicks have a row each, in batches, but for those of campaigns with the word test',
		async () => {
			await whileActive('opens-and-clicks.json', 2, async (id) => {
				const events = ['emailsOpened', 'emailsClicked'].flatMap((type, index) =>
					Array.from({ length: 5 }, (_, number) => ({
						type,
						sequenceStep: index + 1,
						leadEmail: `${type.toLowerCase()}-${number}@example.com`,
						campaignName: 'Autumn',
					})),
				);
				const named = ['Latest launch', 'A test'].map((campaignName) => ({
					...events[0]!,
					campaignName,
				}));
				const sent = [...events, ...named];
				expect(await host().service.emitMany(sent)).toEqual({ 200: sent.length });
				const stored = sent.length - 1;
				const executions = await waitFor(
					`${stored} rows`,
					() => host().server.client.executions.waitForFinished(id, 1),
					(all) => all.flatMap((one) => itemsOf(one, 'Opened or clicked')).length >= stored,
				);
				expect(executions.length).toBeLessThan(stored / 2);
				expect(executions.map(({ status }) => status)).not.toContain('error');
				const rows = executions.flatMap((one) => itemsOf(one, 'Add the rows'));
				expect(rows).toHaveLength(stored);
				const texts = rows.map(({ email, event, step }) => [email, event, step].join(' '));
				expect(texts).toEqual(
					expect.arrayContaining(
						events.map(({ leadEmail, sequenceStep: step }) =>
							[leadEmail, step === 1 ? 'opened' : 'clicked', step].join(' '),
						),
					),
				);
				const campaigns = new Set(rows.map(({ campaign }) => campaign));
				expect([campaigns.has('Latest launch'), campaigns.has('A test')]).toEqual([true, false]);
				expect(JSON.stringify(rows)).not.toMatch(/undefined/);
			});
		},
	);

	test('a third-party reply is escalated, and a reply of the lead is not', async () => {
		await whileActive('third-party-reply.json', 1, async (id) => {
			await emit('emailsReplied', {});
			await emit('emailsReplied', { subject: 'Re: Hello', isThirdPartyReply: true });
			await finished(id, 1);
			expect(receiver.received).toHaveLength(1);
			expect(receiver.received[0]?.body.text).toMatch(
				/^A third party replied to an email .*: Re: Hello\n.+Please take over\.$/,
			);
		});
	});

	test('replies go to Slack in a sentence, and those of a third party to a person', async () => {
		await whileActive('reply-to-slack.json', 4, async (id) => {
			const lead = { ...ADA, campaignName: 'Autumn', sendUserName: 'Erin' };
			await emit('smsReplied', lead);
			await finished(id, 1);
			await emit('emailsReplied', { ...lead, subject: 'Re: Hello', isThirdPartyReply: true });
			await finished(id, 2);
			const from = 'Campaign: Autumn, sender: Erin';
			const toSales = `Ada Lovelace replied to a text message\n${from}`;
			const toPerson = `A third party replied to an email – Ada Lovelace: Re: Hello\n${from}`;
			expect(receiver.received).toEqual([
				{ path: '/slack', body: { channel: '#sales-replies', text: toSales } },
				{ path: '/slack', body: { channel: '#sales-takeover', text: toPerson } },
			]);
		});
	});
});

test('A changed people schema is reported once, and an unchanged one is not', async () => {
	const { id } = await importOne('people-schema-alert.json');
	const changed = { kind: 'status', status: 200, body: '{"full_name":"number"}' } as const;
	await runByHand(id, 'Every morning');
	expect(receiver.received).toEqual([]);
	const text = expect.stringMatching(
		/^People schema: removed .+; type changed full_name$/,
	) as string;
	// Each morning has the same difference.
	for (const count of [2, 3]) {
		host().service.addFault(changed);
		await runByHand(id, 'Every morning', count);
		expect(receiver.received).toMatchObject([{ path: '/incoming/data', body: { text } }]);
	}
});

test('The spring-cleaning lists webhooks whose URL is gone, and deletes them when it is told to', async () => {
	const { server, service } = host();
	const gone = `${server.url}/webhook/${randomUUID()}/webhook?event=*`;
	const old = service.addHook({ targetUrl: gone });
	const other = service.addHook({ targetUrl: `${receiver.url}/in` });
	const { id, nodes } = await importOne('webhook-spring-cleaning.json');
	const outcome = (result: string) => [
		{ webhook: old._id, result, why: expect.stringMatching(/no webhook/) as string },
	];
	const first = await runByHand(id, START);
	expect(itemsOf(first, 'What happened')).toMatchObject(outcome('would be deleted'));
	expect(itemsOf(first, 'Left alone')).toMatchObject([{ webhook: other._id }]);
	expect(service.hooks()).toHaveLength(2);

	const settings = JSON.stringify(nodes).replace(
		'"name":"deleteThem","value":false',
		'"name":"deleteThem","value":true',
	);
	const changed = workflowDraftSchema.shape.nodes.parse(JSON.parse(settings));
	await server.client.updateWorkflow(id, { nodes: changed });
	const deletion = await runByHand(id, START, 2);
	expect(itemsOf(deletion, 'What happened')).toMatchObject(outcome('deleted'));
	expect(service.hooks()).toMatchObject([{ _id: other._id }]);
	service.removeHook(other._id);
});

const requestSchema = z.object({
	messages: z.array(z.object({ role: z.string(), content: z.unknown() })),
	tools: z.array(z.object({ function: z.object({ name: z.string() }) })),
});

/** A response of a fake model. */
const completion = (message: Record<string, unknown>, finish_reason: string): unknown => ({
	id: 'chatcmpl-1',
	object: 'chat.completion',
	created: 0,
	model: 'local',
	choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }],
	usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});

/** Imports an example with a model, which `respond` stands in for. @returns it, and how to stop the model */
async function importWithModel(
	file: string,
	respond: (received: Received) => unknown,
	change: NonNullable<Parameters<typeof importExample>[2]['change']>,
) {
	const model = await startReceiver(respond);
	const data = { apiKey: 'any', url: `${model.url}/v1` };
	const draft = { name: 'Local model', type: 'openAiApi', data };
	const openAiApi = await host().server.client.createCredential(draft);
	const credentials = { outreachServiceApi: credential, openAiApi };
	return { ...(await importExample(host(), file, { credentials, change })), model };
}

describe('The AI agent', () => {
	const testReview = testWhere(CAN.reviewTools, 'it has no human review for tools');

	/** Chats with the agent, whose model calls a tool once, and then repeats the tool's output. */
	async function ask(question: string, tool: string, args: Record<string, unknown>) {
		const respond = ({ body }: Received): unknown => {
			const { messages, tools } = requestSchema.parse(body);
			const output = messages.findLast(({ role }) => role === 'tool');
			if (output) return completion({ content: `It returned: ${String(output.content)}` }, 'stop');
			const name = tools.find((one) => one.function.name === tool)?.function.name;
			const called = { name, arguments: JSON.stringify(args) };
			const tool_calls = [{ id: 'call_1', type: 'function', function: called }];
			return completion({ content: null, tool_calls }, 'tool_calls');
		};
		const isChat = ({ type }: { type: string }) => type.endsWith('.chatTrigger');
		const { id, nodes, model } = await importWithModel(
			'ai-agent-manages-webhooks.json',
			respond,
			(draft) => ({
				...draft,
				nodes: draft.nodes.map((node) =>
					isChat(node) ? { ...node, parameters: { ...node.parameters, public: true } } : node,
				),
			}),
		);
		const { client, url } = host().server;
		await client.activateWorkflow(id);
		const chat = await openChat(url, nodes.find(isChat)?.webhookId ?? '', question);
		const end = async () => {
			chat.close();
			model.close();
			await deactivate(host(), id);
		};
		return { ...chat, end };
	}

	/** A message with buttons, with which the agent asks for approval. */
	const reviewSchema = z.object({
		text: z.string(),
		buttons: z.array(z.object({ text: z.string(), link: z.string() })),
	});

	/** Opens a link as a browser does. n8n ignores programs that load links for a preview. @returns the status */
	async function open(link = ''): Promise<number> {
		const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
		return (await fetch(link, { headers: { 'user-agent': browser } })).status;
	}

	const idsOfWebhooks = () =>
		host()
			.service.hooks()
			.map(({ _id }) => _id);

	testReview('creates a webhook on request', async () => {
		const settings = { targetUrl: 'https://crm.test/bounces', event: 'emailsBounced' };
		const chat = await ask('Tell the CRM of bounces', 'Create_a_webhook', settings);
		await chat.nextMessage();
		await chat.end();
		const [{ _id, targetUrl, type } = { _id: '' }] = host().service.hooks();
		expect({ targetUrl, event: type }).toEqual(settings);
		host().service.removeHook(_id);
	});

	testReview(
		'deletes a webhook once a person agrees by a button, and not before, and none that a person keeps',
		async () => {
			for (const choice of ['Delete', 'Keep']) {
				const { _id } = host().service.addHook({ targetUrl: `https://crm.test/${choice}` });
				const args = { toolParameters: { webhookId: _id }, hitlParameters: {} };
				const chat = await ask('Delete it', 'Delete_a_webhook', args);
				const { text, buttons } = reviewSchema.parse(JSON.parse(await chat.nextMessage()));
				expect(text).toContain(`delete the webhook ${_id}`);
				const linkOf = (label: string) => buttons.find((button) => button.text === label)?.link;
				// Neither a text in the chat nor a link that is made up.
				chat.send('Yes, delete it');
				expect(await open(linkOf('Keep')?.replace('approved=false', 'approved=true'))).toBe(401);
				expect(idsOfWebhooks()).toEqual([_id]);
				expect(await open(linkOf(choice))).toBe(200);
				expect(await chat.nextMessage()).toMatch(
					choice === 'Delete' ? '"deleted":true' : /rejected the tool call to Delete a webhook/,
				);
				expect(idsOfWebhooks()).toEqual(choice === 'Delete' ? [] : [_id]);
				await chat.end();
				host().service.removeHook(_id);
			}
		},
	);
});

test("A record that the model fills in must have the format of the service's people schema", async () => {
	const fillIn = async (record: Record<string, unknown>) => {
		const { id, model } = await importWithModel(
			'people-record-from-text.json',
			() => completion({ content: JSON.stringify({ output: record }) }, 'stop'),
			(draft) => ({ ...draft, pinData: {} }),
		);
		const { client } = host().server;
		await client.runWorkflow(id, START);
		const [execution] = await client.executions.waitForFinished(id, 1);
		model.close();
		return { execution: execution!, prompts: JSON.stringify(model.received) };
	};
	const record = { full_name: 'Ada Lovelace', languages: [{ language: 'English' }] };
	const { execution, prompts } = await fillIn(record);
	expect(execution.status).toBe('success');
	expect(itemsOf(execution, 'Fill in the record')).toMatchObject([{ output: record }]);
	expect(prompts).toContain('years_of_exp_bucket');
	const { execution: refused } = await fillIn({ full_name: 'Ada Lovelace', lead_id: 'seven' });
	expect(refused.status).toBe('error');
});

test('An MCP client with the token sees the tools, and none that deletes; creates a webhook; and gets errors', async () => {
	const { installation, server, service } = host();
	const token = randomUUID();
	const draft = { name: 'Token', type: 'httpBearerAuth', data: { token } };
	const httpBearerAuth = await server.client.createCredential(draft);
	const { id } = await importExample(host(), 'mcp-server.json', {
		credentials: { outreachServiceApi: credential, httpBearerAuth },
	});
	await server.client.activateWorkflow(id);
	const connect = (given: string) =>
		connectMcp(installation, `${server.url}/mcp/outreach-webhooks`, given);
	// n8n registers the URL after it has responded.
	const client = await waitFor(
		'the MCP server',
		() => connect(token),
		() => true,
	);
	await expect(connect('wrong')).rejects.toThrow(/40[13]|Authorization/);

	const tools = new Map((await client.listTools()).map((tool) => [tool.name, tool.inputSchema]));
	expect([...tools.keys()].sort()).toEqual([
		'Check_webhooks',
		'Create_a_webhook',
		'Get_people_schema',
		'List_webhooks',
	]);
	const toFillIn = Object.keys(tools.get('Create_a_webhook')?.properties ?? {});
	expect(toFillIn.sort()).toEqual(['event', 'targetUrl']);
	if (CAN.instructMcpClients)
		expect(client.instructions).toContain('List the webhooks before you create one');

	const settings = { targetUrl: 'https://crm.test/replies', event: 'emailsReplied' };
	const created = await client.callTool('Create_a_webhook', settings);
	const [webhook, ...others] = service.hooks();
	expect([webhook?.targetUrl, webhook?.type, others]).toEqual([...Object.values(settings), []]);
	expect(created).toContain(webhook?._id);
	const wrong = { ...settings, event: 'emailReplied' };
	expect(await client.callTool('Create_a_webhook', wrong)).toContain('emailsReplied');
	expect(service.hooks()).toHaveLength(1);
	// The client can go on.
	const listed = await client.callTool('List_webhooks');
	expect(listed).toContain(webhook?._id);
	expect(listed).not.toContain(service.apiKey);
	await client.close();
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
		for (const file of EXAMPLE_FILES)
			await importExample(host(), file, { credentials: { outreachServiceApi: credential } });
		const options = { outputs: 'perEvent' };
		const trigger = triggerNode(credential, { events: ['emailsReplied', 'smsReplied'], options });
		const action = actionNode(credential, { resource: 'webhook', operation: 'getAll' });
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

/**
 * The example of an AI agent: it creates and deletes webhooks, and asks a person before it deletes. The world is a real
 * n8n with the package, a local service, and a server that takes the place of the model.
 */
import { deactivate } from '../../tools/host/publishing';
import { z } from 'zod';
import { importExample, startReceiver, type Received } from './exampleWorkflows';
import { openChat } from './hostedChat';
import { useOutreachHost } from './outreachHost';
import { CAN, testWhere } from './underTest';
import { createServiceCredential } from '../../tools/host/workflows';
import { itemsOf, type N8nCredential } from '../../tools/host';

const host = useOutreachHost();

const requestSchema = z.object({
	messages: z.array(z.object({ role: z.string(), content: z.unknown() })),
	tools: z.array(z.object({ function: z.object({ name: z.string(), parameters: z.unknown() }) })),
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

/** A fake model that calls a tool once, and then repeats the tool's output. */
function modelThatCalls(tool: string, args: Record<string, unknown>) {
	return ({ body }: Received): unknown => {
		const { messages, tools } = requestSchema.parse(body);
		const toolMessage = messages.findLast(({ role }) => role === 'tool');
		const name = tools.find((one) => one.function.name === tool)?.function.name;
		const call = {
			id: 'call_1',
			type: 'function',
			function: { name, arguments: JSON.stringify(args) },
		};
		return toolMessage
			? completion({ content: `The tool returned: ${String(toolMessage.content)}` }, 'stop')
			: completion({ content: null, tool_calls: [call] }, 'tool_calls');
	};
}

/** A chat with the agent of the example, with a fake model, until `end`. */
async function startChat(question: string, model: ReturnType<typeof modelThatCalls>) {
	const { client, url } = host().server;
	const receiver = await startReceiver(model);
	const openAiApi: N8nCredential = await client.createCredential({
		name: 'Local model',
		type: 'openAiApi',
		data: { apiKey: 'any', url: `${receiver.url}/v1` },
	});
	const { id, nodes } = await importExample(host(), 'ai-agent-manages-webhooks.json', {
		credentials: { outreachServiceApi: await createServiceCredential(host()), openAiApi },
		change: (draft) => ({
			...draft,
			nodes: draft.nodes.map((node) =>
				node.type.endsWith('.chatTrigger')
					? { ...node, parameters: { ...node.parameters, public: true } }
					: node,
			),
		}),
	});
	await client.activateWorkflow(id);
	const webhookId = nodes.find(({ type }) => type.endsWith('.chatTrigger'))?.webhookId ?? '';
	const chat = await openChat(url, webhookId, question);
	return {
		...chat,
		end: async () => {
			chat.close();
			receiver.close();
			await deactivate(host(), id);
		},
	};
}

/** Asks the agent, and returns its reply. */
async function ask(question: string, model: ReturnType<typeof modelThatCalls>): Promise<string> {
	const chat = await startChat(question, model);
	const reply = await chat.nextMessage();
	await chat.end();
	return reply;
}

/** A message with buttons, with which the agent asks for approval. */
const reviewSchema = z.object({
	text: z.string(),
	buttons: z.array(z.object({ text: z.string(), link: z.string() })),
});

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

/** Clicks a button of a message. n8n ignores clicks of programs that load links for a preview. */
async function click(message: string, label: string): Promise<void> {
	const { buttons } = reviewSchema.parse(JSON.parse(message));
	const link = buttons.find(({ text }) => text === label)?.link ?? '';
	const { status } = await fetch(link, { headers: { 'user-agent': BROWSER } });
	expect(status).toBe(200);
}

const idsOfWebhooks = () =>
	host()
		.service.hooks()
		.map(({ _id }) => _id);

const testReview = testWhere(CAN.reviewTools, 'it has no human review for tools');

testReview('the agent creates a webhook on request', async () => {
	const settings = { targetUrl: 'https://crm.test/bounces', event: 'emailsBounced' };
	await ask('Tell the CRM of bounces', modelThatCalls('Create_a_webhook', settings));
	expect(host().service.hooks()).toContainEqual(
		expect.objectContaining({ targetUrl: settings.targetUrl, type: settings.event }),
	);
});

const deleting = (webhookId: string) =>
	modelThatCalls('Delete_a_webhook', { toolParameters: { webhookId }, hitlParameters: {} });

testReview('the agent deletes a webhook once a person agrees, and not before', async () => {
	const { _id } = host().service.addHook({ targetUrl: 'https://crm.test/gone' });
	const chat = await startChat('Delete it', deleting(_id));
	const question = await chat.nextMessage();
	expect(reviewSchema.parse(JSON.parse(question)).text).toContain(`delete the webhook ${_id}`);
	expect(idsOfWebhooks()).toContain(_id);
	await click(question, 'Delete');
	expect(await chat.nextMessage()).toContain('"deleted":true');
	expect(idsOfWebhooks()).not.toContain(_id);
	await chat.end();
});

testReview('the agent deletes nothing when a person declines, and is told so', async () => {
	const { _id } = host().service.addHook({ targetUrl: 'https://crm.test/kept' });
	const chat = await startChat('Delete it', deleting(_id));
	const question = await chat.nextMessage();
	// Only the button counts: neither a text in the chat nor a link that is made up.
	chat.send('Yes, delete it');
	const { buttons } = reviewSchema.parse(JSON.parse(question));
	const declineLink = buttons.find(({ text }) => text === 'Keep')?.link ?? '';
	const forged = await fetch(declineLink.replace('approved=false', 'approved=true'), {
		headers: { 'user-agent': BROWSER },
	});
	expect(forged.status).toBe(401);
	expect(idsOfWebhooks()).toContain(_id);
	await click(question, 'Keep');
	expect(await chat.nextMessage()).toMatch(/rejected the tool call to Delete a webhook/);
	expect(idsOfWebhooks()).toContain(_id);
	await chat.end();
});

/** Runs the example that fills in a people record, with a fake model that gives this record. */
async function fillIn(record: Record<string, unknown>) {
	const { client } = host().server;
	const prompts: string[] = [];
	const model = await startReceiver(({ body }) => {
		prompts.push(JSON.stringify(body));
		return completion({ content: JSON.stringify({ output: record }) }, 'stop');
	});
	const openAiApi = await client.createCredential({
		name: 'Local model',
		type: 'openAiApi',
		data: { apiKey: 'any', url: `${model.url}/v1` },
	});
	const { id } = await importExample(host(), 'people-record-from-text.json', {
		credentials: { outreachServiceApi: await createServiceCredential(host()), openAiApi },
		change: (draft) => ({ ...draft, pinData: {} }),
	});
	await client.runWorkflow(id, 'When clicking ‘Execute workflow’');
	const [execution] = await client.executions.waitForFinished(id, 1);
	model.close();
	return { execution: execution!, prompts };
}

test("a record that the model fills in has the format of the service's people schema", async () => {
	const record = { full_name: 'Ada Lovelace', languages: [{ language: 'English' }] };
	const { execution, prompts } = await fillIn(record);
	expect(execution.status).toBe('success');
	expect(itemsOf(execution, 'Fill in the record')).toMatchObject([{ output: record }]);
	expect(prompts.join()).toContain('years_of_exp_bucket');
});

test("a record that does not fit the service's people schema is refused", async () => {
	const { execution } = await fillIn({ full_name: 'Ada Lovelace', lead_id: 'seven' });
	expect(execution.status).toBe('error');
});

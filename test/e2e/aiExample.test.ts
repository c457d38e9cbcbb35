import { z } from 'zod';
import { importExample, startReceiver, type Received } from './exampleWorkflows';
import { TEST_TIMEOUT_MS, useOutreachHost } from './outreachHost';
import { createServiceCredential } from '../../tools/host/workflows';
import { itemsOf, type N8nCredential } from '../../tools/host';

jest.setTimeout(TEST_TIMEOUT_MS);

// Required by n8n 1; n8n 2 ignores it.
const host = useOutreachHost({ env: { N8N_COMMUNITY_PACKAGES_ALLOW_TOOL_USAGE: 'true' } });

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

/** Asks the example's agent through its public chat, with a fake model. */
async function ask(question: string, model: ReturnType<typeof modelThatCalls>): Promise<string> {
	const { client, url } = host().server;
	const receiver = await startReceiver(model);
	const openAi: N8nCredential = await client.createCredential({
		name: 'Local model',
		type: 'openAiApi',
		data: { apiKey: 'any', url: `${receiver.url}/v1` },
	});
	const credentials = {
		outreachServiceApi: await createServiceCredential(host()),
		openAiApi: openAi,
	};
	const { id, nodes } = await importExample(host(), 'ai-agent-manages-webhooks.json', {
		credentials,
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
	const chat = nodes.find(({ type }) => type.endsWith('.chatTrigger'))?.webhookId ?? '';
	const reply = await sendMessage(`${url}/webhook/${chat}/chat`, question);
	await client.deactivateWorkflow(id);
	receiver.close();
	return reply;
}

/** Sends a message to the chat. Retries, because its URL is available only shortly after the activation. */
async function sendMessage(url: string, chatInput: string): Promise<string> {
	for (let tries = 0; ; tries += 1) {
		const response = await fetch(url, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ action: 'sendMessage', sessionId: 'one', chatInput }),
		});
		const text = await response.text();
		if (response.ok) return z.object({ output: z.string() }).parse(JSON.parse(text)).output;
		if (response.status !== 404 || tries > 50) throw new Error(`${response.status}: ${text}`);
		await new Promise((resolve) => setTimeout(resolve, 200));
	}
}

test('the agent lists the webhooks', async () => {
	const { _id } = host().service.addHook({ targetUrl: 'https://crm.test/in', type: 'warmed' });
	const reply = await ask('Which webhooks are there?', modelThatCalls('List_webhooks', {}));
	expect(reply).toContain(_id);
	expect(reply).toContain('https://crm.test/in');
});

test('the agent creates a webhook on request', async () => {
	const settings = { targetUrl: 'https://crm.test/bounces', event: 'emailsBounced' };
	await ask('Tell the CRM of bounces', modelThatCalls('Create_a_webhook', settings));
	expect(host().service.hooks()).toContainEqual(
		expect.objectContaining({ targetUrl: settings.targetUrl, type: settings.event }),
	);
});

test('the agent deletes a webhook on request, and gets an error if it does not exist', async () => {
	const { _id } = host().service.addHook({ targetUrl: 'https://crm.test/gone' });
	const first = await ask('Delete it', modelThatCalls('Delete_a_webhook', { webhookId: _id }));
	expect(first).toContain('"deleted":true');
	expect(
		host()
			.service.hooks()
			.map((webhook) => webhook._id),
	).not.toContain(_id);
	const second = await ask('Again', modelThatCalls('Delete_a_webhook', { webhookId: _id }));
	expect(second).toContain(`The webhook ${_id} was not found`);
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

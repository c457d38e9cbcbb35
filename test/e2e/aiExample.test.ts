import { z } from 'zod';
import { importExample, startReceiver, type Received } from './examplesWorld';
import { TEST_TIMEOUT_MS, useOutreachHost } from './outreachHost';
import { createServiceCredential } from '../../tools/host/workflows';
import type { N8nCredential } from '../../tools/host';

jest.setTimeout(TEST_TIMEOUT_MS);

// n8n 1 needs the setting; n8n 2 does not mind it.
const host = useOutreachHost({ env: { N8N_COMMUNITY_PACKAGES_ALLOW_TOOL_USAGE: 'true' } });

const requestSchema = z.object({
	messages: z.array(z.object({ role: z.string(), content: z.unknown() })),
	tools: z.array(z.object({ function: z.object({ name: z.string(), parameters: z.unknown() }) })),
});

/** A model that knows one thing to do: it calls a tool once, and then repeats what the tool said. */
function modelThatCalls(tool: string, args: Record<string, unknown>) {
	return ({ body }: Received): unknown => {
		const { messages, tools } = requestSchema.parse(body);
		const said = messages.findLast(({ role }) => role === 'tool');
		const name = tools.find((one) => one.function.name === tool)?.function.name;
		const call = {
			id: 'call_1',
			type: 'function',
			function: { name, arguments: JSON.stringify(args) },
		};
		const message = said
			? { role: 'assistant', content: `The tool said: ${String(said.content)}` }
			: { role: 'assistant', content: null, tool_calls: [call] };
		const finish_reason = said ? 'stop' : 'tool_calls';
		return {
			id: 'chatcmpl-1',
			object: 'chat.completion',
			created: 0,
			model: 'local',
			choices: [{ index: 0, message, finish_reason }],
			usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
		};
	};
}

/** Asks the example's agent over its public chat, with a model of ours behind it. */
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
		receiver: receiver.url,
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
	const answer = await answerOf(`${url}/webhook/${chat}/chat`, question);
	await client.deactivateWorkflow(id);
	receiver.close();
	return answer;
}

/** The chat's address is there a moment after the activation has answered. */
async function answerOf(address: string, chatInput: string): Promise<string> {
	for (let tries = 0; ; tries += 1) {
		const response = await fetch(address, {
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
	const answer = await ask('Which webhooks are there?', modelThatCalls('List_webhooks', {}));
	expect(answer).toContain(_id);
	expect(answer).toContain('https://crm.test/in');
});

test('the agent creates the webhook it is asked for', async () => {
	const wish = { targetUrl: 'https://crm.test/bounces', event: 'emailsBounced' };
	await ask('Tell the CRM of bounces', modelThatCalls('Create_a_webhook', wish));
	expect(host().service.hooks()).toContainEqual(
		expect.objectContaining({ targetUrl: wish.targetUrl, type: wish.event }),
	);
});

test('the agent deletes the webhook it is asked to, and reads why when it is not there', async () => {
	const { _id } = host().service.addHook({ targetUrl: 'https://crm.test/gone' });
	const once = await ask('Delete it', modelThatCalls('Delete_a_webhook', { webhookId: _id }));
	expect(once).toContain('"deleted":true');
	expect(
		host()
			.service.hooks()
			.map((hook) => hook._id),
	).not.toContain(_id);
	const twice = await ask('Again', modelThatCalls('Delete_a_webhook', { webhookId: _id }));
	expect(twice).toContain(`The webhook ${_id} was not found`);
});

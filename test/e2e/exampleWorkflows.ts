import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import type { N8nCredential, N8nNode, N8nWorkflow, N8nWorkflowDraft } from '../../tools/host';
import { exampleText, readExample, withCredentials } from '../../tools/demo/examples';
import type { OutreachHost } from './outreachHost';

/** A request that the receiver got. */
export type Received = { path: string; body: Record<string, unknown> };

/** Stands in for every chat, CRM and model in the examples. `respond` returns the body of a response. */
export async function startReceiver(
	respond: (received: Received) => unknown = () => ({ ok: true }),
): Promise<{ url: string; received: Received[]; close(): void }> {
	const received: Received[] = [];
	const receive = async (request: IncomingMessage, response: ServerResponse) => {
		const body = z.record(z.unknown()).parse(JSON.parse((await text(request)) || '{}'));
		const one = { path: request.url ?? '', body };
		received.push(one);
		response.setHeader('content-type', 'application/json');
		response.end(JSON.stringify(respond(one)));
	};
	const server = createServer((request, response) => void receive(request, response));
	await once(server.listen(0, '127.0.0.1'), 'listening');
	const { port } = z.object({ port: z.number() }).parse(server.address());
	return { url: `http://127.0.0.1:${port}`, received, close: () => void server.close() };
}

/**
 * Imports an example as a user does, and chooses these credentials for it.
 *
 * With `receiver`, it is set up, too: its nodes for chats and the CRM are enabled, and call that URL instead.
 */
export async function importExample(
	{ server }: OutreachHost,
	file: string,
	{
		receiver,
		credentials,
		change = (draft) => draft,
	}: {
		receiver?: string;
		credentials: Record<string, N8nCredential>;
		change?: (draft: N8nWorkflowDraft) => N8nWorkflowDraft;
	},
): Promise<N8nWorkflow> {
	const draft = withCredentials(change(readExample(file)), credentials);
	const nodes = draft.nodes.map((node) => {
		const isSetUp = receiver !== undefined && node.disabled === true;
		const { webhookId, ...set } = isSetUp ? enabledAt(receiver, node) : node;
		return { ...set, ...(webhookId !== undefined && { webhookId: randomUUID() }) };
	});
	return server.client.createWorkflow({ ...draft, nodes });
}

/** Whether *Execute workflow* runs an example to its end. The others wait for a chat message or an MCP client. */
export const isRunByHand = (file: string): boolean =>
	!/\.(chatTrigger|mcpTrigger)"/.test(exampleText(file));

const slackSchema = z.object({ channelId: z.object({ value: z.string() }), text: z.string() });
const requestSchema = z.object({ url: z.string() }).passthrough();

/** A node that sends the same message to another server: a request at the same path, or instead of a Slack node. */
function enabledAt(url: string, node: N8nNode): N8nNode {
	const enabled = { ...node, disabled: false };
	if (node.type !== 'n8n-nodes-base.slack') {
		const request = requestSchema.parse(node.parameters);
		const parameters = { ...request, url: `${url}${new URL(request.url).pathname}` };
		return { ...enabled, parameters };
	}
	const { channelId, text } = slackSchema.parse(node.parameters);
	const body = Object.entries({ channel: channelId.value, text });
	return {
		...enabled,
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		parameters: {
			method: 'POST',
			url: `${url}/slack`,
			sendBody: true,
			bodyParameters: { parameters: body.map(([name, value]) => ({ name, value })) },
			options: {},
		},
	};
}

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { z } from 'zod';
import type { N8nCredential, N8nWorkflow, N8nWorkflowDraft } from '../../tools/host';
import { readExample, withCredentials, withMessagesTo } from '../../tools/demo/examples';
import type { OutreachHost } from './outreachHost';

/** A request that the receiver got. */
export type Received = { path: string; body: Record<string, unknown> };

/** Stands in for every chat and CRM in the examples. `respond` returns the body of a response. */
export async function startReceiver(
	respond: (received: Received) => unknown = () => ({ ok: true }),
): Promise<{ url: string; received: Received[]; close(): void }> {
	const received: Received[] = [];
	const server = createServer((request, response) => {
		let text = '';
		request.on('data', (chunk) => (text += String(chunk)));
		request.on('end', () => {
			const body = z.record(z.unknown()).parse(JSON.parse(text || '{}'));
			const one = { path: request.url ?? '', body };
			received.push(one);
			response.setHeader('content-type', 'application/json');
			response.end(JSON.stringify(respond(one)));
		});
	});
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
	const address = z.object({ port: z.number() }).parse(server.address());
	return { url: `http://127.0.0.1:${address.port}`, received, close: () => void server.close() };
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
	const example = change(readExample(file));
	const chosen = withCredentials(example, credentials);
	const draft = receiver === undefined ? chosen : withMessagesTo(receiver, chosen);
	const nodes = draft.nodes.map((node) => ({
		...node,
		...(node.webhookId !== undefined && { webhookId: randomUUID() }),
	}));
	return server.client.createWorkflow({ ...draft, nodes });
}

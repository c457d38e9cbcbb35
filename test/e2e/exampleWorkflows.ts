import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import type { N8nCredential, N8nWorkflow, N8nWorkflowDraft } from '../../tools/host';
import { workflowDraftSchema } from '../../tools/host/client/schemas';
import type { OutreachHost } from './outreachHost';

const EXAMPLES = resolve(__dirname, '../../examples');

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

/** Imports an example as a user does: chooses the credentials and replaces the URLs. */
export async function importExample(
	{ server }: OutreachHost,
	file: string,
	{
		receiver,
		credentials,
		change = (draft) => draft,
	}: {
		receiver: string;
		credentials: Record<string, N8nCredential>;
		change?: (draft: N8nWorkflowDraft) => N8nWorkflowDraft;
	},
): Promise<N8nWorkflow> {
	const text = await readFile(join(EXAMPLES, file), 'utf8');
	const example = workflowDraftSchema.parse(
		JSON.parse(text.replace(/https:\/\/(chat|crm)\.example\.com/g, receiver)),
	);
	const nodes = example.nodes.map((node) => ({
		...node,
		credentials: Object.fromEntries(
			Object.keys(node.credentials ?? {}).map((type) => {
				const credential = credentials[type];
				if (credential === undefined) throw new Error(`No credential for ${type}`);
				return [type, { id: credential.id, name: credential.name }];
			}),
		),
		...(node.webhookId !== undefined && { webhookId: randomUUID() }),
	}));
	return server.client.createWorkflow(change({ ...example, nodes }));
}

import { randomUUID } from 'node:crypto';
import { on, once } from 'node:events';
import { WebSocket } from 'undici';
import { z } from 'zod';
import { waitFor } from '../../tools/host';

/** How long a message may take, in milliseconds. */
const MESSAGE_TIMEOUT_MS = 60_000;

const startedSchema = z.object({ executionId: z.string(), resumeToken: z.string().optional() });
const messageSchema = z.tuple([z.object({ data: z.string() })]);

/**
 * Starts an execution with a message, as n8n's public chat page does for a Chat Trigger with *Response Mode: Using
 * Response Nodes*, and receives the messages of that execution.
 *
 * @param url of n8n
 * @param webhookId of the Chat Trigger
 */
export async function openChat(url: string, webhookId: string, chatInput: string) {
	const sessionId = randomUUID();
	const sent = { action: 'sendMessage', sessionId };
	const started = await waitFor(
		// A chat is available only shortly after the publication.
		'n8n to take the first message',
		async () =>
			await fetch(`${url}/webhook/${webhookId}/chat`, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify({ ...sent, chatInput }),
			}),
		({ ok }) => ok,
	);
	const { executionId, resumeToken = '' } = startedSchema.parse(await started.json());
	const query = { sessionId, executionId, token: resumeToken, isPublic: 'true' };
	const path = `/chat?${new URLSearchParams(query).toString()}`;
	const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`);
	const signal = AbortSignal.timeout(MESSAGE_TIMEOUT_MS);
	const messages = on(socket, 'message', { signal });
	await once(socket, 'open');
	return {
		/** Waits for the next message. One with buttons is JSON. */
		nextMessage: async (): Promise<string> => {
			// n8n sends messages of its own to the page, which does not show them.
			let message = 'n8n|';
			while (message.startsWith('n8n|')) {
				[{ data: message }] = messageSchema.parse((await messages.next()).value);
				if (message === 'n8n|heartbeat') socket.send('n8n|heartbeat-ack');
			}
			return message;
		},
		send: (text: string): void => {
			socket.send(JSON.stringify({ ...sent, chatInput: text }));
		},
		close: (): void => {
			socket.close();
		},
	};
}

import { randomUUID } from 'node:crypto';
import { WebSocket } from 'undici';
import { z } from 'zod';

/** Messages of n8n that are not shown in the chat. */
const INTERNAL = /^n8n\|/;
/** How long a message may take, in milliseconds. */
const MESSAGE_TIMEOUT_MS = 60_000;

const HEARTBEAT = 'n8n|heartbeat';

const startedSchema = z.object({ executionId: z.string(), resumeToken: z.string().optional() });

/** A chat on n8n's public chat page, which receives the messages of one execution. */
export interface HostedChat {
	/** Waits for the next message. One with buttons is JSON. */
	nextMessage(): Promise<string>;
	send(text: string): void;
	close(): void;
}

/**
 * Starts an execution with a message, as the chat page of a Chat Trigger does with *Response Mode: Using Response Nodes*.
 *
 * @param url of n8n
 * @param webhookId of the Chat Trigger
 */
export async function openChat(
	url: string,
	webhookId: string,
	chatInput: string,
): Promise<HostedChat> {
	const sessionId = randomUUID();
	const body = { action: 'sendMessage', sessionId, chatInput };
	const { executionId, resumeToken = '' } = await start(`${url}/webhook/${webhookId}/chat`, body);
	const query = new URLSearchParams({
		sessionId,
		executionId,
		token: resumeToken,
		isPublic: 'true',
	});
	const socket = new WebSocket(`${url.replace('http', 'ws')}/chat?${query.toString()}`);
	const unread: string[] = [];
	const waiting: Array<(message: string) => void> = [];
	socket.addEventListener('message', ({ data }) => {
		const message = String(data);
		if (message === HEARTBEAT) socket.send('n8n|heartbeat-ack');
		if (INTERNAL.test(message)) return;
		const next = waiting.shift();
		if (next) next(message);
		else unread.push(message);
	});
	return {
		nextMessage: () => {
			const message = unread.shift();
			if (message !== undefined) return Promise.resolve(message);
			return new Promise((resolve, reject) => {
				const timer = setTimeout(() => {
					reject(new Error('The chat sent no message'));
				}, MESSAGE_TIMEOUT_MS);
				waiting.push((next) => {
					clearTimeout(timer);
					resolve(next);
				});
			});
		},
		send: (text) => {
			socket.send(JSON.stringify({ ...body, chatInput: text }));
		},
		close: () => {
			socket.close();
		},
	};
}

/** Sends the first message. Retries, because the URL of a chat is available only shortly after the activation. */
async function start(url: string, body: object): Promise<z.infer<typeof startedSchema>> {
	const post = async () =>
		await fetch(url, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(body),
		});
	let response = await post();
	for (let retries = 0; response.status === 404 && retries < 50; retries += 1) {
		await new Promise((resolve) => setTimeout(resolve, 200));
		response = await post();
	}
	const text = await response.text();
	if (!response.ok) throw new Error(`${response.status}: ${text}`);
	return startedSchema.parse(JSON.parse(text));
}

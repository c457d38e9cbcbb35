import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Fastify, { type FastifyInstance } from 'fastify';
import { z } from 'zod';
import { addGuard } from '../../service/control/guard';
import { INBOX_EVENTS, type InboxEvent } from './events';

const HOST = '127.0.0.1';
const MAX_MESSAGES = 200;

/** A message that a workflow sent to the chat or the CRM. */
export interface InboxMessage {
	/** ISO 8601, UTC. */
	at: string;
	channel: string;
	text: string;
}

/** Stands in for the chat and the CRM of the examples, with a page that shows what they get. */
export interface Inbox {
	url: string;
	/** Oldest first. */
	messages: readonly InboxMessage[];
	close(): Promise<void>;
}

const bodySchema = z
	.object({ channel: z.string().optional(), text: z.string().optional() })
	.passthrough();

const PAGE = {
	'/': ['index.html', 'text/html; charset=utf-8'],
	'/inbox.js': ['inbox.js', 'text/javascript; charset=utf-8'],
	'/inbox.css': ['inbox.css', 'text/css; charset=utf-8'],
} as const;
const CONTENT_SECURITY_POLICY =
	"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

function addPage(app: FastifyInstance): void {
	for (const [path, [file, type]] of Object.entries(PAGE)) {
		const content = readFileSync(join(__dirname, 'page', file));
		app.get(path, async (_request, reply) =>
			reply
				.type(type)
				.header('content-security-policy', CONTENT_SECURITY_POLICY)
				.header('x-content-type-options', 'nosniff')
				.send(content),
		);
	}
}

/** `/incoming/sales` is the channel `sales`. */
const channelOf = (url: string): string => url.split(/[?#]/)[0]?.split('/').at(-1) ?? '';

/**
 * Starts the inbox.
 *
 * @param send delivers the activity of an event; returns how many webhooks accepted it
 */
export async function startInbox({
	port = 0,
	send,
}: {
	port?: number;
	send: (activity: InboxEvent['activity']) => Promise<number>;
}): Promise<Inbox> {
	const messages: InboxMessage[] = [];
	const app = Fastify({ forceCloseConnections: true });
	addGuard(app, HOST);
	addPage(app);
	app.get('/events', async () => INBOX_EVENTS.map(({ label, effect }) => ({ label, effect })));
	app.post('/events/:index', async (request, reply) => {
		const { index } = z.object({ index: z.coerce.number() }).parse(request.params);
		const event = INBOX_EVENTS[index];
		if (event === undefined) return reply.code(404).send({ error: 'No such event' });
		return { accepted: await send(event.activity) };
	});
	app.get('/messages', async () => messages);
	// Every other path is a channel.
	app.post('/*', async (request) => {
		const { channel = channelOf(request.url), text, ...fields } = bodySchema.parse(request.body);
		const message = { at: new Date().toISOString(), channel, text: text ?? JSON.stringify(fields) };
		messages.push(message);
		if (messages.length > MAX_MESSAGES) messages.shift();
		return { ok: true };
	});
	const url = await app.listen({ host: HOST, port });
	return { url, messages, close: () => app.close() };
}

import { once } from 'node:events';
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { freePort } from './ports';

/** A reverse proxy in front of n8n processes on this machine, for their webhooks. */
export interface ReverseProxy {
	/** Goes into `WEBHOOK_URL`, with a trailing slash. */
	readonly url: string;
	/** Cuts all connections and stops listening. */
	stop(): Promise<void>;
}

export interface ReverseProxyOptions {
	/**
	 * Passes a request on only to a process whose `/healthz/readiness` responds with 200, and responds with 503 while there
	 * is none (default). Without this, it takes any process that listens, as a proxy without a health check does.
	 */
	asksReadiness?: boolean;
}

/** Longer than n8n takes to respond when it is busy. */
const READINESS_TIMEOUT_MS = 5_000;
const RETRY_AFTER_SECONDS = 2;

/**
 * Distributes requests over the processes on these ports, round robin. Passes no request on twice: if n8n cuts the
 * connection, the sender gets 502, and must decide itself whether to send again.
 */
export async function startReverseProxy(
	targets: readonly number[],
	{ asksReadiness = true }: ReverseProxyOptions = {},
): Promise<ReverseProxy> {
	const agent = new Agent({ keepAlive: true });
	let turn = 0;

	const findTarget = async (): Promise<number | undefined> => {
		const first = turn++ % targets.length;
		const inTurn = [...targets.slice(first), ...targets.slice(0, first)];
		if (!asksReadiness) return inTurn[0];
		for (const port of inTurn) if (await isReady(port)) return port;
		return undefined;
	};
	const receive = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
		const port = await findTarget();
		if (outgoing.destroyed) return;
		if (port === undefined) refuse(outgoing, 503, 'n8n is not ready');
		else passOn(incoming, outgoing, port, agent);
	};
	const server = createServer((incoming, outgoing) => void receive(incoming, outgoing));

	const port = await freePort();
	server.listen(port, '127.0.0.1');
	await once(server, 'listening');
	return {
		url: `http://127.0.0.1:${port}/`,
		stop: async () => {
			server.close();
			server.closeAllConnections();
			agent.destroy();
			await once(server, 'close');
		},
	};
}

/** Whether n8n's database is migrated and its routes are there. Never rejects. */
async function isReady(port: number): Promise<boolean> {
	try {
		const response = await fetch(`http://127.0.0.1:${port}/healthz/readiness`, {
			signal: AbortSignal.timeout(READINESS_TIMEOUT_MS),
		});
		await response.text();
		return response.status === 200;
	} catch {
		// Nothing listens, or it does not respond.
		return false;
	}
}

function refuse(outgoing: ServerResponse, status: 502 | 503, reason: string): void {
	outgoing.writeHead(status, {
		'content-type': 'text/plain',
		'retry-after': String(RETRY_AFTER_SECONDS),
	});
	outgoing.end(reason);
}

function passOn(
	incoming: IncomingMessage,
	outgoing: ServerResponse,
	port: number,
	agent: Agent,
): void {
	const { method, url: path, headers } = incoming;
	const forwarded = request({ host: '127.0.0.1', port, method, path, headers, agent });
	forwarded.on('response', (response) => {
		outgoing.writeHead(response.statusCode ?? 502, response.headers);
		// If n8n stops in the middle of a response, this cuts the connection of the sender, too.
		pipeline(response, outgoing, () => undefined);
	});
	forwarded.on('error', () => {
		if (!outgoing.headersSent) refuse(outgoing, 502, 'n8n cut the connection');
	});
	outgoing.on('close', () => {
		// n8n must notice a sender that disconnects.
		if (!outgoing.writableFinished) forwarded.destroy();
	});
	incoming.pipe(forwarded);
}

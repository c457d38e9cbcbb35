import fastify from 'fastify';
import { request as send } from 'undici';
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
const RETRY_AFTER = { 'retry-after': '2' };
/** Headers about a connection, and not about the request or the response. */
const OF_CONNECTION = ['connection', 'keep-alive', 'transfer-encoding'];

/**
 * Distributes requests over the processes on these ports, round robin. Passes no request on twice: if n8n cuts the
 * connection, the sender gets 502, and must decide itself whether to send again.
 */
export async function startReverseProxy(
	targets: readonly number[],
	{ asksReadiness = true }: ReverseProxyOptions = {},
): Promise<ReverseProxy> {
	let turn = 0;
	const findTarget = async (): Promise<number | undefined> => {
		const first = turn++ % targets.length;
		const inTurn = [...targets.slice(first), ...targets.slice(0, first)];
		if (!asksReadiness) return inTurn[0];
		for (const port of inTurn) if (await isReady(port)) return port;
		return undefined;
	};

	const server = fastify({ forceCloseConnections: true });
	server.removeAllContentTypeParsers();
	// The body is passed on as it arrives.
	server.addContentTypeParser('*', (_request, _body, done) => done(null));
	server.all('/*', async ({ method, url, headers, raw }, reply) => {
		const port = await findTarget();
		if (port === undefined) return await reply.code(503).headers(RETRY_AFTER).send();
		// n8n must notice a sender that disconnects.
		const disconnected = new AbortController();
		reply.raw.on('close', () => disconnected.abort());
		try {
			const response = await send(`http://127.0.0.1:${port}${url}`, {
				method,
				headers: withoutConnection(headers),
				body: raw,
				signal: disconnected.signal,
			});
			return await reply
				.code(response.statusCode)
				.headers(withoutConnection(response.headers))
				.send(response.body);
		} catch {
			return await reply.code(502).headers(RETRY_AFTER).send();
		}
	});
	const port = await freePort();
	await server.listen({ host: '127.0.0.1', port });
	return { url: `http://127.0.0.1:${port}/`, stop: () => server.close() };
}

const withoutConnection = <Value>(headers: Record<string, Value>): Record<string, Value> =>
	Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_CONNECTION.includes(name)));

/** Whether n8n's database is migrated and its routes are there. Never rejects. */
async function isReady(port: number): Promise<boolean> {
	const signal = AbortSignal.timeout(READINESS_TIMEOUT_MS);
	try {
		const response = await send(`http://127.0.0.1:${port}/healthz/readiness`, { signal });
		await response.body.dump();
		return response.statusCode === 200;
	} catch {
		// Nothing listens, or it does not respond.
		return false;
	}
}

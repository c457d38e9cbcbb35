/** Stands in for what listens at the target URLs of webhooks. */
import {
	createServer,
	type IncomingHttpHeaders,
	type IncomingMessage,
	type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A request that a target received. */
type Asked = {
	method: string;
	url: string;
	headers: IncomingHttpHeaders;
	body: string;
};

export type Handler = (response: ServerResponse, asked: Asked) => void;

export type Target = { url: string; asked: Asked[]; close: () => Promise<void> };

async function textOf(request: IncomingMessage): Promise<string> {
	let text = '';
	for await (const chunk of request) text += String(chunk);
	return text;
}

/** A server on a port of its own. */
async function startTarget(handle: Handler): Promise<Target> {
	const asked: Asked[] = [];
	const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
		const body = await textOf(request);
		const { method = '', url = '', headers } = request;
		const one = { method, url, headers, body };
		asked.push(one);
		handle(response, one);
	};
	const server = createServer((request, response) => void receive(request, response));
	const sockets = new Set<Socket>();
	server.on('connection', (socket: Socket) => sockets.add(socket));
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}`,
		asked,
		close: async () => {
			for (const socket of sockets) socket.destroy();
			await new Promise((done) => server.close(done));
		},
	};
}

/** Targets that are closed after each test. */
export function useTargets(): { start(handle: Handler): Promise<Target> } {
	const open: Target[] = [];
	afterEach(async () => {
		await Promise.all(open.splice(0).map(async (target) => await target.close()));
	});
	return {
		start: async (handle) => {
			const target = await startTarget(handle);
			open.push(target);
			return target;
		},
	};
}

/** Responds with a status, headers and a body. */
export const respondWith =
	(status: number, headers: Record<string, string> = {}, body = ''): Handler =>
	(response) => {
		response.writeHead(status, headers).end(body);
	};

/** Express's `ETag` of `{}`, which n8n responds with to `OPTIONS`. */
const ETAG_OF_N8N = 'W/"2-vyGp6PvFo4RvsFtPoIWeCReyIC8"';

/** What n8n responds where it has no webhook for a method. */
export const unregistered = (path: string, hint = '') =>
	JSON.stringify({
		code: 404,
		message: `The requested webhook "${path}" is not registered.`,
		hint,
	});

/**
 * What n8n responds at a production URL: to `OPTIONS` with an origin, the methods of the webhooks there; to a `GET`, its
 * own 404.
 */
export const n8nWith =
	(...methods: string[]): Handler =>
	(response, asked) => {
		if (asked.method === 'GET') {
			const path = decodeURIComponent(/^\/(?:webhook\/)?([^?]*)/.exec(asked.url)?.[1] ?? '');
			respondWith(404, {}, unregistered(`GET ${path}`))(response, asked);
			return;
		}
		const list = { 'access-control-allow-methods': ['OPTIONS', ...methods].join(', ') };
		const headers = { etag: ETAG_OF_N8N, ...(asked.headers.origin ? list : {}) };
		respondWith(204, headers)(response, asked);
	};

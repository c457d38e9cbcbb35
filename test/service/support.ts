/** Local services and receivers of deliveries that end with their test, and a client of the API. */
import { once } from 'node:events';
import {
	createServer,
	type IncomingHttpHeaders,
	type IncomingMessage,
	type ServerResponse,
} from 'node:http';
import { text } from 'node:stream/consumers';
import { request, type Dispatcher } from 'undici';
import { z } from 'zod';

import {
	startService,
	type RunningService,
	type ServiceOptions,
	type SwitchChanges,
} from '../../tools/service';
import { parseJson } from '../../tools/service/http';

const open: Array<() => Promise<void>> = [];

afterEach(async () => {
	await Promise.all(open.splice(0).map(async (close) => close()));
});

/** Starts a service, without a rate limit and without the control API unless the options say otherwise. */
export async function service(options: ServiceOptions = {}): Promise<RunningService> {
	const switches = { rateLimit: 'off' as const, ...options.switches };
	const running = await startService({ control: false, ...options, switches });
	open.push(() => running.close());
	return running;
}

export const withSwitches = async (switches: SwitchChanges): Promise<RunningService> =>
	await service({ switches });

/** A delivery as received. */
interface Received {
	method: string | undefined;
	path: string | undefined;
	headers: IncomingHttpHeaders;
	body: Record<string, unknown>;
}

/** Starts a receiver of deliveries. It responds with `statuses` in turn, then with 200. */
export async function receiver() {
	const received: Received[] = [];
	const statuses: number[] = [];
	const receive = async (incoming: IncomingMessage, response: ServerResponse) => {
		const body = z.record(z.unknown()).parse(JSON.parse(await text(incoming)));
		const { method, url, headers } = incoming;
		received.push({ method, path: url, headers, body });
		response.writeHead(statuses.shift() ?? 200).end();
	};
	const server = createServer((incoming, response) => void receive(incoming, response));
	await once(server.listen(0, '127.0.0.1'), 'listening');
	open.push(async () => {
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	});
	const { port } = z.object({ port: z.number() }).parse(server.address());
	return { url: `http://127.0.0.1:${port}/hook`, received, statuses };
}

/** Calls any URL. A body is sent as JSON, or unchanged if it is a text. */
export async function call(
	url: string,
	method: Dispatcher.HttpMethod,
	{ body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
) {
	const response = await request(url, {
		method,
		headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
		...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
	});
	const content = await response.body.text();
	// `json` is undefined if the body is no JSON.
	const json = parseJson(content)?.value;
	return { status: response.statusCode, headers: response.headers, text: content, json };
}

/** Calls the API as a client would (§5.3). The key defaults to the service's first one. */
export const callApi = async (
	{ baseUrl, apiKey }: RunningService,
	method: Dispatcher.HttpMethod,
	path: string,
	{ key = apiKey, body }: { key?: string; body?: unknown } = {},
) => {
	const authorization = `Basic ${Buffer.from(`:${key}`).toString('base64')}`;
	return await call(`${baseUrl}${path}`, method, { headers: { authorization }, body });
};

/** The API: what each request goes through until it has its response. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { applyFaults } from './faults';
import { apiKeyFrom, findRoute, Problem, readJson, send, type Reply } from './http';
import type { LocalService, LoggedRequest } from './localService';
import { ROUTES } from './routes';

/** The path prefix that the base URL includes (§4). */
export const BASE_PATH = '/api';

/** Creates the server for the API (§4). It isn't listening yet. */
export function createApiServer(service: LocalService): Server {
	return createServer((request, response) => void handle(service, request, response));
}

/** Logs a request, responds to it, and logs how it ends. */
async function handle(service: LocalService, request: IncomingMessage, response: ServerResponse) {
	const [path = ''] = request.url?.split('?') ?? [];
	const isBelowBase = path.startsWith(`${BASE_PATH}/`);
	const logged = service.logRequest({
		method: request.method ?? '',
		path: isBelowBase ? path.slice(BASE_PATH.length) : path,
		query: redacted(queryOf(request)),
	});
	response.once('close', () => {
		logged.ms = Math.round((performance.now() - logged.at) * 10) / 10;
		if (!response.writableFinished) logged.disconnected = true;
	});
	const reply = isBelowBase
		? await replyTo(service, request, logged)
		: replyWith(404, 'No such route');
	if (reply) logged.status = reply.status;
	await send(response, reply);
}

/**
 * Checks the API key (§5), then the key's rate limit (§8), then applies faults. In this order, a request without a valid key
 * counts against no limit, and a rejected one uses up no fault.
 */
async function replyTo(
	service: LocalService,
	request: IncomingMessage,
	logged: LoggedRequest,
): Promise<Reply<string | Readable> | undefined> {
	const apiKey = apiKeyFrom(request.headers.authorization);
	const key = service.keys.get(apiKey ?? '');
	// No body (§7), and the same response for an unknown key and a malformed header.
	if (apiKey === undefined || !key) return { status: 401 };
	logged.apiKey = apiKey;
	const { isAllowed, headers } = key.limiter.take(logged.at, service.switches);
	if (!isAllowed) logged.overLimit = true;
	const faults = isAllowed ? service.faultList.take(logged) : [];
	logged.faults = faults.map(({ kind }) => kind);
	const carryOut = async () =>
		isAllowed ? await run(service, key.team, request, logged) : replyWith(429, 'Too many requests');
	const reply = await applyFaults(faults, request, carryOut);
	return reply && { ...reply, headers: { ...headers, ...reply.headers } };
}

/** Carries out a request. Errors are plain text (§7); an internal error reveals no details. */
async function run(
	service: LocalService,
	team: string | undefined,
	request: IncomingMessage,
	logged: LoggedRequest,
): Promise<Reply> {
	const route = findRoute(ROUTES, logged.method, logged.path);
	if (!route) return replyWith(404, 'No such route');
	const readBody = async () => {
		const body = await readJson(request);
		logged.body = redacted(body);
		return body;
	};
	try {
		const { handler, id } = route;
		return await handler({ service, team, id, query: queryOf(request), readBody });
	} catch (error) {
		if (error instanceof Problem) return replyWith(error.status, error.message);
		return replyWith(500, 'Internal error');
	}
}

const replyWith = (status: number, text: string): Reply => ({
	status,
	headers: { 'content-type': 'text/plain; charset=utf-8' },
	body: text,
});

const queryOf = ({ url = '' }: IncomingMessage): Record<string, string> =>
	Object.fromEntries(new URLSearchParams(url.split(/\?(.*)/s)[1]));

/** A copy in which the value of a field `secret` is `(set)`. */
const redacted = (fields: unknown): unknown =>
	typeof fields === 'object' && fields !== null && 'secret' in fields
		? { ...fields, secret: '(set)' }
		: fields;

/** The API: what each request goes through until it has its response. */
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { applyFaults } from './faults';
import { apiKeyFrom, parseJson, Problem, type Reply } from './http';
import type { LocalService, LoggedRequest } from './localService';
import { ROUTES, type Route } from './routes';

/** The path prefix that the base URL includes (§4). */
export const BASE_PATH = '/api';

/** In characters: no part of a path that Node.js reads is longer, so that any webhook ID finds its route. */
const MAX_ID_LENGTH = 16_384;

type ApiRequest = FastifyRequest<{ Params: { id?: string }; Querystring: Record<string, string> }>;

const noSuchRoute: Route = () => {
	throw new Problem(404, 'No such route');
};

/** Creates the server for the API (§4). It isn't listening yet. */
export function createApiServer(service: LocalService): FastifyInstance {
	const app = fastify({
		exposeHeadRoutes: false,
		forceCloseConnections: true,
		routerOptions: { maxParamLength: MAX_ID_LENGTH },
	});
	// The body is left unread: what is wrong with it matters only after the key, the limit and the faults.
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', (_request, _body, done) => done(null));
	const handlerOf = (route: Route) => async (request: ApiRequest, reply: FastifyReply) =>
		handle(service, route, request, reply);
	for (const [name, route] of Object.entries(ROUTES)) {
		const [method = '', path = ''] = name.split(' ');
		app.route({ method, url: `${BASE_PATH}${path}`, handler: handlerOf(route) });
	}
	app.setNotFoundHandler(handlerOf(noSuchRoute));
	return app;
}

/** Logs a request, responds to it, and logs how it ends. */
async function handle(
	service: LocalService,
	route: Route,
	request: ApiRequest,
	reply: FastifyReply,
): Promise<FastifyReply> {
	const [path = ''] = request.url.split('?');
	const logged = service.logRequest({
		method: request.method,
		path: path.startsWith(`${BASE_PATH}/`) ? path.slice(BASE_PATH.length) : path,
		query: redacted(request.query),
	});
	const response = await respond(service, route, request, logged);
	if (response === undefined) {
		reply.hijack().raw.destroy();
		return reply;
	}
	logged.status = response.status;
	return reply
		.code(response.status)
		.headers(response.headers ?? {})
		.send(response.body);
}

/**
 * Checks the API key (§5), then the key's rate limit (§8), then applies faults. In this order, a request without a valid key
 * counts against no limit, and a rejected one uses up no fault.
 * @returns the response, or undefined to cut the connection
 */
async function respond(
	service: LocalService,
	route: Route,
	request: ApiRequest,
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
		isAllowed
			? await run(service, route, key.team, request, logged)
			: replyWith(429, 'Too many requests');
	const reply = await applyFaults(faults, request, carryOut);
	return reply && { ...reply, headers: { ...headers, ...reply.headers } };
}

/** Carries out a request. Errors are plain text (§7); an internal error reveals no details. */
async function run(
	service: LocalService,
	route: Route,
	team: string,
	request: ApiRequest,
	logged: LoggedRequest,
): Promise<Reply> {
	const { params, query } = request;
	const readBody = async () => {
		const body = await readJson(request);
		logged.body = redacted(body);
		return body;
	};
	try {
		return await route({ service, team, id: params.id ?? '', query, readBody });
	} catch (error) {
		if (error instanceof Problem) return replyWith(error.statusCode, error.message);
		return replyWith(500, 'Internal error');
	}
}

/** @throws Problem 415 for another content type, 400 for invalid JSON */
async function readJson({ headers, raw }: ApiRequest): Promise<unknown> {
	if (!/^application\/json *(;|$)/i.test(headers['content-type'] ?? '')) {
		throw new Problem(415, 'Content-Type must be application/json');
	}
	const parsed = parseJson(await text(raw));
	if (parsed === undefined) throw new Problem(400, 'The body is not valid JSON');
	return parsed.value;
}

const replyWith = (status: number, content: string): Reply => ({
	status,
	headers: { 'content-type': 'text/plain; charset=utf-8' },
	body: content,
});

/** A copy in which the value of a field `secret` is `(set)`. */
const redacted = (fields: unknown): unknown =>
	typeof fields === 'object' && fields !== null && 'secret' in fields
		? { ...fields, secret: '(set)' }
		: fields;

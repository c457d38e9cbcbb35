import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { applyAfterProcessing, applyBeforeProcessing, type Fault } from './faults';
import { addHookRoutes } from './hookRoutes';
import { parseJson } from './json';
import { Problem } from './problem';
import { apiKeyFrom } from './keys';
import type { LocalService, LoggedRequest } from './localService';
import { peopleSchema } from './model/peopleSchema';
import { rateLimitHeaders, type RateLimitResult } from './rateLimit';

/** The path prefix that the base URL includes (§4). */
export const BASE_PATH = '/api';
const ONE_MEGABYTE = 1024 * 1024;
const PLAIN_TEXT = 'text/plain; charset=utf-8';

/** Characters. Only the length of a longer body is logged, so that the log doesn't fill the memory. */
const MAX_LOGGED_BODY = 20_000;

/** The state of a request while the service processes it. */
interface Call {
	readonly service: LocalService;
	readonly logged: LoggedRequest;
	/** The team of the API key. Undefined if the team is invalid. */
	team: string | undefined;
	/** Undefined without a valid key, or when the limit is off. */
	rateLimit: RateLimitResult | undefined;
	/** Faults that change the headers of any response, errors included. */
	headerFaults: Fault[];
	/** Faults that change the response to a request that passed the checks. */
	responseFaults: Fault[];
}

declare module 'fastify' {
	interface FastifyRequest {
		call: Call;
	}
}

/** To which service each request came. */
const services = new WeakMap<IncomingMessage, LocalService>();

let prepared: Promise<FastifyInstance> | undefined;

/**
 * Creates the server for the API (§4). It isn't listening yet. Services of one process share the routes: tests start
 * hundreds of services, and Fastify would need more time to prepare the routes than most tests to use them.
 */
export async function createApiServer(service: LocalService): Promise<Server> {
	prepared ??= prepareApp();
	const app = await prepared;
	const server = createServer((request, response) => {
		services.set(request, service);
		app.routing(request, response);
	});
	return server.on('clientError', respondToMalformedHttp);
}

/** The routes of the API, for the requests to any service. */
async function prepareApp(): Promise<FastifyInstance> {
	const app = Fastify({
		bodyLimit: ONE_MEGABYTE,
		exposeHeadRoutes: false,
		// A webhook ID of any length is an unknown webhook, not an unknown route.
		routerOptions: { maxParamLength: 20_000 },
		frameworkErrors: (_error, request, reply) => {
			respondToMalformedPath(request, reply);
		},
	});
	// Any body is text, because each route validates its own and `DELETE` ignores its body.
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
		done(null, body);
	});
	addLogging(app);
	addChecks(app);
	addResponseChanges(app);
	addErrorResponses(app);
	addApiRoutes(app);
	await app.ready();
	return app;
}

/** Adds the routes of the API (§4). */
export function addApiRoutes(app: FastifyInstance): void {
	addHookRoutes(app, BASE_PATH);
	app.get(`${BASE_PATH}/schema/people`, async ({ call }) => peopleSchema(call.service.switches));
}

/** Responds with 400 to a path that is badly encoded. Fastify calls no hook for it. */
function respondToMalformedPath(request: FastifyRequest, reply: FastifyReply): void {
	beginCall(request, reply);
	addHeaders(request, reply);
	reply.code(400).type(PLAIN_TEXT).send('Bad request');
}

/**
 * Responds with 400 to a request that isn't valid HTTP and closes the connection, if it is still open. The service cannot
 * read the request, so it neither logs it nor adds headers.
 */
function respondToMalformedHttp(_error: Error, socket: Socket): void {
	if (!socket.writable) return;
	socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
}

function addLogging(app: FastifyInstance): void {
	app.decorateRequest('call');
	app.addHook('onRequest', async (request, reply) => {
		beginCall(request, reply);
	});
	app.addHook('preHandler', async ({ call, body }) => {
		if (typeof body !== 'string') return;
		const isLong = body.length > MAX_LOGGED_BODY;
		call.logged.body = isLong ? `(${body.length} characters)` : redacted(parseJson(body)?.value);
	});
}

/** Logs a request, and how it ends. */
function beginCall(request: FastifyRequest, reply: FastifyReply): void {
	const service = services.get(request.raw);
	if (!service) throw new Error('The request came to no service');
	const [path = ''] = request.url.split('?');
	const logged = service.logRequest({
		method: request.method,
		path: path.startsWith(`${BASE_PATH}/`) ? path.slice(BASE_PATH.length) : path,
		query: redacted(request.query) as Record<string, unknown>,
	});
	const call = { team: undefined, rateLimit: undefined, headerFaults: [], responseFaults: [] };
	request.call = { service, logged, ...call };
	reply.raw.once('close', () => {
		logEnd(logged, reply.raw);
	});
}

/** A copy in which the value of a field `secret` is `(set)`. */
const redacted = (fields: unknown): unknown =>
	typeof fields === 'object' && fields !== null && 'secret' in fields
		? { ...fields, secret: '(set)' }
		: fields;

/** Logs how a request ended, once its response is sent or its connection is closed. */
function logEnd(logged: LoggedRequest, response: ServerResponse): void {
	logged.ms = Math.round((performance.now() - logged.at) * 10) / 10;
	// Some faults send their response themselves.
	if (response.writableFinished) logged.status ??= response.statusCode;
	else logged.disconnected = true;
}

/** Of errors that Fastify finds before a route does. */
const CLIENT_ERRORS: Readonly<Record<number, string>> = {
	413: 'The body is larger than 1 MB',
	500: 'Internal error',
};

/** Errors are plain text (§7). The response to an internal error reveals no details. */
function addErrorResponses(app: FastifyInstance): void {
	app.setErrorHandler((error, _request, reply) => {
		const status =
			error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number'
				? error.statusCode
				: 500;
		const text = error instanceof Problem ? error.message : CLIENT_ERRORS[status];
		return reply
			.code(status)
			.type(PLAIN_TEXT)
			.send(text ?? 'Bad request');
	});
	app.setNotFoundHandler((_request, reply) =>
		reply.code(404).type(PLAIN_TEXT).send('No such route'),
	);
}

/**
 * Checks the API key (§5), then the key's rate limit (§8), then applies faults to every request below the base path.
 * In this order, a request without a valid key counts against no limit, and a rejected one uses up only a fault that
 * only changes headers, which its response has.
 */
function addChecks(app: FastifyInstance): void {
	app.addHook('onRequest', async (request, reply) => {
		if (!isBelowBase(request)) return undefined;
		const { call } = request;
		const { service } = call;
		call.headerFaults = service.faultList.takeHeaderFaults(call.logged);

		const key = service.keys.find(apiKeyFrom(request.headers.authorization));
		// No body (§7), and the same response for an unknown key and a malformed header.
		if (!key) return reply.code(401).send();
		call.team = key.team;

		const {
			rateLimit: kind,
			rateLimitRequests: requests,
			rateLimitWindowMs: windowMs,
		} = service.switches;
		key.counter.count(call.logged.at, windowMs);
		if (kind !== 'off') {
			call.rateLimit = key.limiter.take(call.logged.at, { requests, windowMs, kind });
			if (!call.rateLimit.allowed) {
				key.counter.refused += 1;
				call.logged.overLimit = true;
				throw new Problem(429, 'Too many requests');
			}
		}

		const taken = service.faultList.takeRequestFaults(call.logged);
		for (const fault of taken) {
			call.logged.faults.push(fault.kind);
			if (await applyBeforeProcessing(fault, reply)) return reply;
		}
		call.responseFaults = taken;
		return undefined;
	});
}

/** Whether a request is for a route of the API, or for none at a path where only the API has routes. */
function isBelowBase({ url, routeOptions }: FastifyRequest): boolean {
	const path = routeOptions.url ?? url.split('?')[0];
	return path === BASE_PATH || path?.startsWith(`${BASE_PATH}/`) === true;
}

/** Adds the headers that every response has, and applies the faults that change responses. */
function addResponseChanges(app: FastifyInstance): void {
	// With a callback rather than async: a fault that cuts the connection never calls it.
	app.addHook('onSend', (request, reply, payload, done) => {
		const { call } = request;
		addHeaders(request, reply);
		const text = typeof payload === 'string' ? payload : '';
		let body: string | Readable | undefined = text;
		for (const fault of call.responseFaults) {
			body = applyAfterProcessing(fault, reply, typeof body === 'string' ? body : text);
		}
		if (body === undefined) {
			if (reply.raw.headersSent) call.logged.status = reply.statusCode;
			return;
		}
		call.logged.status = reply.statusCode;
		done(null, call.responseFaults.length > 0 ? body : payload);
	});
}

function addHeaders({ call }: FastifyRequest, reply: FastifyReply): void {
	let skewMs = 0;
	for (const fault of call.headerFaults) {
		call.logged.faults.push(fault.kind);
		if (fault.kind === 'clock') skewMs += fault.skewMs;
	}
	const epochMs = Date.now() + skewMs;
	if (skewMs !== 0) reply.header('date', new Date(epochMs).toUTCString());
	if (call.rateLimit)
		reply.headers(rateLimitHeaders(call.rateLimit, call.service.switches, epochMs));
	for (const fault of call.headerFaults) {
		if (fault.kind === 'headers') reply.headers(fault.headers);
	}
}

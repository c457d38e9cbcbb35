/** The control API, which docs/local-service.md describes, and the files of the control page. */
import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import fastify, { type FastifyInstance } from 'fastify';
import { z, ZodError } from 'zod';
import { faultSchema } from './faults';
import { Problem, textOf } from './http';
import type { LocalService, LoggedRequest } from './localService';
import { sampleActivity } from './model/activity';
import { EVENT_TYPES } from './model/eventTypes';

/** An event to send: its type, and the activity fields that differ from a sample. */
const eventRequest = z.object({ type: z.string().min(1) }).passthrough();

/** The newest entries of each list. */
const MAX_SHOWN = 100;

/** A request without its key, query and body, which may contain secrets. */
const requestView = (request: LoggedRequest) => {
	const { receivedAt, method, path, status, faults, overLimit } = request;
	return { receivedAt, method, path, status, faults, overLimit };
};

/** Of one webhook. */
interface HookRoute {
	Params: { id: string };
}

function addRoutes(app: FastifyInstance, service: LocalService): void {
	/** What the forms of the page offer. */
	app.get('/about', () => {
		const samples = EVENT_TYPES.map((type) => [type, sampleActivity(type)] as const);
		return { baseUrl: service.baseUrl, samples: Object.fromEntries(samples) };
	});
	app.get('/state', () => ({
		hooks: service.hooks().slice(-MAX_SHOWN),
		ledger: service.ledger.slice(-MAX_SHOWN),
		requests: service.requests.slice(-MAX_SHOWN).map(requestView),
		faults: service.faults,
		switches: service.switches,
	}));
	app.post('/events', async ({ body }) => ({
		attempts: await service.emit(eventRequest.parse(body)),
	}));
	app.delete<HookRoute>('/hooks/:id', ({ params: { id } }) => found(id, service.removeHook(id)));
	app.post<HookRoute>('/hooks/:id/disable', ({ params: { id } }) =>
		found(id, service.disableHook(id)),
	);
	app.patch('/switches', ({ body }) => {
		service.setSwitches(z.record(z.unknown()).parse(body));
		return service.switches;
	});
	app.post('/faults', ({ body }) => {
		service.addFault(faultSchema.parse(body));
		return service.faults;
	});
	app.delete('/faults', () => {
		service.clearFaults();
		return service.faults;
	});
}

function found(id: string, isFound: boolean): { id: string } {
	if (!isFound) throw new Problem(404, 'Webhook not found');
	return { id };
}

const PAGE_FILES: Readonly<Record<string, readonly [name: string, type: string]>> = {
	'/': ['page/index.html', 'text/html'],
	'/page.css': ['page/page.css', 'text/css'],
	'/page.js': ['page/page.js', 'text/javascript'],
	'/pico.css': [require.resolve('@picocss/pico/css/pico.classless.min.css'), 'text/css'],
};

/** No external or inline scripts and styles, so the content of webhooks and events can't run as code. */
const CONTENT_SECURITY_POLICY =
	"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const PAGE_HEADERS = {
	'content-security-policy': CONTENT_SECURITY_POLICY,
	'x-content-type-options': 'nosniff',
	'cache-control': 'no-cache',
};

/** Creates the server for the control API and the control page, for an address to listen on. It isn't listening yet. */
export function createControlServer(service: LocalService, host: string): FastifyInstance {
	const app = fastify({ forceCloseConnections: true });
	// Without it, only JSON is accepted, which a form of another website cannot send.
	app.removeContentTypeParser('text/plain');
	app.addHook('onRequest', async ({ headers }) => {
		if (!isAllowed(headers, host)) {
			throw new Problem(403, 'Requests from other websites are not allowed');
		}
	});
	app.setErrorHandler((error, _request, reply) =>
		reply.send(error instanceof ZodError ? new Problem(400, textOf(error)) : error),
	);
	addRoutes(app, service);
	for (const [path, [name, type]] of Object.entries(PAGE_FILES)) {
		const file = resolve(__dirname, name);
		app.get(path, (_request, reply) =>
			reply.headers(PAGE_HEADERS).type(`${type}; charset=utf-8`).send(readFileSync(file, 'utf8')),
		);
	}
	return app;
}

/**
 * Whether a request is not one that another website makes from the user's browser: unless it only reads what that website
 * cannot see, it carries the site's `Origin`. A domain that resolves to this machine (DNS rebinding) shows in `Host`, where
 * only `localhost`, IP addresses and the configured host are accepted. Programs such as curl send no `Origin`.
 */
function isAllowed({ host = '', origin }: IncomingHttpHeaders, listensOn: string): boolean {
	const name = host.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
	const isNameOk = name === 'localhost' || name === listensOn || isIP(name) !== 0;
	return isNameOk && (origin === undefined || origin === `http://${host}`);
}

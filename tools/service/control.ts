/** The control API, which docs/local-service.md describes, and the files of the control page. */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { z, ZodError } from 'zod';
import { FAULTS, faultSchema } from './faults';
import { findRoute, json, Problem, readJson, send, textOf, type Reply } from './http';
import type { LocalService, LoggedRequest } from './localService';
import { sampleActivity } from './model/activity';
import { EVENT_TYPES } from './model/eventTypes';

interface Call {
	service: LocalService;
	/** The parameter of the path. */
	id: string;
	/** @throws Problem unless it is JSON */
	readBody: () => Promise<unknown>;
}

/** An event to send: its type, and the activity fields that differ from a sample. */
const eventRequest = z.object({ type: z.string().min(1) }).passthrough();

/** The newest entries of each list that the page shows. */
const MAX_SHOWN = 100;

/** A request without its key, query and body: the page shows no secrets. */
const requestView = ({ receivedAt, method, path, status, ms, ...request }: LoggedRequest) => {
	const { faults, disconnected, overLimit } = request;
	return { receivedAt, method, path, status, ms, faults, disconnected, overLimit };
};

/** Each returns JSON. */
const ROUTES: Readonly<Record<string, (call: Call) => unknown>> = {
	/** What the forms of the page offer. */
	'GET /about': ({ service: { baseUrl } }) => {
		const samples = EVENT_TYPES.map((type) => [type, sampleActivity(type)] as const);
		return { baseUrl, samples: Object.fromEntries(samples), faults: FAULTS };
	},
	'GET /state': ({ service }) => ({
		hooks: service.hooks().slice(-MAX_SHOWN),
		ledger: service.ledger.slice(-MAX_SHOWN),
		requests: service.requests.slice(-MAX_SHOWN).map(requestView),
		faults: service.faults,
		switches: service.switches,
		stats: service.stats(),
	}),
	'POST /events': async ({ service, readBody }) => ({
		attempts: await service.emit(eventRequest.parse(await readBody())),
	}),
	'DELETE /hooks/:id': ({ service, id }) => found(id, service.removeHook(id)),
	'POST /hooks/:id/disable': ({ service, id }) => found(id, service.disableHook(id)),
	'PATCH /switches': async ({ service, readBody }) => {
		service.setSwitches(z.record(z.unknown()).parse(await readBody()));
		return service.switches;
	},
	'POST /faults': async ({ service, readBody }) => ({
		id: service.addFault(faultSchema.parse(await readBody())),
	}),
	'DELETE /faults': ({ service }) => {
		service.clearFaults();
		return service.faults;
	},
};

function found(id: string, isFound: boolean): { id: string } {
	if (!isFound) throw new Problem(404, 'Webhook not found');
	return { id };
}

const PAGE_FILES: Readonly<Record<string, readonly [name: string, type: string]>> = {
	'/': ['page/index.html', 'text/html'],
	'/page.css': ['page/page.css', 'text/css'],
	'/page.js': ['page/page.js', 'text/javascript'],
	'/pico.css': [require.resolve('@picocss/pico/css/pico.classless.min.css'), 'text/css'],
	// As text: until the repository is public, the links in the nodes lead here in a demo.
	'/README.md': ['../../README.md', 'text/plain'],
};

/** No external or inline scripts and styles, so the content of webhooks and events can't run as code. */
const CONTENT_SECURITY_POLICY =
	"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Creates the server for the control API and the control page, for an address to listen on. It isn't listening yet. */
export function createControlServer(service: LocalService, host: string): Server {
	const handle = async (request: IncomingMessage, response: ServerResponse) => {
		await send(response, await replyTo(service, host, request).catch(replyToError));
	};
	return createServer((request, response) => void handle(request, response));
}

async function replyTo(
	service: LocalService,
	host: string,
	request: IncomingMessage,
): Promise<Reply> {
	if (!isAllowed(request, host)) {
		throw new Problem(403, 'Requests from other websites are not allowed');
	}
	const { method } = request;
	const [path = ''] = request.url?.split('?') ?? [];
	const file = method === 'GET' ? PAGE_FILES[path] : undefined;
	if (file) return pageFile(file);
	const route = findRoute(ROUTES, method, path);
	if (!route) throw new Problem(404, 'No such route');
	return json(
		await route.handler({ service, id: route.id, readBody: async () => readJson(request) }),
	);
}

function replyToError(error: unknown): Reply {
	if (error instanceof ZodError) return json({ error: textOf(error) }, 400);
	const message = error instanceof Error ? error.message : String(error);
	return json({ error: message }, error instanceof Problem ? error.status : 500);
}

/**
 * Whether a request is not one that another website makes from the user's browser: unless it only reads what that website
 * cannot see, it carries the site's `Origin`. A domain that resolves to this machine (DNS rebinding) shows in `Host`, where
 * only `localhost`, IP addresses and the configured host are accepted. Programs such as curl send no `Origin`.
 */
function isAllowed(
	{ headers: { host = '', origin } }: IncomingMessage,
	listensOn: string,
): boolean {
	const name = host.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
	const isNameOk = name === 'localhost' || name === listensOn || isIP(name) !== 0;
	return isNameOk && (origin === undefined || origin === `http://${host}`);
}

const pageFile = ([name, type]: readonly [string, string]): Reply => ({
	status: 200,
	headers: {
		'content-type': `${type}; charset=utf-8`,
		'content-security-policy': CONTENT_SECURITY_POLICY,
		'x-content-type-options': 'nosniff',
		'cache-control': 'no-cache',
	},
	body: readFileSync(resolve(__dirname, name), 'utf8'),
});

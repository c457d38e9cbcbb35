import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import Fastify, { type FastifyInstance } from 'fastify';
import { z, ZodError } from 'zod';
import { FAULTS, faultSchema } from './faults';
import type { LocalService, LoggedRequest } from './localService';
import { sampleActivity } from './model/activity';
import { EVENT_TYPES } from './model/eventTypes';
import { parseUrl } from './parseUrl';

interface ControlOptions {
	/** The address that it listens on. */
	host: string;
	/** The URL of the API, once that is known. */
	urls: { baseUrl: string };
}

/** Creates the server for the control API and the control page. It isn't listening yet. */
export function createControlApp(
	service: LocalService,
	{ host, urls }: ControlOptions,
): FastifyInstance {
	const app = Fastify({ forceCloseConnections: true, bodyLimit: 8 * 1024 * 1024 });
	// Browsers let a form on another site post text without a preflight request, but not JSON.
	app.removeContentTypeParser('text/plain');
	addGuards(app, host, urls);
	app.setErrorHandler((error, _request, reply) => {
		if (error instanceof ZodError) {
			const problems = error.issues.map(
				({ path, message }) => `${path.join('.') || 'body'}: ${message}`,
			);
			return reply.code(400).send({ error: problems.join('; ') });
		}
		const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
		const message = error instanceof Error ? error.message : String(error);
		return reply.code(status).send({ error: message });
	});
	app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: 'No such route' }));
	addControlRoutes(app, service);
	addPage(app, urls);
	return app;
}

const hostnameOf = (hostHeader = ''): string | undefined =>
	parseUrl(`http://${hostHeader}`)?.hostname.replace(/^\[|\]$/g, '');

/**
 * Rejects requests that other websites make from the user's browser. Such a request carries the site's `Origin`, or
 * `Sec-Fetch-Site` with `cross-site` or `same-site`. A domain that resolves to this machine (DNS rebinding) shows in
 * `Host`, where only `localhost`, IP addresses and the configured host are accepted. Programs such as curl send neither
 * header.
 *
 * Also rejects API clients that use the control URL by mistake, with a hint. Only API clients send `Authorization`.
 */
function addGuards(app: FastifyInstance, listensOn: string, urls: { baseUrl: string }): void {
	app.addHook('onRequest', async (request, reply) => {
		const { host, origin, authorization, 'sec-fetch-site': site = 'none' } = request.headers;
		// What a link on another page opens, that page cannot read.
		const isLink = request.method === 'GET' && request.headers['sec-fetch-dest'] === 'document';
		const name = hostnameOf(host) ?? '';
		const isNameOk = name === 'localhost' || name === listensOn || isIP(name) !== 0;
		const isOriginOk = origin === undefined || origin === `http://${host ?? ''}`;
		if (!isNameOk || !isOriginOk || !(isLink || ['same-origin', 'none'].includes(site))) {
			return reply.code(403).send({ error: 'Requests from other websites are not allowed' });
		}
		if (authorization === undefined) return undefined;
		const error = `This is the control API of the local service. The API is at ${urls.baseUrl}`;
		return reply.code(421).send({ error });
	});
}

const PAGE_FILES = {
	'/': ['index.html', 'text/html; charset=utf-8'],
	'/page.css': ['page.css', 'text/css; charset=utf-8'],
	'/page.js': ['page.js', 'text/javascript; charset=utf-8'],
	// As text: until the repository is public, the links in the nodes lead here in a demo.
	'/README.md': ['../../../README.md', 'text/plain; charset=utf-8'],
	'/pico.css': [
		require.resolve('@picocss/pico/css/pico.classless.min.css'),
		'text/css; charset=utf-8',
	],
} as const;

/** No external or inline scripts and styles, so the content of webhooks and events can't run as code. */
const CONTENT_SECURITY_POLICY =
	"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The control page: static files, and `GET /about` with the choices for its forms. */
function addPage(app: FastifyInstance, urls: { baseUrl: string }): void {
	for (const [path, [name, type]] of Object.entries(PAGE_FILES)) {
		const content = readFileSync(resolve(__dirname, 'page', name));
		app.get(path, async (_request, reply) =>
			reply
				.type(type)
				.header('content-security-policy', CONTENT_SECURITY_POLICY)
				.header('x-content-type-options', 'nosniff')
				.header('cache-control', 'no-cache')
				.send(content),
		);
	}
	app.get('/about', async () => ({
		baseUrl: urls.baseUrl,
		events: EVENT_TYPES,
		faults: FAULTS,
	}));
}

/** An event to send: its type, and the activity fields that differ from a sample. */
const eventRequest = z.object({ type: z.string().min(1) }).passthrough();

const keyRequest = z.strictObject({
	key: z.string().min(1),
	team: z.string().min(1).nullable().optional(),
});

/** The newest entries of each list that the page shows. */
const MAX_SHOWN = 100;

/** The routes of the control API, all JSON. docs/local-service.md describes them. */
function addControlRoutes(app: FastifyInstance, service: LocalService): void {
	/** A request without its query and body, and with the API keys in its path redacted. */
	const requestView = (request: LoggedRequest) => {
		const { id, receivedAt, method, status, ms, faults, disconnected, overLimit } = request;
		const path = service.keys.redact(request.path);
		return { id, receivedAt, method, path, status, ms, faults, disconnected, overLimit };
	};
	app.get('/state', async () => ({
		hooks: service.hooks().slice(-MAX_SHOWN),
		ledger: service.ledger.slice(-MAX_SHOWN),
		requests: service.requests.slice(-MAX_SHOWN).map(requestView),
		faults: service.faults,
		switches: service.switches,
		stats: service.stats(),
	}));

	app.post('/events', async ({ body }) => ({
		attempts: await service.emit(eventRequest.parse(body)),
	}));
	app.get<{ Params: { type: string } }>('/samples/:type', async ({ params: { type } }) =>
		sampleActivity(type),
	);

	app.delete<{ Params: { id: string } }>('/hooks/:id', async ({ params: { id } }, reply) =>
		service.removeHook(id) ? { id } : reply.code(404).send({ error: 'Webhook not found' }),
	);
	app.post<{ Params: { id: string } }>('/hooks/:id/disable', async ({ params: { id } }, reply) =>
		service.disableHook(id) ? { id } : reply.code(404).send({ error: 'Webhook not found' }),
	);

	app.patch('/switches', async ({ body }) => {
		service.setSwitches(z.record(z.unknown()).parse(body));
		return service.switches;
	});
	app.post('/faults', async ({ body }) => ({ id: service.addFault(faultSchema.parse(body)) }));
	app.delete('/faults', async () => {
		service.clearFaults();
		return service.faults;
	});
	app.post('/keys', async ({ body }) => {
		const { key, team } = keyRequest.parse(body);
		service.addApiKey(key, team);
		return { added: true };
	});
	app.delete<{ Params: { key: string } }>('/keys/:key', async ({ params: { key } }) => ({
		removed: service.removeApiKey(key),
	}));
}

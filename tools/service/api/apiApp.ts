import Fastify, { type FastifyInstance } from 'fastify';
import { peopleSchema } from '../model/peopleShapes';
import { addOnSend } from './onSend';
import { beginCall, logBody, logEnd } from './call';
import { addOnRequest } from './onRequest';
import { addHookRoutes } from './hookRoutes';
import { keepBodiesRaw } from './jsonBody';
import type { ApiParts } from './apiParts';
import { addErrorResponses, respondToMalformedHttp } from './errorResponses';

/** The path prefix that the base URL includes (§4). */
export const BASE_PATH = '/api';
const ONE_MEGABYTE = 1024 * 1024;

/** Creates the server for the API (§4). It isn't listening yet. */
export function createApiApp(parts: ApiParts): FastifyInstance {
	const app = Fastify({
		bodyLimit: ONE_MEGABYTE,
		exposeHeadRoutes: false,
		forceCloseConnections: true,
		// A webhook ID of any length is an unknown webhook, not an unknown route.
		routerOptions: { maxParamLength: 20_000 },
		clientErrorHandler: respondToMalformedHttp,
		frameworkErrors: (_error, _request, reply) => {
			reply.hijack();
			reply.raw.writeHead(400, { 'content-type': 'text/plain; charset=utf-8' }).end('Bad request');
		},
	});
	keepBodiesRaw(app);
	app.decorateRequest('call');
	app.addHook('onRequest', async (request, reply) => {
		const call = beginCall(request, BASE_PATH, parts.log.nextId());
		request.call = call;
		parts.log.add(call.logged);
		reply.raw.once('close', () => {
			logEnd(call, reply.raw);
		});
	});
	app.addHook('preHandler', async ({ call, body }) => {
		logBody(call, body);
	});
	addOnSend(app, parts);
	addErrorResponses(app);
	const routes = async (api: FastifyInstance) => {
		addOnRequest(api, parts);
		addErrorResponses(api);
		addHookRoutes(api, parts);
		api.get('/schema/people', async () => peopleSchema(parts.switches()));
	};
	// Without a name, Fastify looks for one in all loaded modules, which takes milliseconds in Jest.
	app.register(Object.assign(routes, { [Symbol.for('fastify.display-name')]: 'api' }), {
		prefix: BASE_PATH,
	});
	return app;
}

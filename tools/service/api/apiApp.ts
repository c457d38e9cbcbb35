import Fastify, { type FastifyInstance } from 'fastify';
import type { FaultList } from '../faults/faultList';
import { peopleSchema } from '../model/peopleShapes';
import type { HookStore } from '../store/hookStore';
import type { Keyring } from '../store/keyring';
import type { Switches } from '../switches';
import { addAnswerHooks } from './answers';
import { beginCall, logBody } from './call';
import { addGate } from './gate';
import { addHookRoutes } from './hookRoutes';
import { keepBodiesRaw } from './jsonBody';
import { addErrorAnswers, answerBrokenHttp } from './errorAnswers';
import type { RequestLog } from './requestLog';

/** What the API works with; all of it belongs to one service. */
export interface ApiParts {
	store: HookStore;
	keys: Keyring;
	faults: FaultList;
	log: RequestLog;
	switches: () => Switches;
}

/** §4: the base address already includes this prefix. */
export const BASE_PATH = '/api';
const ONE_MEGABYTE = 1024 * 1024;

/** The API of §4 as a server that does not listen yet. */
export function createApiApp(parts: ApiParts): FastifyInstance {
	const app = Fastify({
		bodyLimit: ONE_MEGABYTE,
		exposeHeadRoutes: false,
		forceCloseConnections: true,
		// A hook id of any length is an unknown hook, not an unknown route.
		routerOptions: { maxParamLength: 20_000 },
		clientErrorHandler: answerBrokenHttp,
		frameworkErrors: (_error, _request, reply) => {
			reply.hijack();
			reply.raw.writeHead(400, { 'content-type': 'text/plain; charset=utf-8' }).end('Bad request');
		},
	});
	keepBodiesRaw(app);
	app.decorateRequest('call');
	app.addHook('onRequest', async (request) => {
		request.call = beginCall(request, BASE_PATH);
		parts.log.push(request.call.logged);
	});
	app.addHook('preHandler', async ({ call, body }) => {
		logBody(call, body);
	});
	addAnswerHooks(app, parts);
	addErrorAnswers(app);
	app.register(
		async (api) => {
			addGate(api, parts);
			addErrorAnswers(api);
			addHookRoutes(api, parts);
			api.get('/schema/people', async () => peopleSchema(parts.switches()));
		},
		{ prefix: BASE_PATH },
	);
	return app;
}

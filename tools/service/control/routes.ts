import type { FastifyInstance } from 'fastify';
import { faultSchema } from '../faults/faultSchema';
import type { LocalService } from '../localService';
import { sampleActivity } from '../samples/sampleActivity';
import {
	changesRequest,
	eventRequest,
	hookRequest,
	keyRequest,
	limitQuery,
	manyRequest,
	sampleStream,
} from './requests';
import { requestView } from './requestView';

const NO_HOOK = { error: 'Webhook not found' };

/** The routes of the control API, all JSON. docs/local-service.md describes them. */
export function addControlRoutes(app: FastifyInstance, service: LocalService): void {
	app.get('/hooks', async () => service.hooks());
	app.post('/hooks', async (request) => service.addHook(hookRequest.parse(request.body)));
	app.delete<{ Params: { id: string } }>('/hooks/:id', async ({ params }, reply) =>
		service.removeHook(params.id) ? { removed: params.id } : reply.code(404).send(NO_HOOK),
	);
	app.post<{ Params: { id: string } }>('/hooks/:id/disable', async ({ params }, reply) =>
		service.disableHook(params.id) ? { disabled: params.id } : reply.code(404).send(NO_HOOK),
	);

	app.get('/switches', async () => service.switches);
	app.patch('/switches', async (request) => {
		service.setSwitches(changesRequest.parse(request.body));
		return service.switches;
	});

	app.get('/faults', async () => service.faults);
	app.post('/faults', async (request) => ({
		id: service.addFault(faultSchema.parse(request.body)),
	}));
	app.delete('/faults', async () => {
		service.clearFaults();
		return service.faults;
	});
	app.delete<{ Params: { id: string } }>('/faults/:id', async ({ params }) => {
		service.clearFaults(Number(params.id));
		return service.faults;
	});

	app.post('/keys', async (request) => {
		const { key, team } = keyRequest.parse(request.body);
		service.addApiKey(key, team);
		return { added: true };
	});
	app.delete<{ Params: { key: string } }>('/keys/:key', async ({ params }) => ({
		removed: service.removeApiKey(params.key),
	}));

	app.get('/ledger', async ({ query }) =>
		service.parts.ledger.entries(limitQuery.parse(query).limit),
	);
	app.get('/requests', async ({ query }) => {
		const { limit } = limitQuery.parse(query);
		return service.parts.log.entries(limit).map(requestView(service.parts.keys.texts()));
	});
	app.get('/stats', async () => service.stats());
	app.get<{ Params: { type: string }; Querystring: { seed?: string } }>(
		'/samples/:type',
		async ({ params, query }) => sampleActivity(params.type, Number(query.seed ?? 1)),
	);

	app.post('/events', async (request) => {
		const attempts = await service.emit(eventRequest.parse(request.body));
		return { attempts };
	});
	app.post('/events/many', async (request) => {
		const { count, types, ...options } = manyRequest.parse(request.body);
		return service.emitMany(sampleStream(count, types), options);
	});
}

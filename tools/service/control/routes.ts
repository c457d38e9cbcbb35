import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { LoggedRequest } from '../api/requestLog';
import { faultSchema } from '../faults/fault';
import type { LocalService } from '../localService';
import { EVENT_TYPES } from '../model/eventTypes';
import { sampleActivity } from '../model/sampleActivity';

/** A webhook to add as if another client had created it. */
const hookRequest = z.strictObject({
	targetUrl: z.string().url(),
	type: z.string().optional(),
	campaignId: z.string().optional(),
	isFirst: z.boolean().optional(),
	toolLinkId: z.number().int().optional(),
	secret: z.string().optional(),
});

/** An event to send: its type, and the activity fields that differ from a sample. */
const eventRequest = z.object({ type: z.string().min(1) }).passthrough();

/** Sample events to send, cycling through the types. */
const manyRequest = z.strictObject({
	count: z.number().int().min(1).max(1_000_000),
	types: z
		.array(z.string().min(1))
		.min(1)
		.default([...EVENT_TYPES]),
	concurrency: z.number().int().min(1).max(1000).optional(),
});

const keyRequest = z.strictObject({
	key: z.string().min(1),
	team: z.string().min(1).nullable().optional(),
});

const idParameter = z.object({ id: z.string() });

/** The newest entries of each list that the page shows. */
const MAX_SHOWN = 100;

/** Characters. A path can be as long as the headers of a request. */
const MAX_PATH = 300;

/** The routes of the control API, all JSON. docs/local-service.md describes them. */
export function addControlRoutes(app: FastifyInstance, service: LocalService): void {
	/** A request without its query and body, and with the API keys in its path redacted. */
	const requestView = (request: LoggedRequest) => {
		const { id, receivedAt, method, status, ms, faults, disconnected, overLimit } = request;
		const path = service.keys.redact(request.path);
		const shownPath = path.length > MAX_PATH ? `${path.slice(0, MAX_PATH)}…` : path;
		return { id, receivedAt, method, path: shownPath, status, ms, faults, disconnected, overLimit };
	};

	/** Carries out something with a webhook, if it exists. */
	const withHook = (method: 'DELETE' | 'POST', url: string, run: (id: string) => boolean) => {
		app.route({
			method,
			url,
			handler: async ({ params }, reply) => {
				const { id } = idParameter.parse(params);
				return run(id) ? { id } : reply.code(404).send({ error: 'Webhook not found' });
			},
		});
	};
	app.get('/hooks', async () => service.hooks());
	app.post('/hooks', async ({ body }) => service.addHook(hookRequest.parse(body)));
	withHook('DELETE', '/hooks/:id', (id) => service.removeHook(id));
	withHook('POST', '/hooks/:id/disable', (id) => service.disableHook(id));

	app.get('/switches', async () => service.switches);
	app.patch('/switches', async ({ body }) => {
		service.setSwitches(z.record(z.unknown()).parse(body));
		return service.switches;
	});

	app.get('/faults', async () => service.faults);
	app.post('/faults', async ({ body }) => ({ id: service.addFault(faultSchema.parse(body)) }));
	app.delete('/faults', async () => {
		service.clearFaults();
		return service.faults;
	});
	app.delete('/faults/:id', async ({ params }) => {
		service.clearFaults(Number(idParameter.parse(params).id));
		return service.faults;
	});

	app.post('/keys', async ({ body }) => {
		const { key, team } = keyRequest.parse(body);
		service.addApiKey(key, team);
		return { added: true };
	});
	app.delete('/keys/:id', async ({ params }) => ({
		removed: service.removeApiKey(idParameter.parse(params).id),
	}));

	app.get('/ledger', async () => service.ledger);
	app.get('/requests', async () => service.requests.map(requestView));
	app.get('/stats', async () => service.stats());
	app.get('/state', async () => ({
		hooks: service.hooks().slice(-MAX_SHOWN),
		ledger: service.attempts.newest(MAX_SHOWN),
		requests: service.log.newest(MAX_SHOWN).map(requestView),
		faults: service.faults,
		switches: service.switches,
	}));

	app.get<{ Params: { type: string }; Querystring: { seed?: string } }>(
		'/samples/:type',
		async ({ params, query }) => sampleActivity(params.type, Number(query.seed ?? 1)),
	);
	app.post('/events', async ({ body }) => ({
		attempts: await service.emit(eventRequest.parse(body)),
	}));
	app.post('/events/many', async ({ body }) => {
		const { count, types, concurrency } = manyRequest.parse(body);
		return service.emitMany(sampleEvents(count, types), { ...(concurrency && { concurrency }) });
	});
}

/** Generates events one by one, cycling through the types. */
function* sampleEvents(count: number, types: readonly string[]) {
	for (let index = 0; index < count; index++) yield { type: types[index % types.length] ?? '' };
}

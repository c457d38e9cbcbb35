import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { toPublicHook, type HookFields, type PublicHook, type StoredHook } from '../model/hook';
import type { HookStore } from '../store/hookStore';
import type { Switches } from '../switches';
import { readCreateRequest } from './createHook';
import { readJsonBody } from './jsonBody';
import { BAD_TEAM, Problem, WEBHOOK_NOT_FOUND } from './problem';

interface HookRoutesOptions {
	store: HookStore;
	switches: () => Switches;
}

/** Lists, creates and deletes the webhooks of the API key's team (§4.1 to §4.3). */
export function addHookRoutes(app: FastifyInstance, { store, switches }: HookRoutesOptions): void {
	const teamOf = ({ call }: FastifyRequest): string => {
		if (call.team === undefined) throw new Problem(switches().badTeamStatus, BAD_TEAM);
		return call.team;
	};
	const notFound = () => new Problem(switches().notFoundStatus, WEBHOOK_NOT_FOUND);
	const show = (hook: StoredHook) => withCreatedAt(toPublicHook(hook), switches());
	const sendHook = (reply: FastifyReply, status: number, hook: StoredHook) =>
		status === 204 ? reply.code(204).send() : reply.code(status).send(show(hook));

	app.get('/hooks', async (request) => {
		const hooks = store.list(teamOf(request));
		if (hooks.length === 0 && switches().emptyList === 'notFound') throw notFound();
		return hooks.map(show);
	});

	app.post('/hooks', async (request, reply) => {
		const team = teamOf(request);
		const fields = readCreateRequest(readJsonBody(request), request.call.query, switches());
		checkLimits(store, team, fields, switches());
		return sendHook(reply, switches().createStatus, store.add(team, fields));
	});

	app.delete<{ Params: { hookId: string } }>('/hooks/:hookId', async (request, reply) => {
		const hook = store.get(request.params.hookId, teamOf(request));
		if (!hook) throw notFound();
		store.remove(hook);
		const { deleteStatus, deleteBody } = switches();
		if (deleteBody === 'empty') return reply.code(deleteStatus).send();
		return sendHook(reply, deleteStatus, hook);
	});
}

function withCreatedAt(
	{ createdAt, ...hook }: PublicHook,
	{ createdAtForm }: Switches,
): Partial<PublicHook> {
	if (createdAtForm === 'absent') return hook;
	return { ...hook, createdAt: createdAtForm === 'zone' ? createdAt : createdAt.replace(/Z$/, '') };
}

/** Checks the two limits that the API spec leaves open: webhooks per target URL (§4.2) and per team (§8.4). */
function checkLimits(store: HookStore, team: string, fields: HookFields, switches: Switches): void {
	const { hookUrls, duplicateStatus, maxHooks } = switches;
	const isDuplicate = ({ targetUrl, type }: StoredHook) =>
		targetUrl === fields.targetUrl && (hookUrls === 'oncePerTeam' || type === fields.type);
	if (hookUrls !== 'shared' && store.list(team).some(isDuplicate)) {
		throw new Problem(duplicateStatus, 'A webhook with this targetUrl already exists');
	}
	if (maxHooks > 0 && store.count(team) >= maxHooks) {
		throw new Problem(400, `A team may have ${maxHooks} webhooks`);
	}
}

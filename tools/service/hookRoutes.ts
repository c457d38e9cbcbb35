import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { LocalService } from './localService';
import { EVENT_TYPES, REMOVED_EVENT_TYPES } from './model/eventTypes';
import { toPublicHook, type HookFields, type StoredHook } from './model/hooks';
import type { Switches } from './switches';
import { parseJson } from './json';
import { parseUrl } from './parseUrl';
import { Problem } from './problem';

/** Lists, creates and deletes the webhooks of the API key's team (§4.1 to §4.3), at paths below `base`. */
export function addHookRoutes(app: FastifyInstance, base: string): void {
	app.get(`${base}/hooks`, async (request) => {
		const { store, switches } = request.call.service;
		const { emptyList, listDelayMs, listPageSize, listShape } = switches;
		const team = teamOf(request);
		const all = listDelayMs > 0 ? store.listBefore(team, listDelayMs) : store.list(team);
		const hooks = listPageSize > 0 ? all.slice(0, listPageSize) : all;
		if (hooks.length === 0 && emptyList === 'notFound') throw notFound(switches);
		const shown = hooks.map(toPublicHook);
		return listShape === 'hooks' ? { hooks: shown } : shown;
	});

	app.post(`${base}/hooks`, async (request, reply) => {
		const { service } = request.call;
		const { store, switches } = service;
		const team = teamOf(request);
		const fields = readCreateRequest(readJsonBody(request), queryOf(request), switches);
		checkLimits(store.list(team), fields, switches);
		const hook = addOrReplace(service, team, fields);
		reply.code(switches.createStatus);
		return switches.createStatus === 204 ? reply.send() : toPublicHook(hook);
	});

	app.delete<{ Params: { hookId: string } }>(`${base}/hooks/:hookId`, async (request, reply) => {
		const { store, switches } = request.call.service;
		const hook = store.remove(request.params.hookId, teamOf(request));
		if (!hook) throw notFound(switches);
		return switches.deleteBody === 'empty' ? reply.send() : toPublicHook(hook);
	});
}

function teamOf({ call }: Pick<FastifyRequest, 'call'>): string {
	if (call.team === undefined) throw new Problem(call.service.switches.badTeamStatus, 'Bad team');
	return call.team;
}

const notFound = ({ notFoundStatus }: Switches): Problem =>
	new Problem(notFoundStatus, 'Webhook not found');

/** Adds a webhook, unless the service allows only one for each URL and replaces or updates it (§4.2). */
function addOrReplace(
	{ store, switches }: LocalService,
	team: string,
	fields: HookFields,
): StoredHook {
	const earlier = store.list(team).find(({ targetUrl }) => targetUrl === fields.targetUrl);
	if (earlier && switches.hookUrls === 'update') return store.update(earlier.id, fields) ?? earlier;
	if (earlier && switches.hookUrls === 'replace') store.remove(earlier.id);
	return store.add(team, fields);
}

/** @throws Problem 415 for another content type, 400 for invalid JSON (§4.2) */
function readJsonBody(request: FastifyRequest): unknown {
	const contentType = request.headers['content-type'] ?? '';
	if (!/^application\/json *(;|$)/i.test(contentType)) {
		throw new Problem(415, 'Content-Type must be application/json');
	}
	const parsed = parseJson(request.body);
	if (parsed === undefined) throw new Problem(400, 'The body is not valid JSON');
	return parsed.value;
}

const isHttpUrl = (text: string): boolean =>
	['http:', 'https:'].includes(parseUrl(text)?.protocol ?? '');

const queryOf = ({ query }: FastifyRequest): object =>
	typeof query === 'object' && query !== null ? query : {};

/** Normalizes a URL the way a service might before it stores it. */
function normalized(targetUrl: string): string {
	const url = new URL(targetUrl);
	url.searchParams.sort();
	return url.href.replaceAll('*', '%2A');
}

const toolLinkId = z.number().int().safe();

const bodySchema = z.object({
	targetUrl: z.string().refine(isHttpUrl, { message: 'must be an http or https URL' }),
	type: z.string().min(1).optional(),
	secret: z.string().optional(),
	campaignId: z.string().optional(),
	isFirst: z.boolean().optional(),
	toolLinkId: toolLinkId.optional(),
});

/** The three fields that can also be query parameters. */
const querySchema = z
	.object({
		campaignId: z.string(),
		isFirst: z
			.enum(['true', 'false', '1', '0'])
			.transform((text) => text === 'true' || text === '1'),
		toolLinkId: z.coerce.number().pipe(toolLinkId),
	})
	.partial();

/** An empty value counts as absent. */
const withoutEmpty = (query: object) =>
	Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''));

/**
 * Reads a create request (§4.2). The API doesn't say whether `campaignId`, `isFirst` and `toolLinkId` come from the
 * query or the body, so a switch decides.
 * @throws Problem if a field is missing or malformed, or the type is unknown (§6.1) or removed (§6.2).
 */
function readCreateRequest(
	body: unknown,
	query: object,
	{ createParameters, targetUrlForm, unknownTypes }: Switches,
): HookFields {
	const { targetUrl, type, secret, ...parameters } = read(bodySchema, body);
	const fromQuery = read(querySchema, createParameters === 'body' ? {} : withoutEmpty(query));
	const fromBody = createParameters === 'query' ? {} : parameters;
	checkType(type, unknownTypes);
	const url = targetUrlForm === 'normalized' ? normalized(targetUrl) : targetUrl;
	return { targetUrl: url, type, secret, ...fromQuery, ...fromBody };
}

/** @throws Problem 400 with what is wrong */
function read<Output>(schema: z.ZodType<Output, z.ZodTypeDef, unknown>, value: unknown): Output {
	const parsed = schema.safeParse(value);
	if (parsed.success) return parsed.data;
	const problems = parsed.error.issues.map(
		({ path, message }) => `${path.join('.') || 'body'}: ${message}`,
	);
	throw new Problem(400, problems.join('; '));
}

function checkType(type: string | undefined, unknownTypes: Switches['unknownTypes']): void {
	if (type === undefined || EVENT_TYPES.includes(type)) return;
	if (REMOVED_EVENT_TYPES.has(type)) {
		const replacement = REMOVED_EVENT_TYPES.get(type);
		const instead = replacement ? `: use ${replacement}` : ' without a replacement';
		throw new Problem(400, `Event type ${type} was removed${instead}`);
	}
	if (unknownTypes === 'refuse') {
		throw new Problem(400, `Unknown event type ${type.slice(0, 100)}`);
	}
}

/** Checks the two limits that the API leaves open: webhooks per target URL (§4.2) and per team (§8.4). */
function checkLimits(
	hooks: readonly StoredHook[],
	{ targetUrl }: HookFields,
	{ hookUrls, maxHooks }: Switches,
): void {
	if (hookUrls === 'oncePerTeam' && hooks.some((hook) => hook.targetUrl === targetUrl)) {
		throw new Problem(409, 'A webhook with this targetUrl already exists');
	}
	if (maxHooks > 0 && hooks.length >= maxHooks) {
		throw new Problem(400, `A team may have ${maxHooks} webhooks`);
	}
}

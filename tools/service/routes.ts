/** The routes of the API (§4). */
import { z } from 'zod';
import { json, Problem, textOf, type Reply } from './http';
import type { LocalService } from './localService';
import { EVENT_TYPES, REMOVED_EVENT_TYPES } from './model/eventTypes';
import { toPublicHook, type HookFields } from './model/hooks';
import { peopleSchema } from './model/peopleSchema';
import type { Switches } from './switches';

/** A request with a valid key. */
interface Call {
	service: LocalService;
	team: string;
	/** The parameter of the path. */
	id: string;
	query: Record<string, string>;
	/** @throws Problem unless it is JSON */
	readBody: () => Promise<unknown>;
}

/** Carries out a request. */
export type Route = (call: Call) => Reply | Promise<Reply>;

export const ROUTES: Readonly<Record<string, Route>> = {
	'GET /hooks': list,
	'POST /hooks': create,
	'DELETE /hooks/:id': remove,
	'GET /schema/people': ({ service }) => json(peopleSchema(service.switches)),
};

/** Lists the webhooks of the team (§4.1). */
function list({ service: { store, switches }, team }: Call): Reply {
	const all = store.list(team, switches.listDelayMs);
	const hooks = switches.listPageSize > 0 ? all.slice(0, switches.listPageSize) : all;
	if (hooks.length === 0 && switches.emptyList === 'notFound') throw notFound(switches);
	const shown = hooks.map(toPublicHook);
	return json(switches.listShape === 'hooks' ? { hooks: shown } : shown);
}

/** Creates a webhook, unless the service allows only one for each URL and replaces or updates it (§4.2). */
async function create({ service, team, query, readBody }: Call): Promise<Reply> {
	const { store, switches } = service;
	const { createStatus, hookUrls, maxHooks } = switches;
	const fields = readFields(await readBody(), query, switches);
	const hooks = store.list(team);
	const earlier = hooks.find(({ targetUrl }) => targetUrl === fields.targetUrl);
	if (earlier && hookUrls === 'oncePerTeam') {
		throw new Problem(409, 'A webhook with this targetUrl already exists');
	}
	if (maxHooks > 0 && hooks.length >= maxHooks) {
		throw new Problem(400, `A team may have ${maxHooks} webhooks`);
	}
	if (earlier && hookUrls === 'replace') store.remove(earlier.id);
	const updated = earlier && hookUrls === 'update' ? store.update(earlier.id, fields) : undefined;
	const hook = updated ?? store.add(team, fields);
	return createStatus === 204 ? { status: 204 } : json(toPublicHook(hook), createStatus);
}

/** Deletes a webhook of the team (§4.3). */
function remove({ service: { store, switches }, team, id }: Call): Reply {
	const hook = store.remove(id, team);
	if (!hook) throw notFound(switches);
	return switches.deleteBody === 'empty' ? { status: 200 } : json(toPublicHook(hook));
}

const notFound = ({ notFoundStatus }: Switches): Problem =>
	new Problem(notFoundStatus, 'Webhook not found');

const toolLinkId = z.number().int().safe();

const bodySchema = z.object({
	targetUrl: z
		.string()
		.url()
		.regex(/^https?:/i, 'must be an http or https URL'),
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
 * Reads the fields of a new webhook (§4.2). `campaignId`, `isFirst` and `toolLinkId` are read from the query and the body,
 * which takes precedence; the API leaves this open.
 * @throws Problem if a field is missing or malformed, or the type is unknown (§6.1) or removed (§6.2).
 */
function readFields(
	body: unknown,
	query: object,
	{ targetUrlForm, unknownTypes }: Switches,
): HookFields {
	const { targetUrl, type, secret, ...fromBody } = read(bodySchema, body);
	const fromQuery = read(querySchema, withoutEmpty(query));
	checkType(type, unknownTypes);
	const url = targetUrlForm === 'normalized' ? normalized(targetUrl) : targetUrl;
	return { targetUrl: url, type, secret, ...fromQuery, ...fromBody };
}

/** @throws Problem 400 with what is wrong */
function read<Output>(schema: z.ZodType<Output, z.ZodTypeDef, unknown>, value: unknown): Output {
	const parsed = schema.safeParse(value);
	if (parsed.success) return parsed.data;
	throw new Problem(400, textOf(parsed.error));
}

/** Normalizes a URL the way a service might before it stores it. */
function normalized(targetUrl: string): string {
	const url = new URL(targetUrl);
	url.searchParams.sort();
	return url.href.replaceAll('*', '%2A');
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

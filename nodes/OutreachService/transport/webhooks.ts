import { NodeApiError } from 'n8n-workflow';

import { parseJson } from '../model/json';
import { hookListSchema, hookSchema, type Hook, type HookSettings } from '../model/schemas';
import type { ServiceContext } from './context';
import { hostOf, readCredential } from './credential';
import { apiError, isNotFound, type Outcome } from './errors';
import { apiRequest, type ApiAnswer } from './request';

/** How often a create whose outcome is unknown is sent at the most, each time after a look at the list. */
const MAX_CREATES = 3;
/** The status with which a service may refuse an address that another webhook has (D7). */
const CONFLICT = 409;
/** Room for a clock that is given in whole seconds, in milliseconds. */
const CLOCK_SLACK_MS = 2000;

export type Where = { itemIndex?: number | undefined };

/** The JSON of an answer; undefined when it is something else (D6). */
const hookIn = ({ text }: ApiAnswer): Hook | undefined =>
	hookSchema.safeParse(parseJson(text)).data;
const hooksIn = ({ text }: ApiAnswer): Hook[] | undefined =>
	hookListSchema.safeParse(parseJson(text)).data;

async function failure(
	ctx: ServiceContext,
	outcome: Outcome,
	{ itemIndex }: Where,
	hint?: string,
): Promise<NodeApiError> {
	return apiError(ctx.getNode(), outcome, hostOf(await readCredential(ctx)), { itemIndex, hint });
}

const answered = ({ status, text }: ApiAnswer): Outcome => ({ kind: 'answer', status, text });

async function getList(
	ctx: ServiceContext,
	where: Where,
): Promise<{ hooks: Hook[]; answer: ApiAnswer }> {
	const answer = await apiRequest(ctx, { method: 'GET', path: '/hooks', ...where });
	if ('uncertain' in answer) throw await failure(ctx, answer.uncertain, where);
	// §7 documents this text for the list too; there it can only mean that there is none.
	if (isNotFound(answer.text)) return { hooks: [], answer };
	const hooks = hooksIn(answer);
	if (!hooks) throw await failure(ctx, answered(answer), where);
	return { hooks, answer };
}

/**
 * All webhooks of the team (§4.1).
 * @throws NodeApiError, also when the answer is not a list of webhooks (D6)
 */
export async function listWebhooks(ctx: ServiceContext, where: Where = {}): Promise<Hook[]> {
	return (await getList(ctx, where)).hooks;
}

/** Whether a listed hook has what was asked for. */
const matches = (hook: Hook, { targetUrl, type, campaignId }: HookSettings): boolean =>
	hook.targetUrl === targetUrl &&
	(hook.type ?? undefined) === type &&
	(hook.campaignId ?? undefined) === campaignId;

/** Whether a hook came into being since we began, told by the service's own clock. */
function isNew(hook: Hook, answer: ApiAnswer, elapsedMs: number): boolean {
	const now = Date.parse(String(answer.headers.date));
	const created = Date.parse(hook.createdAt ?? '');
	return now - created <= elapsedMs + CLOCK_SLACK_MS;
}

/** IDs of the webhooks that were there before; without them, the age of one tells whether it is new. */
type Known = { known?: ReadonlySet<string> };

/**
 * Creates a webhook (§4.2). Optional settings go into query and body (D1); what is not set is not sent.
 * When no answer comes, it looks at the list before it sends again, so that no second webhook comes of it (D17).
 * @returns the new webhook, or the error of a service that has the address already (status 409, D7)
 * @throws NodeApiError for everything else
 */
export async function tryCreateWebhook(
	ctx: ServiceContext,
	settings: HookSettings,
	where: Where & Known = {},
): Promise<Hook | NodeApiError> {
	const { targetUrl, type, secret, campaignId, isFirst, toolLinkId } = settings;
	const qs = {
		...(campaignId ? { campaignId } : {}),
		...(isFirst ? { isFirst } : {}),
		...(toolLinkId === undefined ? {} : { toolLinkId }),
	};
	const body = { targetUrl, ...(type ? { type } : {}), ...(secret ? { secret } : {}), ...qs };
	const began = performance.now();

	for (let attempt = 1; ; attempt++) {
		const request = {
			method: 'POST',
			path: '/hooks',
			qs,
			body,
			takes: [CONFLICT],
			...where,
		} as const;
		const answer = await apiRequest(ctx, request);
		if (!('uncertain' in answer)) {
			if (answer.status === CONFLICT) return await failure(ctx, answered(answer), where);
			const hook = isNotFound(answer.text) ? undefined : hookIn(answer);
			if (hook) return hook;
		}
		const { hooks, answer: list } = await getList(ctx, where);
		const found = hooks.find(
			(hook) =>
				matches(hook, settings) &&
				(where.known ? !where.known.has(hook._id) : isNew(hook, list, performance.now() - began)),
		);
		if (found) return found;
		const outcome = 'uncertain' in answer ? answer.uncertain : answered(answer);
		if (outcome.kind === 'answer' || attempt === MAX_CREATES) {
			throw await failure(ctx, outcome, where, 'No webhook was created.');
		}
	}
}

/**
 * Creates a webhook (§4.2), as {@link tryCreateWebhook} does.
 * @throws NodeApiError, also when the service has the address already
 */
export async function createWebhook(
	ctx: ServiceContext,
	settings: HookSettings,
	where: Where & Known = {},
): Promise<Hook> {
	const created = await tryCreateWebhook(ctx, settings, where);
	if (created instanceof NodeApiError) throw created;
	return created;
}

/**
 * Deletes a webhook (§4.3). A hook object, an empty body and 204 all count as done (D3).
 * @returns the deleted hook as far as the service told it, or 'not found' (D5)
 * @throws NodeApiError
 */
export async function deleteWebhook(
	ctx: ServiceContext,
	webhookId: string,
	where: Where = {},
): Promise<Partial<Hook> | 'not found'> {
	const path = `/hooks/${encodeURIComponent(webhookId)}`;
	const answer = await apiRequest(ctx, { method: 'DELETE', path, ...where });
	if ('uncertain' in answer) throw await failure(ctx, answer.uncertain, where);
	// After a try that was cut off, 'not found' only says that this try had worked.
	if (isNotFound(answer.text)) return answer.repeated ? {} : 'not found';
	const hook = hookIn(answer);
	// A page with status 200 is somebody else's answer: it deleted nothing.
	if (!hook && answer.text.trim().startsWith('<'))
		throw await failure(ctx, answered(answer), where);
	return hook ?? {};
}

/**
 * The current definition of the People record, as the service answers it (§4.4).
 * @throws NodeApiError, also when the answer is no JSON (D6)
 */
export async function getPeopleSchema(ctx: ServiceContext, where: Where = {}): Promise<unknown> {
	const answer = await apiRequest(ctx, { method: 'GET', path: '/schema/people', ...where });
	if ('uncertain' in answer) throw await failure(ctx, answer.uncertain, where);
	const schema: unknown = isNotFound(answer.text) ? undefined : parseJson(answer.text);
	if (typeof schema !== 'object' || schema === null)
		throw await failure(ctx, answered(answer), where);
	return schema;
}

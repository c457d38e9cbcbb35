import { NodeApiError } from 'n8n-workflow';

import { parseJson } from '../model/json';
import { hookSchema, settingsOf, type Hook, type HookSettings } from '../model/schemas';
import { isSameUrl } from '../model/targetUrl';
import { isNotFound, isTakenAddress } from './answerWords';
import type { ServiceContext } from './context';
import type { Outcome } from './errors';
import { getList, type Where } from './listWebhooks';
import { apiRequest, failureOf, type ApiAnswer } from './request';
import type { ApiRequest } from './send';
import { settle } from './settle';

/** How often a create whose outcome is unknown is sent at the most, each time after a look at the list. */
const MAX_CREATES = 3;
/** Room for a clock that is given in whole seconds, in milliseconds. */
const CLOCK_SLACK_MS = 2000;

/** IDs of the webhooks that were there before; without them, the age of one tells whether it is new. */
type Known = { known?: ReadonlySet<string> };

/** Whether a listed hook has what was asked for. */
function matches(hook: Hook, { targetUrl, type, campaignId }: HookSettings): boolean {
	if (!isSameUrl(hook.targetUrl, targetUrl)) return false;
	const listed = settingsOf(hook);
	return listed.type === type && listed.campaignId === (campaignId || undefined);
}

/** Whether a hook came into being since we began, told by the service's own clock if it shows one. */
function isNew(hook: Hook, { headers }: ApiAnswer, elapsedMs: number): boolean {
	const clock = typeof headers.date === 'string' ? Date.parse(headers.date) : NaN;
	const now = Number.isNaN(clock) ? Date.now() : clock;
	return now - Date.parse(settingsOf(hook).createdAt ?? '') <= elapsedMs + CLOCK_SLACK_MS;
}

/** Optional settings go into query and body (D1); what is not set is not sent. */
function createRequest(
	{ targetUrl, type, secret, campaignId, isFirst, toolLinkId }: HookSettings,
	{ itemIndex }: Where,
): ApiRequest {
	const qs = {
		...(campaignId ? { campaignId } : {}),
		...(isFirst ? { isFirst } : {}),
		...(toolLinkId === undefined ? {} : { toolLinkId }),
	};
	const body = { targetUrl, ...(type ? { type } : {}), ...(secret ? { secret } : {}), ...qs };
	return { method: 'POST', path: '/hooks', qs, body, takes: isTakenAddress, itemIndex };
}

/** The webhook that a create made although its answer did not say so (D17). */
async function lookFor(
	ctx: ServiceContext,
	settings: HookSettings,
	{ known, itemIndex }: Where & Known,
	began: number,
): Promise<Hook | undefined> {
	const { hooks, answer } = await getList(ctx, { itemIndex });
	const elapsed = performance.now() - began;
	return hooks.find(
		(hook) =>
			matches(hook, settings) && (known ? !known.has(hook._id) : isNew(hook, answer, elapsed)),
	);
}

/**
 * Creates a webhook (§4.2). When no answer comes, it looks at the list before it sends again, so that no second
 * webhook comes of it (D17).
 * @returns the new webhook, or the error of a service that has the address already (D7)
 * @throws NodeApiError for everything else; it says whether a webhook was created
 */
export async function tryCreateWebhook(
	ctx: ServiceContext,
	settings: HookSettings,
	where: Where & Known = {},
): Promise<Hook | NodeApiError> {
	const request = createRequest(settings, where);
	const began = performance.now();
	for (let attempt = 1; ; attempt++) {
		const answer = await apiRequest(ctx, request);
		const outcome: Outcome =
			'uncertain' in answer ? answer.uncertain : { kind: 'answer', ...answer };
		if (!('uncertain' in answer)) {
			if (isTakenAddress(answer)) return await failureOf(ctx, request, outcome);
			const hook = isNotFound(answer.text)
				? undefined
				: hookSchema.safeParse(parseJson(answer.text));
			if (hook?.success) return hook.data;
		}
		const look = await settle(lookFor(ctx, settings, where, began));
		if (!look.ok) {
			const hint =
				"Whether the webhook was created is not known, because the list of webhooks could not be had either. Look with the operation 'Get Many' before you try again.";
			throw await failureOf(ctx, request, outcome, hint);
		}
		if (look.value) return look.value;
		if (outcome.kind === 'answer' || attempt === MAX_CREATES) {
			throw await failureOf(ctx, request, outcome, 'No webhook was created.');
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

import { NodeApiError } from 'n8n-workflow';

import { parseJson } from '../utils/json';
import { hookSchema, type Hook, type HookSettings } from '../model/schemas';
import { normalizeUrl } from '../model/targetUrl';
import { isNotFound, isTakenAddress } from './messages';
import { CancelledError } from './cancellation';
import { claim } from './claims';
import type { ServiceContext } from './context';
import type { Outcome } from './errors';
import { getList } from './listWebhooks';
import { findLost, type Known } from './lostCreate';
import { oneAtATime } from '../utils/oneAtATime';
import { apiRequest, failureOf } from './request';
import type { ApiRequest, Where } from './send';
import { settle } from '../utils/settle';

/** The maximum number of attempts at a create whose outcome is unknown; the list is checked before each. */
const MAX_CREATES = 3;

/** Optional settings go into query and body (D1); what is not set is not sent. */
function createRequest(
	{ targetUrl, type, secret, campaignId, isFirst, toolLinkId }: HookSettings,
	where: Where,
): ApiRequest {
	const qs = {
		...(campaignId ? { campaignId } : {}),
		...(isFirst ? { isFirst } : {}),
		...(toolLinkId === undefined ? {} : { toolLinkId }),
	};
	const body = { targetUrl, ...(type ? { type } : {}), ...(secret ? { secret } : {}), ...qs };
	return { ...where, method: 'POST', path: '/hooks', qs, body, takes: isTakenAddress };
}

const UNKNOWN =
	"Whether the webhook was created is not known. Look with the operation 'Get Many' before you try again.";

const inDoubt = (hooks: readonly Hook[]): string =>
	`A webhook may have been created: how old ${hooks.map(({ _id }) => _id).join(', ')} is cannot be told. Look with the operation 'Get Many' before you try again.`;

/**
 * Creates a webhook (§4.2). When no response comes, it looks at the list before it sends again, so that no second
 * webhook comes of it (D17). Creates of the same webhook run one at a time in a process: one whose response got lost
 * could otherwise take its neighbour's webhook for its own.
 * @returns the new webhook, or the error of a service that has the target URL already (D7)
 * @throws NodeApiError for everything else, CancelledError; both say whether a webhook was created
 */
export async function tryCreateWebhook(
	ctx: ServiceContext,
	settings: HookSettings,
	where: Where & Known = {},
): Promise<Hook | NodeApiError> {
	const { targetUrl, type = '*', campaignId = '' } = settings;
	const key = ['create', normalizeUrl(targetUrl), type, campaignId].join('\n');
	return await oneAtATime(key, async () => {
		const created = await settle(create(ctx, settings, where));
		if (!created.ok) {
			const { error } = created;
			if (error instanceof CancelledError && error.mayHaveWorked) error.description = UNKNOWN;
			throw error;
		}
		if (!(created.value instanceof NodeApiError)) claim(created.value._id);
		return created.value;
	});
}

async function create(
	ctx: ServiceContext,
	settings: HookSettings,
	{ known, ...where }: Where & Known,
): Promise<Hook | NodeApiError> {
	const request = createRequest(settings, where);
	const began = performance.now();
	// Once a create is sent, what follows is part of it.
	const afterwards: Where =
		where.cancellable === 'untilSent' ? { ...where, cancellable: 'never' } : where;
	for (let attempt = 1; ; attempt++) {
		const answer = await apiRequest(ctx, attempt === 1 ? request : { ...request, ...afterwards });
		const outcome: Outcome =
			'uncertain' in answer ? answer.uncertain : { kind: 'answer', ...answer };
		if (!('uncertain' in answer)) {
			// Taken at the second try, it can be the first one's webhook that came into being late.
			if (isTakenAddress(answer) && attempt === 1) return await failureOf(ctx, request, outcome);
			const hook = isNotFound(answer.text)
				? undefined
				: hookSchema.safeParse(parseJson(answer.text));
			if (hook?.success) return hook.data;
		}
		const list = await settle(getList(ctx, afterwards));
		if (!list.ok) {
			if (list.error instanceof CancelledError) throw new CancelledError(true);
			throw await failureOf(ctx, request, outcome, UNKNOWN);
		}
		const look = { ...list.value, elapsedMs: performance.now() - began };
		const { made, doubtful } = findLost(look, settings, known ? { known } : {});
		if (made[0]) return made[0];
		if (doubtful.length > 0) throw await failureOf(ctx, request, outcome, inDoubt(doubtful));
		if (outcome.kind === 'answer' && isTakenAddress(outcome)) {
			return await failureOf(ctx, request, outcome);
		}
		if (outcome.kind === 'answer' || attempt === MAX_CREATES) {
			throw await failureOf(ctx, request, outcome, 'No webhook was created.');
		}
	}
}

/**
 * Creates a webhook (§4.2), as {@link tryCreateWebhook} does.
 * @throws NodeApiError, also when the service has the target URL already; CancelledError
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

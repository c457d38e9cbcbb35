import { webhookSchema, type Webhook, type WebhookSettings } from '../model/schemas';
import { normalizeUrl } from '../model/targetUrl';
import { parseJson } from '../utils/json';
import type { Api, RequestOptions } from './api';
import type { Consequence } from './errors';
import { listAfterwards } from './listWebhooks';
import { findLost, type Known } from './lostCreate';
import { isBadTeam, isConflictResponse, isNotFound } from './messages';
import { isSuccess, isTimeout, type Outcome } from './outcome';
import type { ApiRequest } from './send';

/** The maximum number of attempts at a create whose outcome is unknown; the list is checked before each. */
const MAX_CREATES = 3;

export type CreateOptions = RequestOptions &
	Known & {
		/** Told when the result is not that of the first attempt, and that one may still create another webhook. */
		onPossibleDuplicate?: () => void;
	};

/** Optional settings go into query and body (D1); what is not set is not sent. */
function requestFor({
	targetUrl,
	type,
	secret,
	campaignId,
	isFirst,
	toolLinkId,
}: WebhookSettings): ApiRequest {
	const qs = {
		...(campaignId ? { campaignId } : {}),
		...(isFirst ? { isFirst } : {}),
		...(toolLinkId === undefined ? {} : { toolLinkId }),
	};
	const body = { targetUrl, ...(type ? { type } : {}), ...(secret ? { secret } : {}), ...qs };
	return { method: 'POST', path: '/hooks', qs, body };
}

const UNKNOWN = {
	sideEffects:
		"Whether the webhook was created is not known. Check with the operation 'Get Many' before you try again.",
};

const inDoubt = (webhooks: readonly Webhook[]): string =>
	`A webhook may have been created: the age of ${webhooks.map(({ _id }) => _id).join(', ')} is not known. Check with the operation 'Get Many' before you try again.`;

/** The webhook in a response to a create; undefined when there is none in it. */
function webhookIn(outcome: Outcome): Webhook | undefined {
	if (outcome.kind !== 'response' || !isSuccess(outcome) || isNotFound(outcome.text)) {
		return undefined;
	}
	return webhookSchema.safeParse(parseJson(outcome.text)).data;
}

/**
 * Creates a webhook (§4.2). When no response arrives, it checks the list before it sends again, so that there is no
 * second webhook (D17); `onPossibleDuplicate` says when there may be one nevertheless. Creates of the same webhook run
 * one at a time in a process: one whose response got lost could otherwise take another's webhook for its own.
 * @throws RequestError, also when the service has the target URL already (D7); it says whether a webhook was created
 */
export async function createWebhook(
	api: Api,
	settings: WebhookSettings,
	options: CreateOptions = {},
): Promise<Webhook> {
	const { targetUrl, type = '*', campaignId = '' } = settings;
	const key = ['create', normalizeUrl(targetUrl), type, campaignId].join('\n');
	return await api.state.mutex.run(key, async () => {
		const webhook = await createOnce(api, settings, options);
		api.state.recentCreates.add(webhook._id);
		return webhook;
	});
}

async function createOnce(
	api: Api,
	settings: WebhookSettings,
	{ known, onPossibleDuplicate, ...options }: CreateOptions,
): Promise<Webhook> {
	const startedAt = performance.now();
	let hanging = 0;
	/** Earlier attempts without a response that the list does not show: they may still be carried out. */
	let open = 0;
	const after = (consequence: Consequence): Consequence => (open > 0 ? UNKNOWN : consequence);
	const settled = (webhook: Webhook): Webhook => {
		if (open > 0) onPossibleDuplicate?.();
		return webhook;
	};
	for (let attempt = 1; ; attempt++) {
		const outcome = await api.request(requestFor(settings), options);
		if (outcome.kind === 'cancelled') {
			throw await api.failure(outcome, outcome.mayHaveWorked ? UNKNOWN : after({}));
		}
		if (outcome.kind === 'unreachable' || outcome.kind === 'busy') {
			throw await api.failure(outcome, after({}));
		}
		const webhook = webhookIn(outcome);
		if (webhook && known?.has(webhook._id) !== true) return settled(webhook);
		// One that was there before is not new, and has another secret: the service has the target URL already (D7).
		if (webhook && outcome.kind === 'response') {
			throw await api.failure({ ...outcome, status: 409 });
		}
		// With a conflict at the second attempt, the first one's webhook may have appeared late.
		const isConflict = outcome.kind === 'response' && isConflictResponse(outcome);
		const isRefused =
			outcome.kind === 'response' &&
			(!isSuccess(outcome) || isBadTeam(outcome.text)) &&
			!isNotFound(outcome.text);
		if (isRefused && !(isConflict && attempt > 1)) throw await api.failure(outcome, after({}));

		const list = await listAfterwards(api, outcome, UNKNOWN, options);
		const cause = outcome.kind === 'uncertain' ? outcome.cause : outcome;
		const look = { ...list, elapsedMs: performance.now() - startedAt };
		const { recentCreates } = api.state;
		const { made, doubtful } = findLost(look, settings, { known, recentCreates });
		// After a conflict, there is no second one.
		if (made[0]) return isConflict ? made[0] : settled(made[0]);
		if (doubtful.length > 0) throw await api.failure(outcome, { sideEffects: inDoubt(doubtful) });
		if (isConflict) throw await api.failure(outcome);
		// A service that responds is at work: sending the create again is left to the user.
		if (cause.kind === 'response') {
			throw await api.failure(outcome, after({ hint: 'No webhook was created.' }));
		}
		open += 1;
		if (isTimeout(cause.code)) hanging += 1;
		if (hanging >= api.policy.maxHangingCreates || attempt === MAX_CREATES) {
			throw await api.failure(outcome, UNKNOWN);
		}
	}
}

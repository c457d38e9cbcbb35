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

export type CreateOptions = RequestOptions & Known;

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

const UNKNOWN: Consequence = {
	sideEffects:
		"Whether the webhook was created is not known. Check with the operation 'Get Many' before you try again.",
};

/** The webhook in a response to a create; undefined when there is none in it. */
function webhookIn(outcome: Outcome): Webhook | undefined {
	if (outcome.kind !== 'response' || !isSuccess(outcome) || isNotFound(outcome.text)) {
		return undefined;
	}
	return webhookSchema.safeParse(parseJson(outcome.text)).data;
}

/** Whether the outcome leaves open that a webhook was created. */
function isOpen(outcome: Outcome): boolean {
	if (outcome.kind !== 'response') return outcome.kind === 'uncertain';
	return (isSuccess(outcome) && !isBadTeam(outcome.text)) || isNotFound(outcome.text);
}

/** Whether the connection ended on the way. After a time-out, the service may still be at work on the request. */
const wasCutOff = (outcome: Outcome): boolean =>
	outcome.kind === 'uncertain' &&
	outcome.cause.kind === 'unreachable' &&
	!isTimeout(outcome.cause.code);

/**
 * Creates a webhook (§4.2). Without a clear outcome, it looks for the webhook in the list, once; only after a connection
 * that was cut off it sends the create once more (D72). Creates of the same webhook run one at a time in a process: one
 * whose response got lost could otherwise take another's webhook for its own.
 * @throws RequestError, also when the service has the target URL already (D7); it says if the outcome is not known
 */
export async function createWebhook(
	api: Api,
	settings: WebhookSettings,
	options: CreateOptions = {},
): Promise<Webhook> {
	const { targetUrl, type = '*', campaignId = '' } = settings;
	const key = ['create', normalizeUrl(targetUrl), type, campaignId].join('\n');
	return await api.state.mutex.run(key, async () => {
		const webhook = await createOrFind(api, settings, options);
		api.state.recentCreates.add(webhook._id);
		return webhook;
	});
}

async function createOrFind(
	api: Api,
	settings: WebhookSettings,
	{ known, ...options }: CreateOptions,
): Promise<Webhook> {
	const startedAt = performance.now();
	const { recentCreates } = api.state;
	for (let isAgain = false; ; isAgain = true) {
		const outcome = await api.request(requestFor(settings), options);
		const webhook = webhookIn(outcome);
		if (webhook && known?.has(webhook._id) !== true) return webhook;
		// One that was there before is not new, and has another secret: the service has the target URL already (D7).
		if (webhook && outcome.kind === 'response') {
			throw await api.failure({ ...outcome, status: 409 });
		}
		// The second time, the conflict may be with what the first attempt has created.
		const isConflict = outcome.kind === 'response' && isConflictResponse(outcome);
		if (!isOpen(outcome) && !(isConflict && isAgain)) {
			const maySucceed = outcome.kind === 'cancelled' && outcome.mayHaveWorked;
			throw await api.failure(outcome, isAgain || maySucceed ? UNKNOWN : {});
		}
		const list = await listAfterwards(api, outcome, UNKNOWN, options);
		const look = { ...list, elapsedMs: performance.now() - startedAt };
		const { made, doubtful } = findLost(look, settings, { known, recentCreates });
		if (made[0]) return made[0];
		if (isConflict) throw await api.failure(outcome);
		if (isAgain || doubtful.length > 0 || !wasCutOff(outcome)) {
			throw await api.failure(outcome, UNKNOWN);
		}
	}
}

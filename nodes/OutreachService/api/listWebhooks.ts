import { webhookListSchema, type Webhook } from '../model/schemas';
import { parseJson } from '../utils/json';
import { settle } from '../utils/settle';
import type { Api, RequestOptions } from './api';
import { isCancelled, type Consequence } from './errors';
import { isNotFound } from './messages';
import { isSuccess, type Headers, type Outcome } from './outcome';

/** All webhooks of the team, with the headers that they came with, for the service's clock. */
export type List = { webhooks: Webhook[]; headers: Headers };

/**
 * All webhooks of the team (§4.1).
 * @throws RequestError, also when the response is not a list of webhooks (D6)
 */
export async function listWebhooks(api: Api, options?: RequestOptions): Promise<List> {
	const outcome = await api.request({ method: 'GET', path: '/hooks' }, options);
	if (outcome.kind !== 'response') throw await api.failure(outcome);
	const { text, headers } = outcome;
	// §7 documents this text for the list too; there it can only mean that there is none.
	if (isNotFound(text)) return { webhooks: [], headers };
	const list = isSuccess(outcome) ? webhookListSchema.safeParse(parseJson(text)) : undefined;
	if (list?.success) return { webhooks: list.data, headers };
	throw await api.failure(outcome);
}

/**
 * The list after a create or a removal whose outcome is open: finding that out is part of the request once it is sent.
 * @param outcome of that request
 * @param unknown what follows when the list cannot be fetched
 * @throws RequestError for that outcome, or for the cancellation
 */
export async function listAfterwards(
	api: Api,
	outcome: Outcome,
	unknown: Consequence,
	options: RequestOptions,
): Promise<List> {
	const afterwards: RequestOptions =
		options.cancellable === 'untilSent' ? { cancellable: 'never' } : options;
	const list = await settle(listWebhooks(api, afterwards));
	if (list.ok) return list.value;
	if (!isCancelled(list.error)) throw await api.failure(outcome, unknown);
	throw await api.failure({ kind: 'cancelled', mayHaveWorked: true }, unknown);
}

import { webhookListSchema, type Webhook } from '../model/schemas';
import { parseJson } from '../utils/json';
import type { Api, RequestOptions } from './api';
import { isNotFound } from './messages';
import { isSuccess, type Headers } from './outcome';

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

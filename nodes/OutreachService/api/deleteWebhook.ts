import { webhookSchema, type Webhook } from '../model/schemas';
import { parseJson } from '../utils/json';
import { settle } from '../utils/settle';
import type { Api, RequestOptions } from './api';
import { listWebhooks } from './listWebhooks';
import { isBadTeam, isNotFound, looksLikePage } from './messages';
import { isSuccess } from './outcome';

/** @property webhook as far as the service told it */
export type Deleted = { wasFound: boolean; webhook: Partial<Webhook> };

/**
 * Deletes a webhook (§4.3). A webhook, an empty body and 204 all count as done (D3); for another 2xx, the list tells.
 * @returns whether the webhook was there (D5)
 * @throws RequestError, which says when it is not known whether the webhook is deleted
 */
export async function deleteWebhook(
	api: Api,
	webhookId: string,
	options?: RequestOptions,
): Promise<Deleted> {
	const path = `/hooks/${encodeURIComponent(webhookId)}`;
	const unknown = `Whether the webhook ${webhookId} is deleted is not known: check with the operation 'Get Many'.`;
	const outcome = await api.request({ method: 'DELETE', path }, options);
	switch (outcome.kind) {
		case 'response': {
			const { text, repeated } = outcome;
			// After an attempt that was cut off, 'not found' only says that this attempt has worked.
			if (isNotFound(text)) return { wasFound: repeated, webhook: {} };
			// A page with status 200 comes from somewhere else: it deleted nothing.
			if (!isSuccess(outcome) || looksLikePage(text) || isBadTeam(text)) {
				throw await api.failure(outcome);
			}
			const webhook = webhookSchema.safeParse(parseJson(text));
			if (webhook.success) return { wasFound: true, webhook: webhook.data };
			if (text.trim() === '') return { wasFound: true, webhook: {} };
			// Any other text may be an error: the list tells.
			const list = await settle(listWebhooks(api, { ...options, cancellable: 'never' }));
			if (!list.ok) throw await api.failure(outcome, { sideEffects: unknown });
			if (list.value.webhooks.some(({ _id }) => _id === webhookId))
				throw await api.failure(outcome);
			return { wasFound: true, webhook: {} };
		}
		case 'uncertain':
			throw await api.failure(outcome, { sideEffects: unknown });
		case 'cancelled':
			throw await api.failure(outcome, outcome.mayHaveWorked ? { sideEffects: unknown } : {});
		case 'unreachable':
		case 'busy':
			throw await api.failure(outcome);
	}
}

import { z } from 'zod';

import { webhookSchema, type Webhook } from '../model/schemas';
import { parseJson } from '../utils/json';
import type { Api, RequestOptions } from './api';
import { isErrorBody } from './errorBody';
import { RequestError, type Consequence } from './errors';
import { listAfterwards } from './listWebhooks';
import { isBadTeam, isNotFound } from './messages';
import { isSuccess, type Responded } from './outcome';
import { looksLikePage } from './quote';

/** @property webhook as far as the service told it */
export type Deleted = { wasFound: boolean; webhook: Partial<Webhook> };

const isUnknown = (webhookId: string): Consequence => ({
	sideEffects: `Whether the webhook ${webhookId} is deleted is not known: check with the operation 'Get Many'.`,
});

/**
 * Deletes a webhook (§4.3). A webhook, an empty body and 204 all count as done (D3). After an error that is
 * sent with a 2xx, the list is checked.
 * @returns whether the webhook was there (D5)
 * @throws RequestError, which says when it is not known whether the webhook is deleted
 */
export async function deleteWebhook(
	api: Api,
	webhookId: string,
	options?: RequestOptions,
): Promise<Deleted> {
	const path = `/hooks/${encodeURIComponent(webhookId)}`;
	const unknown = isUnknown(webhookId);
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
			const json = parseJson(text);
			if (isErrorBody(json) || isRefusal(json)) {
				return await afterError(api, webhookId, outcome, options);
			}
			const webhook = webhookSchema.safeParse(json);
			return { wasFound: true, webhook: webhook.success ? webhook.data : {} };
		}
		case 'uncertain':
			throw await api.failure(outcome, unknown);
		case 'cancelled':
			throw await api.failure(outcome, outcome.mayHaveWorked ? unknown : {});
		case 'unreachable':
		case 'busy':
			throw await api.failure(outcome);
	}
}

const refusalSchema = z.union([
	z.object({ deleted: z.literal(false) }),
	z.object({ deletedCount: z.literal(0) }),
	z.object({ result: z.string().regex(/error|fail|not/i) }),
]);

/** Whether a 2xx says that nothing was deleted: the API spec does not say how it would (§7). */
const isRefusal = (json: unknown): boolean => refusalSchema.safeParse(json).success;

/** A service, or a gateway, said with a 2xx that something went wrong: perhaps on the way back. */
async function afterError(
	api: Api,
	webhookId: string,
	outcome: Responded,
	options: RequestOptions = {},
): Promise<Deleted> {
	const { webhooks } = await listAfterwards(api, outcome, isUnknown(webhookId), options);
	if (webhooks.some(({ _id }) => _id === webhookId)) {
		throw RequestError.forResponse(outcome, {
			message: `The service did not delete the webhook ${webhookId}`,
			description: `It responded with status ${outcome.status}, and still lists the webhook. Try again later, or delete it in the service.`,
		});
	}
	return { wasFound: true, webhook: {} };
}

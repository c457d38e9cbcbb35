import { parseJson } from '../utils/json';
import { hookSchema, type Hook } from '../model/schemas';
import { isNotFound, looksLikePage } from './messages';
import { CancelledError } from './cancellation';
import type { ServiceContext } from './context';
import { apiRequest, failureOf } from './request';
import type { Where } from './send';
import { settle } from '../utils/settle';

export { createWebhook, tryCreateWebhook } from './createWebhook';
export { listWebhooks } from './listWebhooks';

/**
 * Deletes a webhook (§4.3). A webhook, an empty body and 204 all count as done (D3).
 * @returns the deleted webhook as far as the service told it, or 'not found' (D5)
 * @throws NodeApiError, CancelledError; both say when it is not known whether the webhook is deleted
 */
export async function deleteWebhook(
	ctx: ServiceContext,
	webhookId: string,
	where: Where = {},
): Promise<Partial<Hook> | 'not found'> {
	const path = `/hooks/${encodeURIComponent(webhookId)}`;
	const hintIfUncertain = `Whether the webhook ${webhookId} is deleted is not known: look with the operation 'Get Many'.`;
	const request = { ...where, method: 'DELETE', path, hintIfUncertain } as const;
	const sent = await settle(apiRequest(ctx, request));
	if (!sent.ok) {
		const { error } = sent;
		if (error instanceof CancelledError && error.mayHaveWorked) error.description = hintIfUncertain;
		throw error;
	}
	const answer = sent.value;
	// After a try that was cut off, 'not found' only says that this try had worked.
	if (isNotFound(answer.text)) return answer.repeated ? {} : 'not found';
	// A page with status 200 is somebody else's answer: it deleted nothing.
	if (looksLikePage(answer.text))
		throw await failureOf(ctx, request, { kind: 'answer', ...answer });
	const hook = hookSchema.safeParse(parseJson(answer.text));
	return hook.success ? hook.data : {};
}

/**
 * The current definition of the People record, as the service answers it (§4.4).
 * @throws NodeApiError, also when the answer is no JSON object or list (D6)
 */
export async function getPeopleSchema(ctx: ServiceContext, where: Where = {}): Promise<object> {
	const request = { ...where, method: 'GET', path: '/schema/people' } as const;
	const answer = await apiRequest(ctx, request);
	const schema: unknown = isNotFound(answer.text) ? undefined : parseJson(answer.text);
	if (typeof schema === 'object' && schema !== null) return schema;
	throw await failureOf(ctx, request, { kind: 'answer', ...answer });
}

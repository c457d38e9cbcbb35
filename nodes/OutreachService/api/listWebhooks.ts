import { parseJson } from '../utils/json';
import { hookListSchema, type Hook } from '../model/schemas';
import { isNotFound } from './messages';
import type { ServiceContext } from './context';
import { apiRequest, failureOf, type ApiAnswer } from './request';
import type { Where } from './send';

/**
 * All webhooks of the team with the answer they came in, for its clock (§4.1).
 * @throws NodeApiError, also when the response is not a list of webhooks (D6); CancelledError
 */
export async function getList(
	ctx: ServiceContext,
	where: Where,
): Promise<{ hooks: Hook[]; answer: ApiAnswer }> {
	const request = { ...where, method: 'GET', path: '/hooks' } as const;
	const answer = await apiRequest(ctx, request);
	// §7 documents this text for the list too; there it can only mean that there is none.
	if (isNotFound(answer.text)) return { hooks: [], answer };
	const list = hookListSchema.safeParse(parseJson(answer.text));
	if (list.success) return { hooks: list.data, answer };
	throw await failureOf(ctx, request, { kind: 'answer', ...answer });
}

/**
 * All webhooks of the team (§4.1).
 * @throws NodeApiError, also when the response is not a list of webhooks (D6); CancelledError
 */
export async function listWebhooks(ctx: ServiceContext, where: Where = {}): Promise<Hook[]> {
	return (await getList(ctx, where)).hooks;
}

import { RequestError } from '../../api/errors';
import { NOT_FOUND_HINT } from '../../api/messages';
import type { Webhook } from '../../model/schemas';

/** The error for an ID that the service does not have. */
export const notFoundError = (id: string): RequestError =>
	RequestError.forResponse(
		{ status: 404 },
		{ message: `The webhook ${id} was not found`, description: NOT_FOUND_HINT },
	);

/**
 * A webhook by its ID. The service has no route for one (§4), so it is found in the list.
 * @throws RequestError when there is none
 */
export function findWebhook(webhooks: readonly Webhook[], id: string): Webhook {
	const webhook = webhooks.find(({ _id }) => _id === id);
	if (!webhook) throw notFoundError(id);
	return webhook;
}

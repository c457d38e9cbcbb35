import type { IExecuteFunctions } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

import type { Hook } from '../../model/schemas';

/** The error for an ID that the service does not have. */
export function notFoundError(ctx: IExecuteFunctions, id: string, itemIndex: number): NodeApiError {
	return new NodeApiError(
		ctx.getNode(),
		{},
		{
			httpCode: '404',
			itemIndex,
			message: `The webhook ${id} was not found`,
			description:
				"It may already be deleted, or belong to another team than the API key. List the webhooks with the operation 'Get Many' to see which there are.",
		},
	);
}

/**
 * A webhook by its ID. The service has no route for one (§4), so it is looked up in the list.
 * @throws NodeApiError when there is none
 */
export function findWebhook(
	ctx: IExecuteFunctions,
	hooks: readonly Hook[],
	id: string,
	itemIndex: number,
): Hook {
	const hook = hooks.find(({ _id }) => _id === id);
	if (!hook) throw notFoundError(ctx, id, itemIndex);
	return hook;
}

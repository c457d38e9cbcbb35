/** The error of an item, as n8n shows and stores it. */
import type { IExecuteFunctions } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { withoutConfidential } from '../api/confidential';
import { toNodeError } from '../api/errors';

/** The error of an item. @param message what happened @param description what to do */
export const itemError = (
	{ ctx, index }: { ctx: IExecuteFunctions; index: number },
	message: string,
	description: string,
): NodeOperationError =>
	new NodeOperationError(ctx.getNode(), message, { itemIndex: index, description });

/**
 * The error of an item, without secrets: n8n stores an error together with its node, and with the node's parameters.
 *
 * In a tool of an AI agent, a failed request becomes a NodeOperationError, too: some versions of the AI Agent node put the
 * node with its secrets into a NodeApiError again.
 */
export function shownError(
	ctx: IExecuteFunctions,
	thrown: unknown,
	itemIndex: number,
): NodeApiError | NodeOperationError {
	const node = ctx.getNode();
	const error = toNodeError(node, thrown, itemIndex);
	// Only the context of a sub-node, such as a tool, has this method. n8n 1 has no `isToolExecution`.
	const isSubNode = 'getNextRunIndex' in ctx;
	const shown =
		isSubNode && error instanceof NodeApiError
			? itemError({ ctx, index: itemIndex }, error.message, error.description ?? '')
			: error;
	const parameters = withoutConfidential(shown.node.parameters);
	return Object.assign(shown, { node: { ...shown.node, parameters } });
}

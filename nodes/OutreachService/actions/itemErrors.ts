/** The error of an item, as n8n shows and stores it. */
import type { IExecuteFunctions, INodeParameters } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { toNodeError } from '../api/errors';

export type ShownError = NodeApiError | NodeOperationError;

/** The error of an item: what happened, and what to do. */
export const itemError = (
	{ ctx, index }: { ctx: IExecuteFunctions; index: number },
	message: string,
	description: string,
): NodeOperationError =>
	new NodeOperationError(ctx.getNode(), message, { itemIndex: index, description });

/**
 * The error of an item as n8n stores it: with the node that it comes from, parameters and all. To the failed request of a
 * tool, some versions of the AI Agent node add the node anew, with its secrets; they leave an error of the other kind as
 * it is.
 */
export function shownError(
	ctx: IExecuteFunctions,
	failure: unknown,
	itemIndex: number,
): ShownError {
	const node = ctx.getNode();
	const error = toNodeError(node, failure, itemIndex);
	// Of n8n's contexts, only that of a sub-node has it. n8n 1 has no `isToolExecution`.
	const isTool = 'getNextRunIndex' in ctx;
	const shown =
		isTool && error instanceof NodeApiError ? asOperationError(error, itemIndex) : error;
	const parameters = withoutSecrets(shown.node.parameters);
	return Object.assign(shown, { node: { ...shown.node, parameters } });
}

function asOperationError(error: NodeApiError, itemIndex: number): NodeOperationError {
	const { node, message, description } = error;
	const details = description ? { itemIndex, description } : { itemIndex };
	return new NodeOperationError(node, message, details);
}

/** A copy of a node's parameters without the secrets of Create and Rotate Secret (§6.4). */
export function withoutSecrets(parameters: INodeParameters): INodeParameters {
	const hidden = '(hidden)';
	const copy = { ...parameters };
	if (copy.secret) copy.secret = hidden;
	const { additionalFields: fields } = parameters;
	if (typeof fields === 'object' && fields !== null && 'secret' in fields) {
		copy.additionalFields = { ...fields, secret: hidden };
	}
	return copy;
}

/** The errors of items, as a user or an AI agent sees them. */
import type { IExecuteFunctions } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { toNodeError } from '../api/errors';
import { redacted } from './secrets';

/** The error of an item as n8n stores it. */
export const shownError = (
	ctx: IExecuteFunctions,
	error: Error,
	itemIndex: number,
): NodeApiError | NodeOperationError =>
	withoutSecrets(forTool(ctx, toNodeError(ctx.getNode(), error, itemIndex), itemIndex));

/** Adds what other items have changed to the error of one. */
export function withDescription(error: Error, more: string | undefined): Error {
	const isOurs = error instanceof NodeApiError || error instanceof NodeOperationError;
	if (isOurs && more !== undefined) error.description = [error.description, more].join(' ').trim();
	return error;
}

/** What happened and what to do: with continue-on-fail, the description is not shown otherwise. */
export const inOneLine = ({
	message,
	description,
}: Error & { description?: string | null | undefined }): string =>
	description ? `${message}. ${description}` : message;

/**
 * To the failed request of a tool, some versions of the AI Agent node add the node anew, with its secrets. They leave an
 * error of the other kind as it is.
 */
function forTool(
	ctx: IExecuteFunctions,
	error: NodeApiError | NodeOperationError,
	itemIndex: number,
): NodeApiError | NodeOperationError {
	// Of n8n's contexts, only that of a sub-node has it. n8n 1 has no `isToolExecution`.
	const isSubNode = 'getNextRunIndex' in ctx;
	if (error instanceof NodeOperationError || !isSubNode) return error;
	const { message, description } = error;
	const details = description ? { description, itemIndex } : { itemIndex };
	return new NodeOperationError(ctx.getNode(), message, details);
}

/** n8n stores an error with the node that it comes from, parameters and all. */
function withoutSecrets<T extends NodeApiError | NodeOperationError>(error: T): T {
	const { node } = error;
	return Object.assign(error, { node: { ...node, parameters: redacted(node.parameters) } });
}

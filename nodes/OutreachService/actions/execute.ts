/** An execution of the action node: runs the chosen operation for each item, and reports the outcome of the items. */
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeApiError, NodeConnectionTypes, NodeOperationError } from 'n8n-workflow';

import { createClient } from '../api/client';
import { withoutConfidential } from '../api/confidential';
import { consequencesOf, inOneLine, toNodeError } from '../api/errors';
import type { Runtime } from '../runtime/runtime';
import { Targets } from '../targets/targets';
import { mapConcurrently } from '../utils/concurrency';
import { settle } from '../utils/settle';
import { describeChanges, type ItemChanges } from './changes';
import { RESOURCES } from './index';
import { itemError, parametersOf, type Operation, type SharedByItems } from './operation';

/**
 * The maximum number of characters of the output of all items as JSON, and of output items, unless there are more input
 * items: n8n stores all of it, and ends when its memory does (D94).
 */
const MAX_CHARACTERS = 64 * 1024 * 1024;
const MAX_ITEMS = 100_000;

/**
 * n8n's `execute()`: runs the operation of each input item, several at a time.
 * @returns the items of the node's only output, each paired with its input item
 * @throws NodeApiError or NodeOperationError of the first item that fails, unless the node continues on fail
 */
export const execute = async (
	ctx: IExecuteFunctions,
	runtime: Runtime,
): Promise<INodeExecutionData[][]> => await new Execution(ctx, runtime).run();

class Execution {
	/** What all items share. */
	private readonly shared: SharedByItems;

	private readonly changes: ItemChanges[] = [];

	private characters = 0;

	private items = 0;

	constructor(
		private readonly ctx: IExecuteFunctions,
		runtime: Runtime,
	) {
		const signal = ctx.getExecutionCancelSignal();
		const client = createClient(ctx, runtime, { signal });
		this.shared = { ctx, runtime, client, targets: new Targets(ctx, signal), hints: new Set() };
	}

	async run(): Promise<INodeExecutionData[][]> {
		const items = await settle(
			mapConcurrently(this.ctx.getInputData(), async (_item, index) => await this.runItem(index)),
		);
		if (!items.ok) {
			this.logChanges();
			throw this.errorOfExecution(items.error);
		}
		const output = items.value.flat();
		if (this.isStopped) this.logChanges();
		for (const message of this.shared.hints) {
			this.ctx.addExecutionHints({ message, location: 'outputPane' });
		}
		return [output];
	}

	private get isStopped(): boolean {
		return this.ctx.getExecutionCancelSignal()?.aborted === true;
	}

	private async runItem(index: number): Promise<INodeExecutionData[]> {
		const changes: ItemChanges = { index, done: [], consequences: [] };
		this.changes.push(changes);
		const pairedItem = { item: index };
		const output = await settle(this.outputOf(index, changes));
		if (output.ok) return output.value.map((json) => ({ json, pairedItem }));
		changes.consequences.push(...consequencesOf(output.error));
		const error = shownError(this.ctx, output.error, index);
		// A user who has stopped the execution does not want an item for each request that was not sent.
		if (this.isStopped || !this.ctx.continueOnFail()) throw error;
		addChanges(error, [changes]);
		return [{ json: { error: inOneLine(error) }, pairedItem }];
	}

	private async outputOf(index: number, changes: ItemChanges): Promise<IDataObject[]> {
		const { ctx } = this;
		const operation = operationOf(ctx, index);
		const parameters = parametersOf(ctx, index, operation);
		const output = await operation.run({ ...this.shared, index, parameters, changes });
		this.characters += JSON.stringify(output).length;
		this.items += output.length;
		const maxItems = Math.max(MAX_ITEMS, ctx.getInputData().length);
		if (this.characters > MAX_CHARACTERS || this.items > maxItems) {
			throw itemError({ ctx, index }, 'The output of the node is too large', TOO_LARGE);
		}
		// Several items may share an object: the copy keeps a later change of one item out of the others.
		return ctx.getInputData().length > 1 ? structuredClone(output) : output;
	}

	/** The error of the execution: that of the failed item with the lowest index, with what all items have changed. */
	private errorOfExecution(error: Error): Error {
		if (error instanceof NodeApiError || error instanceof NodeOperationError) {
			addChanges(error, this.changes);
		}
		// n8n tells an AI agent nothing but the message of a tool's error.
		const isRunAsTool = this.ctx.getNode().rewireOutputLogTo === NodeConnectionTypes.AiTool;
		if (isRunAsTool) error.message = inOneLine(error);
		return error;
	}

	/** Logs what items have changed: n8n does not show the output of an execution that has failed or was stopped. */
	private logChanges(): void {
		const changed = describeChanges(this.changes);
		if (changed === '') return;
		this.ctx.logger.warn(`The output of "${this.ctx.getNode().name}" may be lost. ${changed}`);
	}
}

/**
 * The error of an item, without secrets: n8n stores an error together with its node, and with the node's parameters.
 *
 * In a tool of an AI agent, a failed request becomes a NodeOperationError, too: some versions of the AI Agent node put the
 * node with its secrets into a NodeApiError again.
 */
function shownError(
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

/** Adds to the description of an item's error what items have changed. */
function addChanges(
	error: NodeApiError | NodeOperationError,
	changes: readonly ItemChanges[],
): void {
	const text = error.description ?? '';
	const changed = describeChanges(changes, { itemIndex: error.context.itemIndex, text });
	error.description = [text, changed].filter(Boolean).join(' ');
}

const TOO_LARGE = `All items together have more than ${MAX_ITEMS} output items or ${MAX_CHARACTERS / 1024 / 1024} MB. If the output is the same for all items, turn on 'Execute Once' in the settings of the node. Otherwise, get less at a time, for example with filters, with pages, or in a loop over the items.`;

/**
 * The operation that is chosen for an item.
 * @throws NodeOperationError when an expression or an AI agent has chosen an operation that does not exist
 */
function operationOf(ctx: IExecuteFunctions, index: number): Operation {
	const resourceName = ctx.getNodeParameter('resource', index, 'webhook');
	const operationName = ctx.getNodeParameter('operation', index, 'getAll');
	const resource = RESOURCES.find(({ value }) => value === resourceName);
	const operation = resource?.operations.find(({ value }) => value === operationName);
	if (operation) return operation;
	throw itemError(
		{ ctx, index },
		`There is no operation '${operationName}' for '${resourceName}'`,
		"Choose one in 'Resource' and 'Operation'.",
	);
}

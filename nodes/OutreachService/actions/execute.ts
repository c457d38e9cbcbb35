/** An execution of the action node: runs the chosen operation for each item, and reports the outcome of the items. */
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeApiError, NodeConnectionTypes, NodeOperationError } from 'n8n-workflow';

import { createClient, type Client } from '../api/client';
import { consequencesOf, inOneLine } from '../api/errors';
import type { Runtime } from '../runtime/runtime';
import { mapConcurrently } from '../utils/concurrency';
import { settle } from '../utils/settle';
import { describeChanges, noChanges, unseenBeyond, type Changes } from './changes';
import { RESOURCES } from './index';
import { itemError, shownError } from './itemErrors';
import { parametersOf, type Operation } from './operation';

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
	private readonly client: Client;

	private readonly changes: Changes[] = [];

	/** The output of each operation so far: an expression may choose a different operation for each item. */
	private readonly outputs = new Map<Operation, IDataObject[]>();

	constructor(
		private readonly ctx: IExecuteFunctions,
		private readonly runtime: Runtime,
	) {
		this.client = createClient(ctx, runtime, { signal: ctx.getExecutionCancelSignal() });
	}

	async run(): Promise<INodeExecutionData[][]> {
		const items = await settle(
			mapConcurrently(this.ctx.getInputData(), async (_item, index) => await this.runItem(index)),
		);
		if (!items.ok) {
			this.logLostChanges();
			throw this.errorOfExecution(items.error);
		}
		const output = items.value.flat();
		if (this.isStopped || this.isRetried(output)) this.logLostChanges();
		this.addHints();
		return [output];
	}

	private get isStopped(): boolean {
		return this.ctx.getExecutionCancelSignal()?.aborted === true;
	}

	/** With *Retry On Fail*, n8n repeats the run if the first output item has `error`. */
	private isRetried([first]: INodeExecutionData[]): boolean {
		return this.ctx.getNode().retryOnFail === true && Boolean(first?.json.error);
	}

	private async runItem(index: number): Promise<INodeExecutionData[]> {
		const changes = noChanges(index);
		this.changes.push(changes);
		const pairedItem = { item: index };
		const output = await settle(this.outputOf(index, changes));
		if (output.ok) {
			// Several items may share an object: the copies keep a later change of one item out of the others.
			return output.value.map((json) => ({ json: { ...json }, pairedItem }));
		}
		changes.inOwnError = consequencesOf(output.error);
		const error = shownError(this.ctx, output.error, index);
		// A user who has stopped the execution does not want an item for each request that was not sent.
		if (this.isStopped || !this.ctx.continueOnFail()) throw error;
		addChanges(error, [changes]);
		return [{ json: { error: inOneLine(error) }, pairedItem }];
	}

	private async outputOf(index: number, changes: Changes): Promise<IDataObject[]> {
		const { ctx, client, runtime } = this;
		const operation = operationOf(ctx, index);
		const parameters = parametersOf(ctx, index, operation);
		const output = await operation.run({ ctx, client, runtime, index, parameters, changes });
		const outputSoFar = this.outputs.get(operation) ?? [];
		for (const json of output) outputSoFar.push(json);
		this.outputs.set(operation, outputSoFar);
		return output;
	}

	/** Logs what items have changed: n8n does not show the output of an execution that has failed, was stopped or is repeated. */
	private logLostChanges(): void {
		const changed = describeChanges(this.changes);
		if (changed === '') return;
		const { name } = this.ctx.getNode();
		this.ctx.logger.warn(`The output of "${name}" may be lost. ${changed}`);
		for (const ids of unseenBeyond(this.changes)) {
			this.ctx.logger.warn(
				`Nobody has seen the new secrets that "${name}" gave to these webhooks: ${ids}`,
			);
		}
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

	private addHints(): void {
		for (const [operation, output] of this.outputs) {
			const message = operation.hint?.(output);
			if (message !== undefined) {
				this.ctx.addExecutionHints({ message, location: 'outputPane' });
			}
		}
	}
}

/** Adds to the description of an item's error what items have changed. */
function addChanges(error: NodeApiError | NodeOperationError, changes: readonly Changes[]): void {
	const changed = describeChanges(changes, error.context.itemIndex);
	error.description = [error.description, changed].filter(Boolean).join(' ');
}

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

/** Runs the chosen operation for each item, and tells what became of the items. */
import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeParameters,
} from 'n8n-workflow';
import { NodeApiError, NodeConnectionTypes, NodeOperationError } from 'n8n-workflow';

import { createClient } from '../api/client';
import { sideEffectsOf, toNodeError } from '../api/errors';
import { createTargets } from '../api/targets';
import { labelsOf } from '../model/labels';
import type { Runtime } from '../runtime/runtime';
import { mapConcurrently } from '../utils/mapConcurrently';
import { settle, type Settled } from '../utils/settle';
import { RESOURCES } from './index';
import type { Operation } from './operation';

/**
 * Runs the operation of each item, several at a time.
 * @throws NodeApiError or NodeOperationError of the first item that fails, unless the node continues on fail
 */
export async function execute(
	ctx: IExecuteFunctions,
	runtime: Runtime,
): Promise<INodeExecutionData[][]> {
	const signal = ctx.getExecutionCancelSignal();
	const fetched = { list: {}, schema: {} };
	const shared = {
		ctx,
		client: createClient(ctx, runtime, { signal, fetched }),
		uncancellable: createClient(ctx, runtime, { fetched }),
		targets: createTargets(ctx, signal),
		runtime,
	};
	const outcomes: Outcome[] = [];
	const isStopped = (): boolean => signal?.aborted === true;
	const runItem = async (index: number): Promise<IDataObject[]> => {
		const operation = operationOf(ctx, index);
		const labels = labelsOf(operation.properties);
		const output = await operation.run({ ...shared, index, labels });
		outcomes.push({ index, operation, output });
		return output;
	};
	const results = await settle(
		mapConcurrently(ctx.getInputData(), async (_item, index): Promise<INodeExecutionData[]> => {
			const result = await settle(runItem(index));
			if (result.ok) return result.value.map((json) => ({ json, pairedItem: { item: index } }));
			outcomes.push({ index, error: result.error });
			const error = shownError(ctx, result.error, index);
			// After stopping an execution, the user does not want an item for each request that was left out.
			if (isStopped() || !ctx.continueOnFail()) throw error;
			return [{ json: { error: inOneLine(error) }, pairedItem: { item: index } }];
		}),
	);
	const changed = describeChanges(outcomes);
	if (changed !== undefined) {
		const { name, retryOnFail } = ctx.getNode();
		// n8n shows neither the output nor the error of an execution that was stopped, nor those of the earlier tries.
		if (isStopped()) ctx.logger.warn(`An execution of "${name}" was stopped. ${changed}`);
		else if (retryOnFail === true && isFailure(results)) {
			ctx.logger.warn(
				`An item of "${name}" failed, and 'Retry On Fail' runs all items again. ${changed}`,
			);
		}
	}
	if (results.ok) return [results.value.flat()];
	const { error } = results;
	const ofOthers = describeChanges(withoutFirstFailure(outcomes));
	const isOurs = error instanceof NodeApiError || error instanceof NodeOperationError;
	if (isOurs && ofOthers !== undefined) {
		error.description = [error.description, ofOthers].join(' ').trim();
	}
	// n8n tells an AI agent nothing but the message of a tool's error.
	if (ctx.getNode().rewireOutputLogTo === NodeConnectionTypes.AiTool)
		error.message = inOneLine(error);
	throw error;
}

/**
 * The operation that is chosen for an item.
 * @throws NodeOperationError when an expression or an AI agent chose one that does not exist
 */
function operationOf(ctx: IExecuteFunctions, itemIndex: number): Operation {
	const resourceName = ctx.getNodeParameter('resource', itemIndex, 'webhook');
	const operationName = ctx.getNodeParameter('operation', itemIndex, 'getAll');
	const operation = RESOURCES.find(({ value }) => value === resourceName)?.operations.find(
		({ value }) => value === operationName,
	);
	if (operation) return operation;
	throw new NodeOperationError(
		ctx.getNode(),
		`There is no operation '${operationName}' for '${resourceName}'`,
		{ itemIndex, description: "Choose one in 'Resource' and 'Operation'." },
	);
}

/** Whether n8n takes a run for failed, and may run all items again: also when the first item of its output has an error. */
const isFailure = (results: Settled<INodeExecutionData[][]>): boolean =>
	!results.ok || (results.value.flat()[0]?.json.error ?? false) !== false;

/**
 * The error of an item as n8n stores it: with the node that it comes from, parameters and all. To the failed request of a
 * tool, some versions of the AI Agent node add the node anew, with its secrets; they leave an error of the other kind as
 * it is.
 */
function shownError(
	ctx: IExecuteFunctions,
	given: Error,
	itemIndex: number,
): NodeApiError | NodeOperationError {
	const node = ctx.getNode();
	const error = toNodeError(node, given, itemIndex);
	// Of n8n's contexts, only that of a sub-node has it. n8n 1 has no `isToolExecution`.
	const isTool = 'getNextRunIndex' in ctx;
	const shown =
		isTool && error instanceof NodeApiError
			? new NodeOperationError(node, error.message, {
					itemIndex,
					...(error.description ? { description: error.description } : {}),
				})
			: error;
	const parameters = withoutSecrets(shown.node.parameters);
	return Object.assign(shown, { node: { ...shown.node, parameters } });
}

const HIDDEN = '(hidden)';

/** A copy of a node's parameters without the secrets of Create and Rotate Secret (§6.4). */
export function withoutSecrets(parameters: INodeParameters): INodeParameters {
	const { secret, additionalFields: fields } = parameters;
	const hasSecret = typeof fields === 'object' && fields !== null && 'secret' in fields;
	return {
		...parameters,
		...(secret ? { secret: HIDDEN } : {}),
		...(hasSecret ? { additionalFields: { ...fields, secret: HIDDEN } } : {}),
	};
}

/** What happened and what to do: with continue-on-fail, the description is not shown otherwise. */
const inOneLine = ({
	message,
	description,
}: Error & { description?: string | null | undefined }): string =>
	description ? `${message}. ${description}` : message;

/** What became of an item. */
export type Outcome = { index: number } & (
	| { operation: Pick<Operation, 'changes' | 'lostOutput'>; output: IDataObject[] }
	| { error: Error }
);

const byIndex = (a: Outcome, b: Outcome): number => a.index - b.index;

/** The error of the first item that failed tells itself what became of that item. */
function withoutFirstFailure(outcomes: readonly Outcome[]): Outcome[] {
	const first = outcomes.toSorted(byIndex).find((outcome) => 'error' in outcome);
	return outcomes.filter((outcome) => outcome !== first);
}

/** The maximum number of items that are named, and of webhooks of each. */
const MAX_NAMED = 20;
const MAX_IDS = 3;

/** An item as n8n counts it, with what it worked on: `item 0 (hoo_1)`. */
function named(index: number, webhooks: IDataObject[]): string {
	const ids = webhooks.flatMap(({ _id }) => (typeof _id === 'string' ? [_id] : []));
	const list = ids.length > MAX_IDS ? `${ids.length} webhooks` : ids.join(', ');
	return `item ${index} (${list || 'none'})`;
}

/**
 * What was changed at the service, in words; undefined when nothing was. Several items are worked on at a time, so when
 * one fails, others are done or under way, and their output is lost with the execution.
 */
export function describeChanges(outcomes: readonly Outcome[]): string | undefined {
	const completed: string[] = [];
	const left: string[] = [];
	let lost: string | undefined;
	for (const outcome of outcomes.toSorted(byIndex)) {
		const { index } = outcome;
		if ('error' in outcome) {
			const sideEffects = sideEffectsOf(outcome.error);
			if (sideEffects !== undefined) left.push(`Item ${index} failed: ${sideEffects}`);
			continue;
		}
		const { operation, output } = outcome;
		const isDryRun = output.some(({ dryRun }) => dryRun === true);
		if (operation.changes !== true || isDryRun || output.length === 0) continue;
		completed.push(named(index, output));
		lost ??= operation.lostOutput;
	}
	const more = completed.length - MAX_NAMED;
	const list = [...completed.slice(0, MAX_NAMED), ...(more > 0 ? [`${more} more`] : [])].join(', ');
	const done = list === '' ? [] : [`Completed anyway: ${list}.`, ...(lost ? [lost] : [])];
	return [...done, ...left].join(' ') || undefined;
}

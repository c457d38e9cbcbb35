/** Runs the chosen operation for each item, and tells what became of the items. */
import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeParameters,
} from 'n8n-workflow';
import { NodeApiError, NodeConnectionTypes, NodeOperationError } from 'n8n-workflow';

import { createClient } from '../api/client';
import { consequencesOf, inOneLine, toNodeError } from '../api/errors';
import { Targets } from '../targets/targets';
import type { Runtime } from '../runtime/runtime';
import { mapConcurrently } from '../utils/mapConcurrently';
import { settle } from '../utils/settle';
import { RESOURCES } from './index';
import { itemError, parametersOf, type Changes, type Operation } from './operation';

/**
 * Runs the operation of each item, several at a time.
 * @throws NodeApiError or NodeOperationError of the first item that fails, unless the node continues on fail
 */
export async function execute(
	ctx: IExecuteFunctions,
	runtime: Runtime,
): Promise<INodeExecutionData[][]> {
	const signal = ctx.getExecutionCancelSignal();
	const shared = {
		ctx,
		client: createClient(ctx, runtime, { signal }),
		targets: new Targets(ctx, signal),
		runtime,
	};
	const all: Changes[] = [];
	/** What each operation gave: an expression may choose another one for each item. */
	const outputs = new Map<Operation, IDataObject[]>();
	const isStopped = (): boolean => signal?.aborted === true;
	const runItem = async (index: number): Promise<INodeExecutionData[]> => {
		const changes: Changes = { index, done: [], unseen: [], open: [] };
		all.push(changes);
		const pairedItem = { item: index };
		try {
			const operation = operationOf(ctx, index);
			const parameters = parametersOf(ctx, index, operation.properties);
			const output = await operation.run({ ...shared, index, parameters, changes });
			const others = outputs.get(operation) ?? [];
			outputs.set(operation, others);
			for (const json of output) others.push(json);
			// Several items may have the same object: what changes one must not change the others.
			return output.map((json) => ({ json: { ...json }, pairedItem }));
		} catch (failure) {
			changes.open.push(...consequencesOf(failure));
			const error = shownError(ctx, failure, index);
			// After stopping an execution, the user does not want an item for each request that was left out.
			if (isStopped() || !ctx.continueOnFail()) throw error;
			return [{ json: { error: inOneLine(withChanges(error, [changes])) }, pairedItem }];
		}
	};
	const results = await settle(
		mapConcurrently(ctx.getInputData(), async (_item, index) => await runItem(index)),
	);
	const changed = describeChanges(all);
	const output = results.ok ? results.value.flat() : [];
	const { name, retryOnFail } = ctx.getNode();
	// n8n takes a run whose first item has an error for failed, too.
	const isRetried = retryOnFail === true && Boolean(output[0]?.json.error);
	// n8n shows neither the output nor the error of an execution that was stopped, nor those of tries that it repeats.
	if (changed !== '' && (isStopped() || !results.ok || isRetried)) {
		ctx.logger.warn(`The output of "${name}" may be lost. ${changed}`);
		for (const ids of unseenBeyond(all)) {
			ctx.logger.warn(
				`Nobody has seen the new secrets that "${name}" gave to these webhooks: ${ids}`,
			);
		}
	}
	if (results.ok) {
		for (const [operation, given] of outputs) addHint(ctx, operation.hint?.(given));
		return [output];
	}
	const { error } = results;
	if (error instanceof NodeApiError || error instanceof NodeOperationError) withChanges(error, all);
	// n8n tells an AI agent nothing but the message of a tool's error.
	if (ctx.getNode().rewireOutputLogTo === NodeConnectionTypes.AiTool)
		error.message = inOneLine(error);
	throw error;
}

function addHint(ctx: IExecuteFunctions, message: string | undefined): void {
	if (message !== undefined) ctx.addExecutionHints({ message, location: 'outputPane' });
}

/**
 * The operation that is chosen for an item.
 * @throws NodeOperationError when an expression or an AI agent chose one that does not exist
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

type ShownError = NodeApiError | NodeOperationError;

/**
 * The error of an item as n8n stores it: with the node that it comes from, parameters and all. To the failed request of a
 * tool, some versions of the AI Agent node add the node anew, with its secrets; they leave an error of the other kind as
 * it is.
 */
function shownError(ctx: IExecuteFunctions, given: unknown, itemIndex: number): ShownError {
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

/** A copy of a node's parameters without the secrets of Create and Rotate Secret (§6.4). */
export function withoutSecrets(parameters: INodeParameters): INodeParameters {
	const { secret, additionalFields: fields } = parameters;
	const hidden = { secret: '(hidden)' };
	const hasSecret = typeof fields === 'object' && fields !== null && 'secret' in fields;
	return {
		...parameters,
		...(secret ? hidden : {}),
		...(hasSecret ? { additionalFields: { ...fields, ...hidden } } : {}),
	};
}

/** An error that also tells what has changed, as far as it does not tell that itself: the output is lost with it. */
function withChanges(error: ShownError, changes: readonly Changes[]): ShownError {
	const told = error.description ?? '';
	const untold = changes.map((one) => {
		if (one.index !== error.context.itemIndex) return one;
		return { ...one, open: one.open.filter((text) => !told.includes(text)) };
	});
	const description = [told, describeChanges(untold)].filter(Boolean).join(' ');
	return Object.assign(error, { description });
}

/** How many items, webhooks and sentences a text has. */
const MAX_NAMED = 20;
/** How many webhooks it names whose secret nobody has seen: only their IDs tell which to rotate again. */
const MAX_UNSEEN = 100;

const named = (all: readonly string[], max = MAX_NAMED, separator = ', '): string => {
	const more = all.length > max ? [`${all.length - max} more`] : [];
	return [...all.slice(0, max), ...more].join(separator);
};

/**
 * What items have changed at the service, in words; empty when nothing was. Several are worked on at a time, so when one
 * fails, others are done or under way.
 */
export function describeChanges(changes: readonly Changes[]): string {
	const done = changes
		.filter((one) => one.done.length > 0)
		.map((one) => `item ${one.index} (${named(one.done)})`);
	const unseen = changes.flatMap((one) => one.unseen);
	const open = changes.flatMap((one) =>
		[...new Set(one.open)].map((text) => `Item ${one.index}: ${text}`),
	);
	const texts: string[] = [];
	if (done.length > 0) texts.push(`Completed anyway: ${named(done)}.`);
	if (unseen.length > 0) {
		texts.push(
			`Nobody has seen the new secrets of these webhooks, so rotate them again: ${named(unseen, MAX_UNSEEN)}.`,
		);
	}
	if (open.length > 0) texts.push(named(open, MAX_NAMED, ' '));
	return texts.join(' ');
}

/** The IDs that {@link describeChanges} has no room for, in texts for the log. */
export function unseenBeyond(changes: readonly Changes[]): string[] {
	const ids = changes.flatMap((one) => one.unseen).slice(MAX_UNSEEN);
	const texts: string[] = [];
	for (let from = 0; from < ids.length; from += MAX_UNSEEN) {
		texts.push(ids.slice(from, from + MAX_UNSEEN).join(', '));
	}
	return texts;
}

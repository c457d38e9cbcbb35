/** An operation of the action node, an item that it works on, and how that item's parameters are read and its errors made. */
import type {
	IDataObject,
	IExecuteFunctions,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import type { Client } from '../api/client';
import { ParameterReader } from '../parameters/reader';
import type { Runtime } from '../runtime/runtime';
import type { Targets } from '../targets/targets';
import type { ItemChanges } from './changes';

/** What all items of an execution share. */
export type SharedByItems = {
	ctx: IExecuteFunctions;
	runtime: Runtime;
	/** Sends requests to the service, until the execution is stopped. */
	client: Client;
	/** Sends requests to target URLs, until the execution is stopped. No URL is asked twice. */
	targets: Targets;
	/** The texts that the editor shows above the output of all items. */
	hints: Set<string>;
};

/** One item that an operation works on. */
export type Item = SharedByItems & {
	/** The index of the input item. */
	index: number;
	/** Reads the parameters of the item. */
	parameters: ParameterReader;
	/** The operation adds here what it changes at the service, for the error of this or another item. */
	changes: ItemChanges;
};

/** One operation of the action node. n8n's lists and the dispatch are both made from the operations. */
export type Operation = {
	/** The value that workflows store: it can never change. */
	value: string;
	name: string;
	/** The phrase in n8n's list of actions. */
	action: string;
	description: string;
	/** What n8n's AI builder must know to use it. */
	builderHint?: INodePropertyOptions['builderHint'];
	/** Its fields, without display conditions. */
	properties: INodeProperties[];
	/**
	 * Runs the operation for one input item, and returns its output. `execute.ts` goes through the items, copies and pairs
	 * what they return, and continues on fail.
	 */
	run(item: Item): Promise<IDataObject[]>;
};

/** The error of an item. @param message what happened @param description what to do */
export const itemError = (
	{ ctx, index }: { ctx: IExecuteFunctions; index: number },
	message: string,
	description: string,
): NodeOperationError =>
	new NodeOperationError(ctx.getNode(), message, { itemIndex: index, description });

/** A call of `$fromAI()`, which n8n accepts in upper and lower case. */
const IS_FROM_AI = /\$fromai\s*\(/i;

/**
 * Makes the reader of an item's parameters.
 * @param operation the one that is chosen for the item: its properties have the labels for errors
 */
export const parametersOf = (
	ctx: IExecuteFunctions,
	index: number,
	{ properties }: Operation,
): ParameterReader =>
	new ParameterReader({
		properties,
		stored: (path) => ctx.getNodeParameter(path, index, null, { rawExpressions: true }),
		evaluate: (path) => ctx.getNodeParameter(path, index, null),
		// An AI model returns nothing for a field that it has no value for.
		mayReturnNothing: (expression) => IS_FROM_AI.test(expression),
		parameterError: (label, reason) =>
			itemError(
				{ ctx, index },
				`The value of '${label}' cannot be used`,
				/[.?]$/.test(reason) ? reason : `${reason}.`,
			),
	});

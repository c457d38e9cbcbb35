/** An operation of the action node, an item that it works on, and how it reads the parameters of that item. */
import type {
	IDataObject,
	IExecuteFunctions,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';

import type { Client } from '../api/client';
import type { Targets } from '../targets/targets';
import { labelsOf } from '../parameters/labels';
import { ParameterReader } from '../parameters/reader';
import type { Runtime } from '../runtime/runtime';
import type { Changes } from './changes';
import { itemError } from './itemErrors';

/** One item that an operation works on, and what all items of an execution share. */
export type Item = {
	ctx: IExecuteFunctions;
	/** Stopping the execution cancels its requests. */
	client: Client;
	targets: Targets;
	runtime: Runtime;
	index: number;
	/** The parameters of the item. */
	parameters: ParameterReader;
	changes: Changes;
};

/** One operation of the action node. The lists of n8n and the dispatch are both made from these. */
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
	/** The output for one item. The node owns the loop, the pairing and continue-on-fail. */
	run(item: Item): Promise<IDataObject[]>;
	/** What the editor says above the output of a run, for those who have just clicked; undefined for nothing. */
	hint?(output: readonly IDataObject[]): string | undefined;
};

/** n8n accepts it in any case. */
const IS_FROM_AI = /\$fromai\s*\(/i;

/** Reads the parameters of an item of an execution. @param properties of the operation, whose labels errors name */
export const parametersOf = (
	ctx: IExecuteFunctions,
	index: number,
	properties: readonly INodeProperties[],
): ParameterReader =>
	new ParameterReader({
		labels: labelsOf(properties),
		stored: (path) => ctx.getNodeParameter(path, index, null, { rawExpressions: true }),
		evaluate: (path) => ctx.getNodeParameter(path, index, null),
		// An AI model leaves out what it has no value for.
		mayReturnNothing: (expression) => IS_FROM_AI.test(expression),
		isEmptyTextLeftOut: true,
		refusal: (label, reason) =>
			itemError(
				{ ctx, index },
				`The value of '${label}' cannot be used`,
				/[.?]$/.test(reason) ? reason : `${reason}.`,
			),
	});

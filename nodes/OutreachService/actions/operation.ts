import type {
	IDataObject,
	IExecuteFunctions,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';

import type { Client } from '../api/client';
import type { Targets } from '../api/targets';
import type { Labels } from '../model/labels';
import type { Runtime } from '../runtime/runtime';

/** What all items of an execution share. */
export type Execution = {
	ctx: IExecuteFunctions;
	/** Stopping the execution cancels its requests. */
	client: Client;
	/** One whose requests run to their end. */
	uncancellable: Client;
	targets: Targets;
	runtime: Runtime;
};

/** One item that an operation works on. */
export type Item = Execution & {
	index: number;
	/** Of the operation's fields. */
	labels: Labels;
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
	/** For an operation that changes something at the service: when an item fails, the error says which are done. */
	changes?: boolean;
	/** Said of those items when their output is lost, because it held something that nothing else shows. */
	lostOutput?: string;
	/** The output for one item. The node owns the loop, the pairing and continue-on-fail. */
	run(item: Item): Promise<IDataObject[]>;
};

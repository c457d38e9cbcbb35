import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

/** One operation of the action node. The lists of n8n and the dispatch are both made from these. */
export type Operation = {
	/** The value that workflows store; fixed for ever. */
	value: string;
	name: string;
	/** The phrase in n8n's list of actions. */
	action: string;
	description: string;
	/** Its fields, without display conditions. */
	properties: INodeProperties[];
	/** For an operation that changes something at the service: when an item fails, the error says which are done. */
	changes?: boolean;
	/** Said of those items when their output is lost, because it held something that nothing else shows. */
	lostOutput?: string;
	/** The data of one item. The node owns the loop, the pairing and continue-on-fail. */
	run(ctx: IExecuteFunctions, itemIndex: number): Promise<IDataObject[]>;
};

export type Resource = {
	value: string;
	name: string;
	description: string;
	/** The operation that is preselected. */
	preselected: Operation;
	operations: readonly Operation[];
};

import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

/** A text among the fields of a node. */
export const notice = (
	name: string,
	displayName: string,
	displayOptions?: IDisplayOptions,
): INodeProperties => ({
	displayName,
	name,
	type: 'notice',
	default: '',
	...(displayOptions ? { displayOptions } : {}),
});

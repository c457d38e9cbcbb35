/** A text among the fields. */
import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

/** A text that the editor shows among the fields. */
export const notice = (
	name: string,
	displayName: string,
	displayOptions?: IDisplayOptions,
): INodeProperties => {
	const field: INodeProperties = { displayName, name, type: 'notice', default: '' };
	return displayOptions ? { ...field, displayOptions } : field;
};

import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';

/** The name of each parameter as the editor shows it. */
export type Labels = ReadonlyMap<string, string>;

type Option = INodePropertyOptions | INodeProperties | INodePropertyCollection;

const isProperty = (option: Option): option is INodeProperties =>
	'displayName' in option && 'type' in option;

const isCollection = (option: Option): option is INodePropertyCollection => 'values' in option;

/** The labels of parameters and of the fields in them; of two with the same name, that of the first. */
export function labelsOf(properties: readonly INodeProperties[]): Labels {
	const labels = new Map<string, string>();
	const add = (property: INodeProperties): void => {
		if (!labels.has(property.name)) labels.set(property.name, property.displayName);
		for (const option of property.options ?? []) {
			if (isCollection(option)) option.values.forEach(add);
			else if (isProperty(option)) add(option);
		}
	};
	properties.forEach(add);
	return labels;
}

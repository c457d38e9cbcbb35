/** The names of parameters that the editor shows. */
import type { INodeProperties } from 'n8n-workflow';

/** The name of each parameter as the editor shows it, by the name that workflows store. */
export type Labels = ReadonlyMap<string, string>;

/** The labels of parameters and of the fields in them. If two have the same name, the label of the first one counts. */
export function labelsOf(properties: readonly INodeProperties[]): Labels {
	const labels = new Map<string, string>();
	const add = (property: INodeProperties): void => {
		if (!labels.has(property.name)) labels.set(property.name, property.displayName);
		for (const option of property.options ?? []) {
			if ('values' in option) option.values.forEach(add);
			else if ('type' in option) add(option);
		}
	};
	properties.forEach(add);
	return labels;
}

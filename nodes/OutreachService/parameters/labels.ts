/** The names of parameters that the editor shows. */
import type { INodeProperties } from 'n8n-workflow';

/**
 * The label of a parameter, or of a field in one, by the name that workflows store; undefined if there is none of that name.
 * If two have the same name, the label of the first one counts.
 */
export function labelOf(name: string, properties: readonly INodeProperties[]): string | undefined {
	for (const property of properties) {
		if (property.name === name) return property.displayName;
		for (const option of property.options ?? []) {
			const label = labelOf(name, fieldsIn(option));
			if (label !== undefined) return label;
		}
	}
	return undefined;
}

type Option = NonNullable<INodeProperties['options']>[number];

/** The fields that the editor shows for an option: those of a group, or the option itself; none for a choice in a list. */
function fieldsIn(option: Option): readonly INodeProperties[] {
	if ('values' in option) return option.values;
	return 'type' in option ? [option] : [];
}

import type { Operation } from '../operation';
import { readParameter } from '../parameters';
import { schemaOutputSchema } from '../values';
import { readFields, readItems, readJsonSchema } from './readFields';

/** Fetches the definition of the People record (§4.4). */
export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get people schema',
	description: 'Get the current definition of the records in the People database',
	builderHint: {
		propertyHint:
			"Gives the definition of the records, not people. Use output: 'jsonSchema' to pass it to a Structured Output Parser or an Information Extractor; the format of 'raw' is up to the service.",
	},
	properties: [
		{
			displayName: 'Output',
			name: 'output',
			type: 'options',
			default: 'raw',
			options: [
				{
					name: 'Fields',
					value: 'fields',
					description: 'One item for each field, with path, type and whether it is a list',
				},
				{
					name: 'JSON Schema',
					value: 'jsonSchema',
					description:
						'One item: a JSON Schema (2020-12) of a record, for example for a Structured Output Parser',
				},
				{ name: 'Raw', value: 'raw', description: 'The definition as the service wrote it' },
			],
			description: 'What the items look like',
		},
	],
	async run(item) {
		const output = readParameter(item, 'output', schemaOutputSchema);
		const schema = await item.client.getPeopleSchema();
		if (output === 'fields') return readFields(item, schema).map((field) => ({ ...field }));
		if (output === 'jsonSchema') return [readJsonSchema(item, schema)];
		return readItems(schema);
	},
};

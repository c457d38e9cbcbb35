/** The operation *Get* of the people schema. */
import type { IDataObject } from 'n8n-workflow';

import { oneOf } from '../../parameters/values';
import { isJsonObject } from '../../utils/json';
import type { Operation } from '../operation';
import { currentSchema } from './documentedFields';
import { toJsonSchema } from './schema';

/** The schema as items, which must be objects: an object, each object in a list, or `{ schema }` for any other list. */
function asItems(schema: object): IDataObject[] {
	const items: unknown[] = Array.isArray(schema) ? schema : [schema];
	return items.length > 0 && items.every(isJsonObject) ? items : [{ schema }];
}

/** Fetches the people schema (§4.4). */
export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get people schema',
	description: 'Retrieve the people schema: which fields the records in People have',
	builderHint: {
		propertyHint:
			"Gives the schema of the records, not people. Use output: 'jsonSchema' to pass it to a Structured Output Parser or an Information Extractor; the format of 'raw' is up to the service.",
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
					description: 'One item for each field, with its path, its type, and whether it is a list',
				},
				{
					name: 'JSON Schema',
					value: 'jsonSchema',
					description:
						'One item: a JSON Schema 2020-12 of a record, for example for a Structured Output Parser',
				},
				{ name: 'Raw', value: 'raw', description: 'The schema as the service sent it' },
			],
			description: 'What the items look like',
		},
	],
	async run(item) {
		const output = item.parameters.read(
			'output',
			oneOf(['raw', 'fields', 'jsonSchema']).default('raw'),
		);
		if (output === 'raw') return asItems(await item.client.getPeopleSchema());
		const { schema, fields } = await currentSchema(item);
		return output === 'fields' ? fields : [toJsonSchema(schema)];
	},
};

/** The operation *Get* of the people schema. */
import type { IDataObject } from 'n8n-workflow';

import { oneOf } from '../../parameters/values';
import { isJsonObject } from '../../utils/json';
import type { Operation } from '../operation';
import { parseCurrentSchema } from './documentedFields';
import { fieldsOf, toJsonSchema } from './schema';

/**
 * The maximum number of elements of a list that describes a record. A longer one describes none, and n8n would store an item
 * for each of its elements (D94).
 */
const MAX_DESCRIBED_FIELDS = 10_000;

/**
 * The schema as items, which must be objects. An object becomes an item, and so does each object in a list. Any other
 * list is wrapped: `{ schema: […] }`.
 */
function asItems(schema: object): IDataObject[] {
	const items: unknown[] = Array.isArray(schema) ? schema : [schema];
	return items.length > 0 && items.length <= MAX_DESCRIBED_FIELDS && items.every(isJsonObject)
		? items
		: [{ schema }];
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
		const schema = await item.client.getPeopleSchema();
		if (output === 'fields') return fieldsOf(parseCurrentSchema(schema));
		if (output === 'jsonSchema') return [toJsonSchema(parseCurrentSchema(schema))];
		// All input items share the fetched schema: the copy keeps a later change of one output item out of the others.
		return asItems(structuredClone(schema));
	},
};

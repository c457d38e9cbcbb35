import type { IDataObject } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { isJsonObject } from '../../model/schemas';
import { choice, readParameter, type Item, type Operation } from '../operation';
import { fieldsOf, parseSchema, toJsonSchema, TOO_LARGE, type JsonSchema } from './schema';

const SEE_RAW = "Use the operation Get with the output 'Raw' to see what the service sends.";

/**
 * Reads the service's definition (§4.4, D9).
 * @throws NodeOperationError that points to the raw output
 */
export function readSchema({ ctx, index }: Item, given: object): JsonSchema {
	const schema = parseSchema(given);
	if (schema !== undefined && schema !== TOO_LARGE) return schema;
	const { message, description } =
		schema === TOO_LARGE
			? {
					message: 'The people schema is too large',
					description: `It has more than 50,000 definitions once its references are written out, or more than 50 levels. ${SEE_RAW}`,
				}
			: {
					message: 'The people schema has an unknown format',
					description: `The service describes its fields in a way that this node cannot read. ${SEE_RAW}`,
				};
	throw new NodeOperationError(ctx.getNode(), message, { itemIndex: index, description });
}

/** The definition as items, which must be objects: a list of objects becomes items, anything else is wrapped. */
function asItems(schema: object): IDataObject[] {
	const items: unknown[] = Array.isArray(schema) ? schema : [schema];
	return items.length > 0 && items.every(isJsonObject) ? items : [{ schema }];
}

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
		const output = readParameter(
			item,
			'output',
			choice(['raw', 'fields', 'jsonSchema']).default('raw'),
		);
		const schema = await item.client.getPeopleSchema();
		if (output === 'fields') return fieldsOf(readSchema(item, schema));
		if (output === 'jsonSchema') return [toJsonSchema(readSchema(item, schema))];
		return asItems(schema);
	},
};

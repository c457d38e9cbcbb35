import { NodeOperationError } from 'n8n-workflow';

import type { Item } from '../operation';
import { toJsonSchema, type JsonSchema } from './jsonSchema';
import { readSchemaFields, type SchemaField } from './schemaFields';

/**
 * Reads the service's definition as a list of fields (§4.4, D9).
 * @throws NodeOperationError that points to the raw output
 */
export function readFields(item: Item, schema: unknown): SchemaField[] {
	const fields = readSchemaFields(schema);
	if (fields) return fields;
	throw unknownFormatError(item);
}

/**
 * Reads the service's definition as a JSON Schema (§4.4, D9).
 * @throws NodeOperationError that points to the raw output
 */
export function readJsonSchema(item: Item, schema: unknown): JsonSchema {
	const jsonSchema = toJsonSchema(schema);
	if (jsonSchema) return jsonSchema;
	throw unknownFormatError(item);
}

const unknownFormatError = ({ ctx, index }: Item): NodeOperationError =>
	new NodeOperationError(ctx.getNode(), 'The people schema has an unknown format', {
		itemIndex: index,
		description:
			"The service describes its fields in a way that this node cannot read. Use the operation Get with the output 'Raw' to see what it sends.",
	});

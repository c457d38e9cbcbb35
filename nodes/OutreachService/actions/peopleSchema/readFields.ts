import { NodeOperationError, type IDataObject } from 'n8n-workflow';
import { z } from 'zod';

import { jsonObjectSchema } from '../../model/schemas';
import type { Item } from '../operation';
import type { JsonSchema } from './definition';
import { toJsonSchema } from './jsonSchema';
import { readSchemaFields, type SchemaField } from './schemaFields';

const itemsSchema = z.array(jsonObjectSchema).min(1);

const itemSchema = z.object({ json: jsonObjectSchema });

/** What items hold: an expression such as `$('Get people schema').all()` returns the items themselves. */
export function withoutItems(given: unknown): unknown {
	const one = itemSchema.safeParse(given);
	if (one.success) return one.data.json;
	const all = z.array(itemSchema).min(1).safeParse(given);
	return all.success ? all.data.map(({ json }) => json) : given;
}

/** The service's definition as items, which must be objects: a list of objects becomes items, anything else is wrapped. */
export function readItems(schema: object): IDataObject[] {
	const items = itemsSchema.safeParse(Array.isArray(schema) ? schema : [schema]);
	return items.success ? items.data : [{ schema }];
}

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

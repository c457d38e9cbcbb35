/** The two views of a schema, as the operations use them; undefined for what is no schema, or is too large. */
import {
	fieldsOf,
	parseSchema,
	toJsonSchema as write,
	TOO_LARGE,
	type JsonSchema,
	type SchemaField,
} from '../../../../nodes/OutreachService/actions/peopleSchema/schema';

function treeOf(given: unknown): JsonSchema | undefined {
	const tree = parseSchema(given);
	return tree === TOO_LARGE ? undefined : tree;
}

export function readSchemaFields(given: unknown): SchemaField[] | undefined {
	const tree = treeOf(given);
	return tree && fieldsOf(tree);
}

export function toJsonSchema(given: unknown): JsonSchema | undefined {
	const tree = treeOf(given);
	return tree && write(tree);
}

import type { IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { readSchemaFields, type SchemaField } from './schemaFields';

/**
 * Reads the service's answer as a list of fields (§4.4, D9).
 * @throws NodeOperationError that points to the raw output
 */
export function readFields(
	ctx: IExecuteFunctions,
	answer: unknown,
	itemIndex: number,
): SchemaField[] {
	const fields = readSchemaFields(answer);
	if (fields) return fields;
	throw new NodeOperationError(ctx.getNode(), 'The people schema has an unknown form', {
		itemIndex,
		description:
			"The service describes its fields in a way that this node cannot read. Use the operation Get with the output 'Raw' to see what it sends.",
	});
}

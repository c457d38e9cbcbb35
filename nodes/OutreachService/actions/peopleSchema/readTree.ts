import { NodeOperationError } from 'n8n-workflow';

import type { Item } from '../operation';
import { parseSchema, TOO_LARGE, type JsonSchema } from './schema';

const SEE_RAW = "Use the operation Get with the output 'Raw' to see what the service sends.";

/**
 * Reads the service's definition (§4.4, D9).
 * @throws NodeOperationError that points to the raw output
 */
export function readTree({ ctx, index }: Item, schema: object): JsonSchema {
	const tree = parseSchema(schema);
	if (tree === TOO_LARGE) {
		throw new NodeOperationError(ctx.getNode(), 'The people schema is too large', {
			itemIndex: index,
			description: `It has more than 50,000 definitions once its references are written out, or more than 50 levels. ${SEE_RAW}`,
		});
	}
	if (tree) return tree;
	throw new NodeOperationError(ctx.getNode(), 'The people schema has an unknown format', {
		itemIndex: index,
		description: `The service describes its fields in a way that this node cannot read. ${SEE_RAW}`,
	});
}

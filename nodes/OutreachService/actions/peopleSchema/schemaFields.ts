import { z } from 'zod';

import { asNamedList, isRecord, type Json } from './notations';
import { resolve, shapeOf } from './shape';

/** A field of the People record: `experiences[].company_id` is `company_id` of each element of `experiences`. */
export type SchemaField = {
	path: string;
	/** `string`, `integer`, `number`, `boolean`, `object`, or `unknown` where the schema does not tell. */
	type: string;
	isArray: boolean;
};

const fieldListSchema = z
	.array(z.object({ path: z.string().min(1), type: z.string(), isArray: z.boolean() }))
	.min(1);

/** Keys under which services return a schema together with a version or a date. */
const ENVELOPES = ['schema', 'definition', 'fields', 'person', 'people', 'data', 'result'];

/** Bounds for a schema that refers to itself: levels of nesting, and fields in all. */
export const MAX_DEPTH = 8;
export const MAX_FIELDS = 5_000;

/** Collects the fields of a map of names, each followed by the fields in it. The first with a path keeps it. */
function collect(
	children: Json,
	root: unknown,
	prefix: string,
	depth: number,
	found: Map<string, SchemaField>,
): void {
	for (const [name, node] of Object.entries(children)) {
		if (found.size >= MAX_FIELDS) return;
		const { type, isArray, children: nested } = shapeOf(node, root);
		const path = `${prefix}${name}`;
		if (path === '' || found.has(path)) continue;
		found.set(path, { path, type, isArray });
		if (nested && depth < MAX_DEPTH) {
			collect(nested, root, `${path}${isArray ? '[]' : ''}.`, depth + 1, found);
		}
	}
}

/**
 * Where references start inside an envelope or a list: at the schema in it, as it was written, or at the
 * whole response, as JSON Reference has it.
 */
const rootWithin = (root: unknown, inner: Json): Json => ({
	...(isRecord(root) ? root : {}),
	...inner,
});

/** The fields of a record as they were written: by name, and where their references start. */
export type WrittenFields = { fields: Json; root: unknown; required?: unknown };

/** The map of field name to description, wherever it is. */
export function findFields(given: unknown, root = given, depth = 0): WrittenFields | undefined {
	const node = resolve(given, root);
	if (depth > MAX_DEPTH) return undefined;
	const unwrap = (inner: unknown) =>
		findFields(inner, isRecord(inner) ? rootWithin(root, inner) : root, depth + 1);
	if (Array.isArray(node)) {
		const fields = asNamedList(node);
		if (fields) return { fields, root };
		// A list of samples, or what n8n's output panel copies of a single item.
		return isRecord(node[0]) ? unwrap(node[0]) : undefined;
	}
	if (!isRecord(node)) return undefined;
	if (isRecord(node.properties)) {
		return { fields: node.properties, root, required: node.required };
	}
	if (node.type === 'array' && node.items !== undefined) {
		return findFields(node.items, root, depth + 1);
	}
	const envelope = ENVELOPES.find((key) => typeof node[key] === 'object' && node[key] !== null);
	const others = Object.entries(node).filter(([key]) => key !== envelope);
	if (envelope && others.every(([, value]) => typeof value !== 'object' || value === null)) {
		return unwrap(node[envelope]);
	}
	return { fields: node, root };
}

/** The list that {@link readSchemaFields} itself returned earlier, also as n8n's Aggregate node wraps it. */
export function asFieldList(given: unknown): SchemaField[] | undefined {
	const first: unknown = Array.isArray(given) ? given[0] : given;
	const wrapped = ENVELOPES.map((key) => (isRecord(first) ? first[key] : undefined));
	const ready = [given, ...wrapped]
		.map((list) => fieldListSchema.safeParse(list))
		.find(({ success }) => success);
	if (!ready?.data) return undefined;
	return [...new Map(ready.data.map((field) => [field.path, field])).values()];
}

/**
 * Reads the response to `GET /schema/people` (§4.4 shows no format) as a flat list of fields, sorted by path, each path
 * once. Understands JSON Schema, OpenAPI-like `properties`, a map of name to type, a list of
 * `{name, type}`, a sample record, and the list that this function itself returns; each also inside an envelope
 * such as `{schema, version}`.
 * @returns undefined for any other format
 */
export function readSchemaFields(given: unknown): SchemaField[] | undefined {
	const found = new Map<string, SchemaField>();
	const ready = asFieldList(given);
	const schema = ready ? undefined : findFields(given);
	if (schema) collect(schema.fields, schema.root, '', 0, found);
	const list = ready ?? [...found.values()];
	if (list.length === 0) return undefined;
	return list.sort((a, b) => a.path.localeCompare(b.path, 'en'));
}

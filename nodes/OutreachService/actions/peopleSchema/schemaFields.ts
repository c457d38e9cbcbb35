import { z } from 'zod';

import { asNamedList, isRecord, type Json } from './notations';
import { resolve, shapeOf } from './shape';

/** A field of the People record: `experiences[].company_id` is `company_id` of each element of `experiences`. */
export type SchemaField = {
	path: string;
	/** `string`, `integer`, `number`, `boolean`, `object`, or `unknown` where the schema does not say. */
	type: string;
	isArray: boolean;
};

const fieldListSchema = z
	.array(z.object({ path: z.string().min(1), type: z.string(), isArray: z.boolean() }))
	.min(1);

/** Keys under which services hand out a schema together with a version or a date. */
const ENVELOPES = ['schema', 'definition', 'fields', 'person', 'people', 'data', 'result'];

/** Bounds for a schema that refers to itself: levels of nesting, and fields in all. */
const MAX_DEPTH = 8;
const MAX_FIELDS = 5_000;

/** Collects the fields of a map of names, those inside them after them. The first to have a path keeps it. */
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
 * Where references start inside an envelope or a list: at the schema in it, for that is how it was written, or at the
 * whole answer, which is what JSON reference says.
 */
const rootWithin = (root: unknown, inner: Json): Json => ({
	...(isRecord(root) ? root : {}),
	...inner,
});

/** The map of field name to description, wherever in the answer it is, and where its references start. */
function findFields(
	answer: unknown,
	root: unknown,
	depth = 0,
): { fields: Json; root: unknown } | undefined {
	const node = resolve(answer, root);
	if (depth > MAX_DEPTH) return undefined;
	const unwrap = (inner: unknown) =>
		findFields(inner, isRecord(inner) ? rootWithin(root, inner) : root, depth + 1);
	if (Array.isArray(node)) {
		const fields = asNamedList(node);
		if (fields) return { fields, root };
		// A list of one: a sample among others, or what n8n's output panel copies of a single item.
		return isRecord(node[0]) ? unwrap(node[0]) : undefined;
	}
	if (!isRecord(node)) return undefined;
	if (isRecord(node.properties)) return { fields: node.properties, root };
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
function asFieldList(answer: unknown): SchemaField[] | undefined {
	const first: unknown = Array.isArray(answer) ? answer[0] : answer;
	const wrapped = ENVELOPES.map((key) => (isRecord(first) ? first[key] : undefined));
	const ready = [answer, ...wrapped]
		.map((list) => fieldListSchema.safeParse(list))
		.find(({ success }) => success);
	if (!ready?.data) return undefined;
	return [...new Map(ready.data.map((field) => [field.path, field])).values()];
}

/**
 * Reads whatever `GET /schema/people` answers (§4.4 shows no shape) as a flat list of fields, sorted by path; no
 * path comes twice. Understands JSON Schema, OpenAPI-like `properties`, a map of name to type, a list of
 * `{name, type}`, a sample record, and the list that this function itself returns; each also inside an envelope
 * such as `{schema, version}`.
 * @returns undefined when the answer is none of these
 */
export function readSchemaFields(answer: unknown): SchemaField[] | undefined {
	const found = new Map<string, SchemaField>();
	const ready = asFieldList(answer);
	const schema = ready ? undefined : findFields(answer, answer);
	if (schema) collect(schema.fields, schema.root, '', 0, found);
	const list = ready ?? [...found.values()];
	if (list.length === 0) return undefined;
	return list.sort((a, b) => a.path.localeCompare(b.path, 'en'));
}

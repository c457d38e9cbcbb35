/** What services wrap a schema in: lists, and objects such as `{schema, version}`. */
import { isJsonObject } from '../../utils/json';

export type Json = Record<string, unknown>;

/** How deep values may be in each other. Reading is recursive: this keeps it from overflowing the stack. */
export const MAX_DEPTH = 100;

/** The keys under which services return a schema together with a version or a date. */
const ENVELOPES = [
	'schema',
	'definition',
	'fields',
	'mappings',
	'person',
	'people',
	'data',
	'result',
	'results',
];

/** What stands beside them and says nothing about the record. */
const BESIDE_ENVELOPES = ['meta', 'metadata', 'links', 'pagination', 'paging'];

const COMBINED = ['anyOf', 'oneOf', 'allOf'];

export const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;

/** Whether an object is a definition of fields, or of a choice, whatever else is in it. */
export const hasFields = (node: Json): boolean =>
	isJsonObject(node.properties) || COMBINED.some((key) => Array.isArray(node[key]));

/** What is in a list or an envelope; undefined for the schema itself. */
export function contentOf(node: unknown): unknown {
	if (Array.isArray(node)) return node[0];
	if (!isJsonObject(node) || hasFields(node)) return undefined;
	if (node.type === 'array' && node.items !== undefined) return node.items;
	const envelope = ENVELOPES.find((key) => !isScalar(node[key]));
	if (envelope === undefined) return mappingIn(node);
	const isAlone = Object.keys(node).every(
		(key) => key === envelope || BESIDE_ENVELOPES.includes(key) || isScalar(node[key]),
	);
	return isAlone ? node[envelope] : undefined;
}

/** The mapping of a search index, which is under the name of the index: `{people: {mappings: {properties}}}`. */
function mappingIn(node: Json): unknown {
	const [index, ...others] = Object.values(node);
	return others.length === 0 && isJsonObject(index) && isJsonObject(index.mappings)
		? index.mappings
		: undefined;
}

/** What is in all lists and envelopes. */
export function innermostOf(node: unknown, depth = 0): unknown {
	const content = depth < MAX_DEPTH ? contentOf(node) : undefined;
	return content === undefined ? node : innermostOf(content, depth + 1);
}

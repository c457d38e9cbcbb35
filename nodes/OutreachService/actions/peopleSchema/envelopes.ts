/** What services wrap a schema in: lists, and objects such as `{schema, version}`. */
import { isJsonObject } from '../../utils/json';

/** A JSON object. */
export type Json = Record<string, unknown>;

/** The maximum number of levels of a schema. Reading is recursive: more levels could overflow the stack. */
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

/** The keys that may stand beside an envelope's, and say nothing about the record. */
const BESIDE_ENVELOPES = ['meta', 'metadata', 'links', 'pagination', 'paging'];

/** The keywords of JSON Schema that combine definitions. */
const COMBINED = ['anyOf', 'oneOf', 'allOf'];

/** Whether a value is neither an object nor a list. */
export const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;

/** Whether an object defines fields, or combines definitions, whatever else is in it. */
export const hasFields = (node: Json): boolean =>
	isJsonObject(node.properties) || COMBINED.some((key) => Array.isArray(node[key]));

/** The first element of a list, or what is inside an envelope; undefined for the schema itself. */
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

/** What is inside all lists and envelopes: the schema itself. */
export function innermostOf(node: unknown, depth = 0): unknown {
	const content = depth < MAX_DEPTH ? contentOf(node) : undefined;
	return content === undefined ? node : innermostOf(content, depth + 1);
}

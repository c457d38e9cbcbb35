/**
 * The definition of the People record (§4.4 shows no format): whatever notation the service uses, it is read once into a
 * tree, of which the fields, the JSON Schema and the differences are views.
 */
import { RequestError, type ErrorText } from '../../api/errors';
import { isJsonObject } from '../../utils/json';

/** A definition in JSON Schema 2020-12; an empty one allows any value. */
export type JsonSchema = {
	$schema?: string;
	title?: string;
	type?: string | string[] | undefined;
	description?: string;
	properties?: Record<string, JsonSchema>;
	required?: string[];
	items?: JsonSchema;
	enum?: unknown[];
	anyOf?: JsonSchema[];
};

/** A field of the People record: `experiences[].company_id` is `company_id` of each element of `experiences`. */
export type SchemaField = {
	path: string;
	/** `string`, `integer`, `number`, `boolean`, `object`, or `unknown` where the schema does not tell. */
	type: string;
	isArray: boolean;
};

/**
 * How long a schema may be, in characters, once its references are written out and each value has its path before it, and
 * counts 20 more: far longer than any real one, and short enough to be read at once.
 */
const MAX_LENGTH = 2_000_000;

/** How deep values may be in each other. Reading is recursive: this keeps it from overflowing the stack. */
const MAX_DEPTH = 100;

/** How often a definition is written out inside itself. */
const MAX_REPEATS = 2;

/** The elements of a list in a sample that are looked at. */
const MAX_ELEMENTS = 20;

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

const SEE_RAW = "Use the operation Get with the output 'Raw' to see what the service sends.";

/** Said of a schema that would take too long to read, or too much memory. */
export const TOO_LARGE: ErrorText = {
	message: 'The people schema is too large',
	description: `It has more than 2 million characters once its references are written out, or more than 100 levels. ${SEE_RAW}`,
};

/** Said of what is no definition of the People record. */
export const UNKNOWN_FORMAT: ErrorText = {
	message: 'The people schema has an unknown format',
	description: `The service describes its fields in a way that this node cannot read. ${SEE_RAW}`,
};

type Json = Record<string, unknown>;

const named = (names: string, schema: JsonSchema): Array<[string, JsonSchema]> =>
	names.split(' ').map((name) => [name, schema]);

/** What the name of a type means; null alone is no type here. */
const TYPES: ReadonlyMap<string, JsonSchema> = new Map([
	...named('string text keyword date datetime date-time uri', { type: 'string' }),
	...named('integer int long short byte', { type: 'integer' }),
	...named('number float double half_float scaled_float', { type: 'number' }),
	...named('boolean bool', { type: 'boolean' }),
	...named('object', { type: 'object' }),
	...named('array', { type: 'array', items: {} }),
	...named('null unknown any', {}),
]);

const COMBINED = ['anyOf', 'oneOf', 'allOf'];

const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;

const listIn = (...values: unknown[]): unknown[] => values.find(Array.isArray) ?? [];

/** Without null: what may be null has the type that it has otherwise. Any integer is a number, too. */
function typesOf(...schemas: JsonSchema[]): string[] {
	const types = new Set(schemas.flatMap(({ type = [] }) => type));
	types.delete('null');
	if (types.has('number')) types.delete('integer');
	return [...types];
}

const isSame = (one: JsonSchema, other: JsonSchema): boolean =>
	JSON.stringify(one) === JSON.stringify(other);

/** Whether an object is a definition of fields, or of a choice, whatever else is in it. */
const hasFields = (node: Json): boolean =>
	isJsonObject(node.properties) || COMBINED.some((key) => Array.isArray(node[key]));

/** What is in a list or an envelope; undefined for the schema itself. */
function contentOf(node: unknown): unknown {
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
function innermost(node: unknown, depth = 0): unknown {
	const content = depth < MAX_DEPTH ? contentOf(node) : undefined;
	return content === undefined ? node : innermost(content, depth + 1);
}

/** What stands beside a reference, and is no part of the definition. */
const BESIDE_REFERENCE: ReadonlySet<string> = new Set([
	'$ref',
	'$schema',
	'$id',
	'$comment',
	'$defs',
	'definitions',
	'components',
	'title',
]);

/**
 * A copy with all local references (`#/definitions/Experience`, `#`) written out: a tree that is small enough to be read
 * in any way. References start at the schema, or at the whole response, as JSON Reference has it. Others, and what a
 * definition repeats of itself, are left open.
 * @throws RequestError when it is too large
 */
function writtenOut(given: unknown): unknown {
	const roots = [innermost(given), given];
	const open = new Map<object, number>();
	let left = MAX_LENGTH;

	const target = (reference: string): unknown => {
		const [start, ...keys] = reference.split('/');
		if (start !== '#') return undefined;
		const found = roots.map((root) =>
			keys.reduce<unknown>(
				(at, key) => (isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined),
				root,
			),
		);
		return found.find((node) => node !== undefined);
	};

	/** @param path the length of the keys that lead to the value */
	const write = (node: unknown, depth: number, path: number): unknown => {
		const reference = isJsonObject(node) && typeof node.$ref === 'string' ? node.$ref : undefined;
		const text = reference ?? node;
		left -= 20 + path + (typeof text === 'string' ? text.length : 0);
		if (left < 0 || depth > MAX_DEPTH) throw new RequestError('unparsable', TOO_LARGE);
		const inside = (value: unknown, key = ''): unknown =>
			write(value, depth + 1, path + key.length + 1);
		if (Array.isArray(node)) return node.map((element) => inside(element));
		if (!isJsonObject(node)) return node;
		const repeats = open.get(node) ?? 0;
		if (repeats >= MAX_REPEATS) return 'properties' in node ? { type: 'object' } : {};
		open.set(node, repeats + 1);
		// Not Object.entries(), which takes seconds for millions of fields.
		const own = Object.keys(node).filter(
			(key) => reference === undefined || !BESIDE_REFERENCE.has(key),
		);
		const copy: Json = Object.fromEntries(own.map((key) => [key, inside(node[key], key)]));
		const referred = reference === undefined ? undefined : inside(target(reference));
		open.set(node, repeats);
		if (referred === undefined) return copy;
		// What stands beside a reference counts as well.
		return own.length === 0 ? referred : { allOf: [copy, referred] };
	};
	return write(given, 0, 0);
}

/** What `string`, `string[]` and `array<string>` name; undefined for anything else. */
function namedType(text: unknown): JsonSchema | undefined {
	// Longer than any name: searching a long text takes time.
	if (typeof text !== 'string' || text.length > 100) return undefined;
	const name = text.trim().toLowerCase();
	const [, inBrackets, beforeBrackets] = /^(?:array<(.+)>|(.+)\[\])$/.exec(name) ?? [];
	const items = namedType(inBrackets ?? beforeBrackets);
	if (items) return { type: 'array', items };
	// A copy: items of executions hold it, and whatever changes one of them must not change this.
	return structuredClone(TYPES.get(name));
}

/** A field of a record can be called `type` too, so `type` alone counts only when it names a type. */
function isDefinition(node: Json): boolean {
	const types: unknown[] = [node.type].flat();
	return (
		hasFields(node) ||
		node.items !== undefined ||
		(types.length > 0 && types.every((type) => namedType(type) !== undefined))
	);
}

/**
 * The fields of a definition: a map of names to definitions, or `[{name, type}]` as such a map, also with `path` and
 * `isArray` as Get writes it; undefined for a list of anything else, such as samples.
 */
function fieldsIn(given: unknown): Json | undefined {
	if (!Array.isArray(given)) return isJsonObject(given) ? given : undefined;
	const entries = given.flatMap((entry: unknown): Array<[string, Json]> => {
		if (!isJsonObject(entry)) return [];
		const { path, name = path, type, isArray } = entry;
		if (typeof name !== 'string' || name === '' || type === undefined) return [];
		return [[name, isArray === true ? { type: 'array', items: entry } : entry]];
	});
	// Of people with a name and a type, some may have a type that is called like that of a field.
	const count = entries.filter(([, definition]) => isDefinition(definition)).length;
	const isNamed = entries.length === given.length && count * 2 > given.length;
	return isNamed ? Object.fromEntries(entries) : undefined;
}

/** A definition that allows the same, or null. */
function nullable(schema: JsonSchema): JsonSchema {
	const { type, anyOf, enum: values } = schema;
	if (type !== undefined && [type].flat().includes('null')) return schema;
	return {
		...schema,
		...(type === undefined ? {} : { type: [...[type].flat(), 'null'] }),
		...(anyOf ? { anyOf: [...anyOf, { type: 'null' }] } : {}),
		...(values ? { enum: [...new Set([...values, null])] } : {}),
	};
}

/** A definition that allows what either of two allows: the elements of a sample may differ. A mixture may be anything. */
function common(one: JsonSchema, other: JsonSchema): JsonSchema {
	// Not of records and lists, which are compared field by field below.
	if (!one.properties && !one.items && isSame(one, other)) return one;
	const [type, ...others] = typesOf(one, other);
	if (type === undefined || others.length > 0 || !one.type || !other.type) return {};
	const fields = new Map(Object.entries(one.properties ?? {}));
	for (const [name, schema] of Object.entries(other.properties ?? {})) {
		const same = fields.get(name);
		fields.set(name, same ? common(same, schema) : schema);
	}
	const hasBoth = one.properties && other.properties;
	const both: JsonSchema = {
		type,
		...(hasBoth ? { properties: Object.fromEntries(fields) } : {}),
		...(one.items && other.items ? { items: common(one.items, other.items) } : {}),
	};
	return [one, other].some((schema) => [schema.type].flat().includes('null'))
		? nullable(both)
		: both;
}

/** @param isDeclared whether what is read is a definition; in a sample, an object is a record, or names a type */
function read(node: unknown, isDeclared: boolean): JsonSchema {
	if (typeof node === 'string') return namedType(node) ?? (isDeclared ? {} : { type: 'string' });
	if (typeof node === 'number') return { type: Number.isInteger(node) ? 'integer' : 'number' };
	// As a definition, true and false say nothing about the type.
	if (typeof node === 'boolean') return isDeclared ? {} : { type: 'boolean' };
	if (Array.isArray(node)) return list(node, isDeclared);
	if (!isJsonObject(node) || Object.keys(node).length === 0) return {};
	return isDeclared || isDefinition(node) ? definition(node) : object(node, false);
}

/** A list in a sample, or `[definition]`. Of a list with null in it, the other elements say what it holds. */
function list(given: unknown[], isDeclared: boolean): JsonSchema {
	const named = fieldsIn(given);
	if (named) return { type: 'array', items: object(named, true) };
	const elements = given.slice(0, MAX_ELEMENTS);
	const [first = {}, ...others] = elements
		.filter((element) => element !== null)
		.map((element) => read(element, isDeclared));
	const items = others.reduce(common, first);
	return { type: 'array', items: elements.includes(null) ? nullable(items) : items };
}

function object(fields: Json, isDeclared: boolean, required?: unknown): JsonSchema {
	const properties = Object.fromEntries(
		Object.entries(fields).map(([name, node]) => [name, read(node, isDeclared)]),
	);
	const names = new Set(listIn(required));
	const needed = Object.keys(properties).filter((name) => names.has(name));
	return { type: 'object', properties, ...(needed.length > 0 ? { required: needed } : {}) };
}

/** JSON Schema and OpenAPI, without what a validator of JSON Schema 2020-12 could stumble over. */
function definition(node: Json): JsonSchema {
	// So the mapping of a search index calls a list of objects.
	if (node.type === 'nested') {
		return { type: 'array', items: definition({ ...node, type: 'object' }) };
	}
	const description = typeof node.description === 'string' ? node.description.trim() : '';
	const values = [...new Set(listIn(node.enum).filter(isScalar))];
	const schema: JsonSchema = {
		...(description === '' ? {} : { description }),
		...typed(node),
		...(values.length > 0 ? { enum: values } : {}),
	};
	const variants = listIn(node.anyOf, node.oneOf).map((one) => isJsonObject(one) && one.type);
	const types = [...listIn(node.type), ...variants];
	const isNullable = types.includes('null') && types.some((type) => type !== 'null');
	return isNullable || node.nullable === true ? nullable(schema) : schema;
}

function typed(node: Json): JsonSchema {
	const { type, items } = node;
	const fields = fieldsIn(node.properties) ?? fieldsIn(node.fields);
	const { allOf, ...own } = node;
	if (Array.isArray(allOf)) return together([own, allOf].flat());
	const variants = [node.anyOf, node.oneOf].find(Array.isArray);
	if (variants && type === undefined && fields === undefined) return choice(variants);
	const named = [type].flat().flatMap((name) => namedType(name) ?? []);
	const given = typesOf(...named);
	const isOtherwiseList = items !== undefined && !given.includes('array');
	const types = isOtherwiseList ? ['array'] : given.length === 0 && fields ? ['object'] : given;
	// Several definitions of what is in a list are those of a tuple, one for each element.
	const element = Array.isArray(items) ? list(items, true).items : read(items, true);
	const elements = items === undefined ? named.find((one) => one.items)?.items : element;
	return {
		...(types.includes('object') && fields ? object(fields, true, node.required) : {}),
		...(types.includes('array') ? { items: elements ?? {} } : {}),
		...(types.length === 0 ? {} : { type: types.length === 1 ? types[0] : types }),
	};
}

function choice(variants: unknown[]): JsonSchema {
	const all = variants
		.filter((variant) => !isJsonObject(variant) || variant.type !== 'null')
		.map((variant) => read(variant, true));
	const [first = {}] = all;
	return all.every((one) => isSame(one, first)) ? first : { anyOf: all };
}

/** All parts together; where two differ, the first is kept: each of them alone allows more than all together. */
function together(parts: unknown[]): JsonSchema {
	const last = parts
		.filter(isJsonObject)
		.map((part) => read(part, true))
		.reverse();
	const fields = new Map(last.flatMap(({ properties = {} }) => Object.entries(properties)));
	const required = [...new Set(last.flatMap((part) => part.required ?? []))];
	return {
		...last.reduce<JsonSchema>((all, part) => ({ ...all, ...part }), {}),
		...(fields.size > 0 ? { properties: Object.fromEntries(fields) } : {}),
		...(required.length > 0 ? { required } : {}),
	};
}

/**
 * The record, wherever it is: inside envelopes and lists, or described by several samples. Without properties for any other
 * format.
 */
function record(node: unknown): JsonSchema {
	if (Array.isArray(node)) {
		const named = fieldsIn(node);
		if (named) return object(named, true);
		const [first = {}, ...others] = node
			.slice(0, MAX_ELEMENTS)
			.map(record)
			.filter(({ properties }) => Object.keys(properties ?? {}).length > 0);
		return others.reduce(common, first);
	}
	if (!isJsonObject(node)) return {};
	if (hasFields(node)) return definition(node);
	const content = contentOf(node);
	if (content !== undefined) return record(content);
	// A map of definitions, rather than a sample.
	const fields = Object.values(node);
	return object(node, fields.every(isJsonObject) && fields.some(isDefinition));
}

/**
 * Reads the response to `GET /schema/people` (§4.4, D9). Understands JSON Schema, OpenAPI-like `properties`, a map of name
 * to type, a list of `{name, type}` and sample records; each also inside an envelope such as `{schema, version}`; and what
 * Get makes of them. What a notation leaves open, such as the type of a null in a sample, may be anything.
 * @throws RequestError for any other format, and for what is {@link TOO_LARGE}
 */
export function parseSchema(given: unknown): JsonSchema {
	const tree = record(writtenOut(given));
	if (Object.keys(tree.properties ?? {}).some((name) => name !== '')) return tree;
	throw new RequestError('unparsable', UNKNOWN_FORMAT);
}

/** The fields of a record, sorted by path, each path once. */
export function fieldsOf(tree: JsonSchema): SchemaField[] {
	const found = new Map<string, SchemaField>();
	const collect = (properties: Record<string, JsonSchema>, prefix: string): void => {
		for (const [name, schema] of Object.entries(properties)) {
			const path = `${prefix}${name}`;
			if (path === '' || found.has(path)) continue;
			let element = schema;
			while (typesOf(element).join() === 'array') element = element.items ?? {};
			const isArray = element !== schema;
			const [type = 'unknown', ...others] = typesOf(element);
			found.set(path, { path, type: others.length > 0 ? 'unknown' : type, isArray });
			if (others.length > 0) continue;
			collect(element.properties ?? {}, `${path}${isArray ? '[]' : ''}.`);
		}
	};
	collect(tree.properties ?? {}, '');
	// By code units: collation would take seconds for a long list.
	return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** A record as a JSON Schema 2020-12. */
export const toJsonSchema = (tree: JsonSchema): JsonSchema => ({
	$schema: 'https://json-schema.org/draft/2020-12/schema',
	title: 'People record',
	...tree,
});

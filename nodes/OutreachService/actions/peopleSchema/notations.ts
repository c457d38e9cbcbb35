/**
 * The notations in which a service may describe the People record: JSON Schema, OpenAPI-like `properties`, a map of name to
 * type, a list of `{name, type}`, and sample records.
 */
import { RequestError } from '../../api/errors';
import { isJsonObject } from '../../utils/json';
import { contentOf, hasFields, isScalar, type Json } from './envelopes';
import { UNKNOWN_FORMAT } from './failures';
import { resolveReferences } from './references';
import { typesOf, type JsonSchema } from './schema';

/**
 * Reads the response to `GET /schema/people` (§4.4, D9). Understands JSON Schema, OpenAPI-like `properties`, a map of name
 * to type, a list of `{name, type}` and sample records; each also inside an envelope such as `{schema, version}`; and what
 * Get makes of them. What a notation leaves open, such as the type of a null in a sample, may be anything.
 * @throws RequestError for any other format, and for what is {@link TOO_LARGE}
 */
export function parseSchema(given: unknown): JsonSchema {
	const tree = readRecord(resolveReferences(given));
	if (Object.keys(tree.properties ?? {}).some((name) => name !== '')) return tree;
	throw new RequestError('unparsable', UNKNOWN_FORMAT);
}

/** The elements of a list in a sample that are looked at. */
const MAX_ELEMENTS = 20;

/** What each name of a type means; null alone is no type here. */
const NAMES_OF_TYPES: ReadonlyArray<[names: string[], meaning: JsonSchema]> = [
	[['string', 'text', 'keyword', 'date', 'datetime', 'date-time', 'uri'], { type: 'string' }],
	[['integer', 'int', 'long', 'short', 'byte'], { type: 'integer' }],
	[['number', 'float', 'double', 'half_float', 'scaled_float'], { type: 'number' }],
	[['boolean', 'bool'], { type: 'boolean' }],
	[['object'], { type: 'object' }],
	[['array'], { type: 'array', items: {} }],
	[['null', 'unknown', 'any'], {}],
];

const TYPES: ReadonlyMap<string, JsonSchema> = new Map(
	NAMES_OF_TYPES.flatMap(([names, meaning]) =>
		names.map((name): [string, JsonSchema] => [name, meaning]),
	),
);

const firstList = (...values: unknown[]): unknown[] => values.find(Array.isArray) ?? [];

const isSame = (one: JsonSchema, other: JsonSchema): boolean =>
	JSON.stringify(one) === JSON.stringify(other);

/**
 * The record, wherever it is: inside envelopes and lists, or described by several samples. Without properties for any other
 * format.
 */
function readRecord(node: unknown): JsonSchema {
	if (Array.isArray(node)) {
		const named = fieldsIn(node);
		if (named) return readFields(named, true);
		const [first = {}, ...others] = node
			.slice(0, MAX_ELEMENTS)
			.map(readRecord)
			.filter(({ properties }) => Object.keys(properties ?? {}).length > 0);
		return others.reduce(unionOf, first);
	}
	if (!isJsonObject(node)) return {};
	if (hasFields(node)) return readDefinition(node);
	const content = contentOf(node);
	if (content !== undefined) return readRecord(content);
	// A map of definitions, rather than a sample.
	const fields = Object.values(node);
	return readFields(node, fields.every(isJsonObject) && fields.some(isDefinition));
}

/** @param isDeclared whether what is read is a definition; in a sample, an object is a record, or names a type */
function readNode(node: unknown, isDeclared: boolean): JsonSchema {
	if (typeof node === 'string') return namedType(node) ?? (isDeclared ? {} : { type: 'string' });
	if (typeof node === 'number') return { type: Number.isInteger(node) ? 'integer' : 'number' };
	// As a definition, true and false say nothing about the type.
	if (typeof node === 'boolean') return isDeclared ? {} : { type: 'boolean' };
	if (Array.isArray(node)) return readList(node, isDeclared);
	if (!isJsonObject(node) || Object.keys(node).length === 0) return {};
	return isDeclared || isDefinition(node) ? readDefinition(node) : readFields(node, false);
}

/** A list in a sample, or `[definition]`. Of a list with null in it, the other elements say what it holds. */
function readList(given: unknown[], isDeclared: boolean): JsonSchema {
	const named = fieldsIn(given);
	if (named) return { type: 'array', items: readFields(named, true) };
	const elements = given.slice(0, MAX_ELEMENTS);
	const [first = {}, ...others] = elements
		.filter((element) => element !== null)
		.map((element) => readNode(element, isDeclared));
	const items = others.reduce(unionOf, first);
	return { type: 'array', items: elements.includes(null) ? orNull(items) : items };
}

function readFields(fields: Json, isDeclared: boolean, required?: unknown): JsonSchema {
	const properties = Object.fromEntries(
		Object.entries(fields).map(([name, node]) => [name, readNode(node, isDeclared)]),
	);
	const names = new Set(firstList(required));
	const needed = Object.keys(properties).filter((name) => names.has(name));
	const schema: JsonSchema = { type: 'object', properties };
	if (needed.length > 0) schema.required = needed;
	return schema;
}

/** JSON Schema and OpenAPI, without what a validator of JSON Schema 2020-12 could stumble over. */
function readDefinition(node: Json): JsonSchema {
	// So the mapping of a search index calls a list of objects.
	if (node.type === 'nested') {
		return { type: 'array', items: readDefinition({ ...node, type: 'object' }) };
	}
	const description = typeof node.description === 'string' ? node.description.trim() : '';
	const values = [...new Set(firstList(node.enum).filter(isScalar))];
	const schema: JsonSchema = {};
	if (description !== '') schema.description = description;
	Object.assign(schema, readTypes(node));
	if (values.length > 0) schema.enum = values;
	const variants = firstList(node.anyOf, node.oneOf).map((one) => isJsonObject(one) && one.type);
	const types = [...firstList(node.type), ...variants];
	const isNullable = types.includes('null') && types.some((type) => type !== 'null');
	return isNullable || node.nullable === true ? orNull(schema) : schema;
}

/** What a definition says of its type, its fields and what is in its list. */
function readTypes(node: Json): JsonSchema {
	const { allOf, ...own } = node;
	if (Array.isArray(allOf)) {
		const parts: unknown[] = allOf;
		return mergeAllOf([own, ...parts]);
	}
	const { type, items } = node;
	const fields = fieldsIn(node.properties) ?? fieldsIn(node.fields);
	const variants = [node.anyOf, node.oneOf].find(Array.isArray);
	if (variants && type === undefined && fields === undefined) return readVariants(variants);

	const named = [type].flat().flatMap((name) => namedType(name) ?? []);
	const types = typesIn(node, named, fields !== undefined);
	const schema: JsonSchema = {};
	if (types.includes('object') && fields) {
		Object.assign(schema, readFields(fields, true, node.required));
	}
	if (types.includes('array')) {
		const element = items === undefined ? named.find((one) => one.items)?.items : readItems(items);
		schema.items = element ?? {};
	}
	if (types.length > 0) schema.type = types.length === 1 ? types[0] : types;
	return schema;
}

/** The types of a definition. One that has items or fields is a list or an object, also where it names no such type. */
function typesIn({ items }: Json, named: readonly JsonSchema[], hasOwnFields: boolean): string[] {
	const types = typesOf(...named);
	if (items !== undefined && !types.includes('array')) return ['array'];
	if (types.length === 0 && hasOwnFields) return ['object'];
	return types;
}

/** What is in a list. Several definitions are those of a tuple, one for each element. */
const readItems = (items: unknown): JsonSchema | undefined =>
	Array.isArray(items) ? readList(items, true).items : readNode(items, true);

/** `anyOf` or `oneOf`. */
function readVariants(variants: unknown[]): JsonSchema {
	const all = variants
		.filter((variant) => !isJsonObject(variant) || variant.type !== 'null')
		.map((variant) => readNode(variant, true));
	const [first = {}] = all;
	return all.every((one) => isSame(one, first)) ? first : { anyOf: all };
}

/** All parts together; where two differ, the first is kept: each of them alone allows more than all together. */
function mergeAllOf(parts: unknown[]): JsonSchema {
	const merged: JsonSchema = {};
	const fields = new Map<string, JsonSchema>();
	const required = new Set<string>();
	// From the last to the first, which overwrites what it has in unionOf with the others.
	for (const part of parts.filter(isJsonObject).reverse()) {
		const schema = readNode(part, true);
		Object.assign(merged, schema);
		for (const [name, field] of Object.entries(schema.properties ?? {})) fields.set(name, field);
		for (const name of schema.required ?? []) required.add(name);
	}
	if (fields.size > 0) merged.properties = Object.fromEntries(fields);
	if (required.size > 0) merged.required = [...required];
	return merged;
}

/** A definition that allows the same, or null. */
function orNull(schema: JsonSchema): JsonSchema {
	const { type, anyOf, enum: values } = schema;
	const types = type === undefined ? [] : [type].flat();
	if (types.includes('null')) return schema;
	const result = { ...schema };
	if (types.length > 0) result.type = [...types, 'null'];
	if (anyOf) result.anyOf = [...anyOf, { type: 'null' }];
	if (values) result.enum = [...new Set([...values, null])];
	return result;
}

/** A definition that allows what either of two allows: the elements of a sample may differ. A mixture may be anything. */
function unionOf(one: JsonSchema, other: JsonSchema): JsonSchema {
	// Not of records and lists, which are compared field by field below.
	if (!one.properties && !one.items && isSame(one, other)) return one;
	const [type, ...others] = typesOf(one, other);
	if (type === undefined || others.length > 0 || !one.type || !other.type) return {};
	const fields = new Map(Object.entries(one.properties ?? {}));
	for (const [name, schema] of Object.entries(other.properties ?? {})) {
		const same = fields.get(name);
		fields.set(name, same ? unionOf(same, schema) : schema);
	}
	const both: JsonSchema = { type };
	if (one.properties && other.properties) both.properties = Object.fromEntries(fields);
	if (one.items && other.items) both.items = unionOf(one.items, other.items);
	const mayBeNull = [one, other].some((schema) => [schema.type].flat().includes('null'));
	return mayBeNull ? orNull(both) : both;
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

/** A field of a record can be called `type` too, so `type` alone counts only when it names a type. */
function isDefinition(node: Json): boolean {
	const types: unknown[] = [node.type].flat();
	return (
		hasFields(node) ||
		node.items !== undefined ||
		(types.length > 0 && types.every((type) => namedType(type) !== undefined))
	);
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

/**
 * The notations in which a service may describe the People record: JSON Schema, OpenAPI-like `properties`, a map of name to
 * type, a list of `{name, type}`, and sample records.
 */
import { RequestError } from '../../api/errors';
import { isJsonObject } from '../../utils/json';
import { contentOf, hasFields, isScalar, type Json } from './envelopes';
import { UNKNOWN_FORMAT } from './schemaErrors';
import { resolveReferences } from './references';
import { typesOf, type JsonSchema } from './schema';

/**
 * Reads the response to `GET /schema/people` (§4.4, D9), in any of the notations above, also inside an envelope such as
 * `{schema, version}`; and each output of the operation Get. Where a notation tells no type, such as for a null in a
 * sample, the schema allows any value.
 * @throws RequestError for any other format, and for a schema that is {@link TOO_LARGE}
 */
export function parseSchema(response: unknown): JsonSchema {
	const tree = readRecord(resolveReferences(response));
	if (Object.keys(tree.properties ?? {}).some((name) => name !== '')) return tree;
	throw new RequestError('schema', UNKNOWN_FORMAT);
}

/** The maximum number of elements of a list in a sample that are read. */
const MAX_ELEMENTS = 20;

/** The schema that each name of a type stands for. `null` alone tells nothing of other values, so it stands for any. */
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

const isSame = (first: JsonSchema, second: JsonSchema): boolean =>
	JSON.stringify(first) === JSON.stringify(second);

/**
 * Reads the record, also inside envelopes and lists, or from several samples. For any other format, the schema has no
 * properties.
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
	const fields = Object.values(node);
	const isMapOfDefinitions = fields.every(isJsonObject) && fields.some(isDefinition);
	return readFields(node, isMapOfDefinitions);
}

/**
 * Reads a definition, or a value that may be one or belong to a sample.
 * @param isDeclared whether it is known to be a definition
 */
function readNode(node: unknown, isDeclared: boolean): JsonSchema {
	if (typeof node === 'string') return namedType(node) ?? (isDeclared ? {} : { type: 'string' });
	if (typeof node === 'number') return { type: Number.isInteger(node) ? 'integer' : 'number' };
	// As a definition, true and false say nothing about the type.
	if (typeof node === 'boolean') return isDeclared ? {} : { type: 'boolean' };
	if (Array.isArray(node)) return readList(node, isDeclared);
	if (!isJsonObject(node) || Object.keys(node).length === 0) return {};
	return isDeclared || isDefinition(node) ? readDefinition(node) : readFields(node, false);
}

/**
 * Reads a list of fields, a list in a sample, or `[definition]`. Null among the elements of a sample only says that an
 * element may be null: the others tell its type.
 */
function readList(list: unknown[], isDeclared: boolean): JsonSchema {
	const named = fieldsIn(list);
	if (named) return { type: 'array', items: readFields(named, true) };
	const elements = list.slice(0, MAX_ELEMENTS);
	const [first = {}, ...others] = elements
		.filter((element) => element !== null)
		.map((element) => readNode(element, isDeclared));
	const items = others.reduce(unionOf, first);
	return { type: 'array', items: elements.includes(null) ? orNull(items) : items };
}

/** Reads a record with these fields. @param required the value of JSON Schema's `required`, which may be anything */
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

/** Reads JSON Schema or OpenAPI, without anything that a validator of JSON Schema 2020-12 might reject. */
function readDefinition(node: Json): JsonSchema {
	// In the mapping of a search index, 'nested' means a list of objects.
	if (node.type === 'nested') {
		return { type: 'array', items: readDefinition({ ...node, type: 'object' }) };
	}
	const description = typeof node.description === 'string' ? node.description.trim() : '';
	const values = [...new Set(firstList(node.enum).filter(isScalar))];
	const schema: JsonSchema = {};
	if (description !== '') schema.description = description;
	Object.assign(schema, readTypes(node));
	if (values.length > 0) schema.enum = values;
	const variants = firstList(node.anyOf, node.oneOf);
	const variantTypes = variants.map((variant) => isJsonObject(variant) && variant.type);
	const types = [...firstList(node.type), ...variantTypes];
	const isNullable = types.includes('null') && types.some((type) => type !== 'null');
	return isNullable || node.nullable === true ? orNull(schema) : schema;
}

/** Reads the type of a definition, its fields, and the elements of its list. */
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
		const namedItems = named.find((meaning) => meaning.items)?.items;
		const element = items === undefined ? namedItems : readItems(items);
		schema.items = element ?? {};
	}
	if (types.length > 0) schema.type = types.length === 1 ? types[0] : types;
	return schema;
}

/** The names of a definition's types. With `items`, it is a list, and with fields an object, even if it names no type. */
function typesIn({ items }: Json, named: readonly JsonSchema[], hasOwnFields: boolean): string[] {
	const types = typesOf(...named);
	if (items !== undefined && !types.includes('array')) return ['array'];
	if (types.length === 0 && hasOwnFields) return ['object'];
	return types;
}

/** Reads the elements of a list. Several definitions describe a tuple, one for each element. */
const readItems = (items: unknown): JsonSchema | undefined =>
	Array.isArray(items) ? readList(items, true).items : readNode(items, true);

/** Reads the variants of `anyOf` or `oneOf`, apart from null. Variants that are all the same are one schema. */
function readVariants(variants: unknown[]): JsonSchema {
	const schemas = variants
		.filter((variant) => !isJsonObject(variant) || variant.type !== 'null')
		.map((variant) => readNode(variant, true));
	const [first = {}] = schemas;
	return schemas.every((schema) => isSame(schema, first)) ? first : { anyOf: schemas };
}

/**
 * A schema that has everything of its parts. Where two parts differ, the first one counts: a single part never allows less
 * than all parts together.
 */
function mergeAllOf(parts: unknown[]): JsonSchema {
	const merged: JsonSchema = {};
	const fields = new Map<string, JsonSchema>();
	const required = new Set<string>();
	// From the last part to the first one, which overwrites what the parts before it have set.
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

/** A schema that allows what another one allows, or null. */
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

/**
 * A schema that allows what either of two allows, because the elements of a list in a sample may differ. For values of
 * different types, it allows any value.
 */
function unionOf(first: JsonSchema, second: JsonSchema): JsonSchema {
	// Records and lists are not compared here, because their fields and elements are merged below.
	if (!first.properties && !first.items && isSame(first, second)) return first;
	const [type, ...otherTypes] = typesOf(first, second);
	if (type === undefined || otherTypes.length > 0 || !first.type || !second.type) return {};
	const fields = new Map(Object.entries(first.properties ?? {}));
	for (const [name, schema] of Object.entries(second.properties ?? {})) {
		const ofFirst = fields.get(name);
		fields.set(name, ofFirst ? unionOf(ofFirst, schema) : schema);
	}
	const union: JsonSchema = { type };
	if (first.properties && second.properties) union.properties = Object.fromEntries(fields);
	if (first.items && second.items) union.items = unionOf(first.items, second.items);
	const mayBeNull = [first, second].some((schema) => [schema.type].flat().includes('null'));
	return mayBeNull ? orNull(union) : union;
}

/**
 * The fields of a definition: a map of names to definitions. A list of `{name, type}` becomes such a map, also with `path`
 * and `isArray`, as Get writes it. Undefined for a list of anything else, such as samples.
 */
function fieldsIn(node: unknown): Json | undefined {
	if (!Array.isArray(node)) return isJsonObject(node) ? node : undefined;
	const entries = node.flatMap((entry: unknown): Array<[string, Json]> => {
		if (!isJsonObject(entry)) return [];
		const { path, name = path, type, isArray } = entry;
		if (typeof name !== 'string' || name === '' || type === undefined) return [];
		return [[name, isArray === true ? { type: 'array', items: entry } : entry]];
	});
	// Samples may have fields called 'name' and 'type', too, and some of these types may be called like the type of a field:
	// so more than half of the entries must be definitions.
	const count = entries.filter(([, definition]) => isDefinition(definition)).length;
	const isListOfFields = entries.length === node.length && count * 2 > node.length;
	return isListOfFields ? Object.fromEntries(entries) : undefined;
}

/** Whether an object is a definition. A record may have a field called `type`, so `type` alone must name a type. */
function isDefinition(node: Json): boolean {
	const types: unknown[] = [node.type].flat();
	return (
		hasFields(node) ||
		node.items !== undefined ||
		(types.length > 0 && types.every((type) => namedType(type) !== undefined))
	);
}

/** The schema that a name such as `string`, `string[]` or `array<string>` stands for; undefined for anything else. */
function namedType(text: unknown): JsonSchema | undefined {
	// No name of a type is longer, and searching a long text takes time.
	if (typeof text !== 'string' || text.length > 100) return undefined;
	const name = text.trim().toLowerCase();
	const [, inBrackets, beforeBrackets] = /^(?:array<(.+)>|(.+)\[\])$/.exec(name) ?? [];
	const items = namedType(inBrackets ?? beforeBrackets);
	if (items) return { type: 'array', items };
	// A copy, because it becomes a part of items: a later change of an item must not change the table.
	return structuredClone(TYPES.get(name));
}

import { common, define, isSame, nullable, type JsonSchema } from './definition';
import { asNamedList, isRecord, readTypeName, typeName, type Json } from './notations';
import { asFieldList, findFields, MAX_DEPTH, MAX_FIELDS, type SchemaField } from './schemaFields';
import { isDefinition, resolve } from './shape';

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** A bound for circular references and hostile nesting: no real schema is as deep. */
const MAX_NESTING = 50;

/** Where references start, and how many more definitions may be written: a schema may refer to itself. */
type Writer = { root: unknown; left: number };

/** How deep a definition is: in objects, and in whatever else. */
type Depth = { objects: number; nesting: number };

const TOP: Depth = { objects: 0, nesting: 0 };

const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;

const isNullType = (node: unknown): boolean => isRecord(node) && node.type === 'null';

/** A type as JSON Schema has it; undefined where a notation leaves it open. */
const known = (type: string | undefined): JsonSchema =>
	type === undefined || type === 'unknown' ? {} : { type };

function fromTypeName(text: string): JsonSchema {
	const read = readTypeName(text);
	if (!read) return { type: 'string' };
	return read.isArray ? { type: 'array', items: known(read.type) } : known(read.type);
}

function fromSample(value: unknown): JsonSchema {
	if (typeof value === 'number') return { type: Number.isInteger(value) ? 'integer' : 'number' };
	return typeof value === 'boolean' ? { type: 'boolean' } : {};
}

function written(given: unknown, writer: Writer, { objects, nesting }: Depth): JsonSchema {
	writer.left -= 1;
	if (writer.left < 0 || nesting > MAX_NESTING) return {};
	const depth = { objects, nesting: nesting + 1 };
	const node = resolve(given, writer.root);
	if (typeof node === 'string') return fromTypeName(node);
	if (Array.isArray(node)) {
		const named = asNamedList(node);
		const elements = named
			? [fromFields(named, writer, depth)]
			: node.map((element) => written(element, writer, depth));
		return { type: 'array', items: elements.length > 0 ? elements.reduce(common) : {} };
	}
	if (!isRecord(node)) return fromSample(node);
	if (Object.keys(node).length === 0) return {};
	if (isDefinition(node)) return fromDefinition(node, writer, depth);
	return fromFields(node, writer, depth);
}

/** An object with these fields; one that is nested too deep is any object. */
function fromFields(
	fields: Json,
	writer: Writer,
	{ objects, nesting }: Depth,
	required?: unknown,
): JsonSchema {
	if (objects > MAX_DEPTH || writer.left <= 0) return { type: 'object' };
	const properties: Record<string, JsonSchema> = {};
	for (const [name, node] of Object.entries(fields)) {
		if (writer.left <= 0) break;
		define(properties, name, written(node, writer, { objects: objects + 1, nesting }));
	}
	const names = Array.isArray(required) ? required : [];
	const needed = Object.keys(properties).filter((name) => names.includes(name));
	return { type: 'object', properties, ...(needed.length > 0 ? { required: needed } : {}) };
}

/** JSON Schema and OpenAPI, without what a validator of JSON Schema 2020-12 could stumble over. */
function fromDefinition(node: Json, writer: Writer, depth: Depth): JsonSchema {
	const schema = withType(node, writer, depth);
	const values = Array.isArray(node.enum) ? [...new Set(node.enum.filter(isScalar))] : [];
	const description = typeof node.description === 'string' ? node.description.trim() : '';
	const annotated: JsonSchema = {
		...(description === '' ? {} : { description }),
		...schema,
		...(values.length > 0 ? { enum: values } : {}),
	};
	const types: unknown[] = Array.isArray(node.type) ? node.type : [];
	const variants: unknown[] = [node.anyOf, node.oneOf].find(Array.isArray) ?? [];
	const isNullable =
		node.nullable === true ||
		(types.includes('null') && types.length > 1) ||
		(variants.some(isNullType) && variants.length > 1);
	return isNullable ? nullable(annotated) : annotated;
}

function withType(node: Json, writer: Writer, depth: Depth): JsonSchema {
	const isUntyped = node.type === undefined && node.properties === undefined;
	const variants: unknown[] | undefined = [node.anyOf, node.oneOf].find(Array.isArray);
	if (isUntyped && variants) {
		const all = variants
			.filter((variant) => !isNullType(resolve(variant, writer.root)))
			.map((variant) => written(variant, writer, depth));
		const [first = {}] = all;
		return all.every((one) => isSame(one, first)) ? first : { anyOf: all };
	}
	if (isUntyped && Array.isArray(node.allOf)) {
		const main: unknown = node.allOf.find((part) => isRecord(resolve(part, writer.root)));
		// Of several parts the first is the widest that is certain: each of them alone allows more than all together.
		return main === undefined ? {} : written(main, writer, depth);
	}
	const types = typesOf(node);
	const record =
		types.includes('object') && isRecord(node.properties)
			? fromFields(node.properties, writer, depth, node.required)
			: {};
	return {
		...record,
		...(types.includes('array') ? listOf(node, writer, depth) : {}),
		...(types.length === 0 ? {} : { type: types.length === 1 ? types[0] : types }),
	};
}

/** The types of a definition, as JSON Schema names them; null is left out. */
function typesOf(node: Json): string[] {
	const names = (Array.isArray(node.type) ? node.type : [node.type])
		.map(typeName)
		.filter((name) => name !== undefined);
	const types = new Set(names.filter((name) => name !== 'unknown'));
	if (node.items !== undefined && !types.has('array')) return ['array'];
	if (types.size === 0 && isRecord(node.properties)) return ['object'];
	return [...types];
}

const count = (value: unknown): number | undefined =>
	typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined;

function listOf({ items, ...node }: Json, writer: Writer, depth: Depth): JsonSchema {
	const [minItems, maxItems] = [count(node.minItems), count(node.maxItems)];
	// Several definitions are those of a tuple, one for each element.
	const element = Array.isArray(items)
		? written(items, writer, depth).items
		: items === undefined
			? {}
			: written(items, writer, depth);
	return {
		items: element ?? {},
		...(minItems === undefined ? {} : { minItems }),
		...(maxItems === undefined ? {} : { maxItems }),
	};
}

/** A list of fields as a map of definitions, nested as their paths say. */
function nested(list: readonly SchemaField[]): Json {
	const root: Json = {};
	const objects = new Map<string, Json>();
	for (const { path, type, isArray } of [...list].sort((a, b) => a.path.length - b.path.length)) {
		const end = path.lastIndexOf('.');
		const parent = objects.get(path.slice(0, Math.max(end, 0)));
		const inside: Json = {};
		const one: Json =
			type === 'object' ? { type, properties: inside } : { type: typeName(type) ?? 'unknown' };
		if (type === 'object') objects.set(isArray ? `${path}[]` : path, inside);
		const field = isArray ? { type: 'array', items: one } : one;
		define(parent ?? root, parent ? path.slice(end + 1) : path, field);
	}
	return root;
}

/**
 * The People record as a JSON Schema 2020-12, from the response to `GET /schema/people` in any notation that
 * {@link readSchemaFields} understands. It allows every record that the response describes: what a notation leaves
 * open, such as the type of a null in a sample, may be anything.
 * @returns undefined for any other format
 */
export function toJsonSchema(given: unknown): JsonSchema | undefined {
	const list = asFieldList(given);
	const found = list ? { fields: nested(list), root: undefined } : findFields(given);
	if (!found) return undefined;
	const writer = { root: found.root, left: MAX_FIELDS };
	const record = fromFields(found.fields, writer, TOP, found.required);
	if (Object.keys(record.properties ?? {}).length === 0) return undefined;
	return { $schema: DIALECT, title: 'People record', ...record };
}

/**
 * The definition of the People record (§4.4 shows no format): whatever notation the service uses, it is read once into a
 * tree, of which the fields, the JSON Schema and the differences are views.
 */
import { isRecord, readTypeName, typeName, type Json } from './notations';

/** A definition in JSON Schema 2020-12; an empty one allows any value. */
export type JsonSchema = {
	$schema?: string;
	title?: string;
	type?: string | string[] | undefined;
	description?: string;
	properties?: Record<string, JsonSchema>;
	required?: string[];
	items?: JsonSchema;
	minItems?: number;
	maxItems?: number;
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
 * How many definitions a schema may have once its references are written out: far more than any real one, and few enough
 * to be read at once. Long texts count for several.
 */
const MAX_DEFINITIONS = 50_000;
const CHARACTERS_PER_DEFINITION = 50;

/** How deep definitions may be in each other. Reading is recursive: this keeps it from overflowing the stack. */
const MAX_DEPTH = 50;

/** How often a definition is written out inside itself. */
const MAX_REPEATS = 2;

/** The elements of a list in a sample that are looked at. */
const MAX_ELEMENTS = 20;

/** The keys under which services return a schema together with a version or a date, and how many may be in each other. */
const ENVELOPES = ['schema', 'definition', 'fields', 'person', 'people', 'data', 'result'];
const MAX_ENVELOPES = 8;

/** Said of a schema that would take too long to read, or too much memory. */
export const TOO_LARGE = 'too large';

/**
 * What a value stands for. In a sample or a map of names to types, a record is an object with these fields and an unknown
 * word is a text; among the names of types it is an unknown type; where definitions are declared, records are definitions.
 */
type Notation = 'sample' | 'typeNames' | 'declared';

type Place = { depth: number; pathLength: number };

const NUMBERS = ['integer', 'number'];
const COMBINED = ['anyOf', 'oneOf', 'allOf'];
/** What a definition may have beside its type. */
const KEYWORDS: ReadonlySet<string> = new Set([
	...[...COMBINED, '$ref', 'type', 'title', 'description', 'format', 'nullable', 'enum', 'const'],
	...['default', 'example', 'examples', 'items', 'minItems', 'maxItems', 'uniqueItems', 'pattern'],
	...['properties', 'required', 'additionalProperties', 'minimum', 'maximum', 'minLength'],
	...['maxLength', 'deprecated', 'readOnly', 'writeOnly', 'multipleOf'],
]);

const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;

const isNullType = (node: unknown): boolean => isRecord(node) && node.type === 'null';

/** Null is no type of its own here: what may be null has the type that it has otherwise. */
const typesOf = ({ type }: JsonSchema): string[] =>
	type === undefined ? [] : [type].flat().filter((name) => name !== 'null');

const isSame = (one: JsonSchema, other: JsonSchema): boolean =>
	JSON.stringify(one) === JSON.stringify(other);

const count = (value: unknown): number | undefined =>
	typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined;

/** Sets a property under any name, even `__proto__`. */
const define = (properties: object, name: string, value: unknown): object =>
	Object.defineProperty(properties, name, {
		value,
		enumerable: true,
		configurable: true,
		writable: true,
	});

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
	if (isSame(one, other)) return one;
	const isNullable = [one, other].some(({ type }) => Array.isArray(type) && type.includes('null'));
	const both = commonType(one, other);
	return isNullable ? nullable(both) : both;
}

function commonType(one: JsonSchema, other: JsonSchema): JsonSchema {
	const types = new Set([...typesOf(one), ...typesOf(other)]);
	if (typesOf(one).length === 0 || typesOf(other).length === 0) return {};
	if (one.properties && other.properties) {
		const properties = { ...one.properties };
		for (const [name, schema] of Object.entries(other.properties)) {
			const same = Object.hasOwn(properties, name) ? properties[name] : undefined;
			define(properties, name, same ? common(same, schema) : schema);
		}
		return { type: 'object', properties };
	}
	if (one.items && other.items) return { type: 'array', items: common(one.items, other.items) };
	if (one.properties ?? other.properties ?? one.items ?? other.items) return {};
	if ([...types].every((type) => NUMBERS.includes(type))) {
		return { type: types.size === 1 ? [...types][0] : 'number' };
	}
	return types.size === 1 ? { type: [...types][0] } : {};
}

/** `[{name, type}]` as a map of names to definitions; undefined for a list of anything else, such as samples. */
function namedFields(list: unknown): Json | undefined {
	if (!Array.isArray(list) || list.length === 0) return undefined;
	const entries: Array<[string, unknown]> = [];
	let known = 0;
	for (const entry of list as unknown[]) {
		if (!isRecord(entry) || typeof entry.name !== 'string' || entry.name === '') return undefined;
		const { type } = entry;
		if (readTypeName(type) !== undefined || Array.isArray(type) || isRecord(type)) known += 1;
		else if (typeof type !== 'string') return undefined;
		entries.push([entry.name, entry]);
	}
	// Of people with a name and a type, some may have a type that is called like that of a field.
	return known * 2 > list.length ? Object.fromEntries(entries) : undefined;
}

/** A field of a record can be called `type` too, so `type` alone counts only when it names a type. */
function isDefinition(node: Json): boolean {
	if (isRecord(node.properties) || node.items !== undefined || typeof node.$ref === 'string') {
		return true;
	}
	if (COMBINED.some((key) => Array.isArray(node[key]))) return true;
	const types: unknown[] = Array.isArray(node.type) ? node.type.slice(0, 20) : [node.type];
	return types.length > 0 && types.every((type) => typeName(type) !== undefined);
}

/** What the values of a map of names stand for. */
function notationOf(fields: Json): Notation {
	const values = Object.values(fields);
	const isDeclared = values.every(
		(value) => isRecord(value) && Object.keys(value).every((key) => KEYWORDS.has(key)),
	);
	if (isDeclared && values.some((value) => isRecord(value) && isDefinition(value))) {
		return 'declared';
	}
	const words = values.filter((value) => typeof value === 'string');
	const known = words.filter((word) => readTypeName(word) !== undefined).length;
	return known * 2 > words.length ? 'typeNames' : 'sample';
}

const known = (type: string | undefined): JsonSchema =>
	type === undefined || type === 'unknown' ? {} : { type };

function ofWord(word: string, notation: Notation): JsonSchema {
	const read = readTypeName(word);
	if (!read) return notation === 'sample' ? { type: 'string' } : {};
	return read.isArray ? { type: 'array', items: known(read.type) } : known(read.type);
}

function ofScalar(value: unknown): JsonSchema {
	if (typeof value === 'number') return { type: Number.isInteger(value) ? 'integer' : 'number' };
	return typeof value === 'boolean' ? { type: 'boolean' } : {};
}

/** Reads one schema; what it spends bounds the time and the size of the result. */
class Reader {
	private left = MAX_DEFINITIONS;

	private isTooDeep = false;

	/** How often each definition is being read at the moment. */
	private readonly open = new Map<object, number>();

	/** @param root where references start */
	constructor(private root: unknown) {}

	/** Whether something was left out. */
	get isTooLarge(): boolean {
		return this.left < 0 || this.isTooDeep;
	}

	/**
	 * The record, wherever it is: inside envelopes and lists, or described by several samples.
	 * @returns a definition without properties for any other format
	 */
	record(given: unknown, envelopes = 0): JsonSchema {
		const node = this.resolve(given);
		if (envelopes > MAX_ENVELOPES) return {};
		const place = { depth: 0, pathLength: 0 };
		if (Array.isArray(node)) {
			this.spend(node.length / CHARACTERS_PER_DEFINITION);
			const named = namedFields(node);
			if (named) return this.object(named, 'declared', place);
			const samples = node
				.slice(0, MAX_ELEMENTS)
				.filter(isRecord)
				.map((sample) => this.inside(sample, envelopes))
				.filter(({ properties }) => Object.keys(properties ?? {}).length > 0);
			return samples.length > 0 ? samples.reduce(common) : {};
		}
		if (!isRecord(node)) return {};
		if (isRecord(node.properties) || COMBINED.some((key) => Array.isArray(node[key]))) {
			return this.read(node, 'declared', place);
		}
		if (node.type === 'array' && node.items !== undefined) {
			return this.record(node.items, envelopes + 1);
		}
		const envelope = ENVELOPES.find((key) => !isScalar(node[key]));
		const isEnvelope = Object.entries(node).every(
			([key, value]) => key === envelope || isScalar(value),
		);
		if (envelope !== undefined && isEnvelope) return this.inside(node[envelope], envelopes);
		return this.object(node, notationOf(node), place);
	}

	/**
	 * What is in an envelope or a list. References in there start at the schema in it, as it was written, or at the whole
	 * response, as JSON Reference has it.
	 */
	private inside(inner: unknown, envelopes: number): JsonSchema {
		const { root } = this;
		if (isRecord(inner)) this.root = { ...(isRecord(root) ? root : {}), ...inner };
		const record = this.record(inner, envelopes + 1);
		this.root = root;
		return record;
	}

	private spend(amount: number): void {
		this.left -= amount;
	}

	private spendText(text: string): void {
		this.spend(text.length / CHARACTERS_PER_DEFINITION);
	}

	/** A local reference such as `#/definitions/Experience` or `#`; anything else stays as it is. */
	private resolve(given: unknown): unknown {
		let node = given;
		for (let i = 0; i < MAX_DEPTH; i++) {
			if (!isRecord(node) || typeof node.$ref !== 'string') return node;
			if (!/^#(\/|$)/.test(node.$ref)) return undefined;
			this.spendText(node.$ref);
			node = node.$ref
				.split('/')
				.slice(1)
				.reduce<unknown>(
					(at, key) => (isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined),
					this.root,
				);
		}
		return undefined;
	}

	private read(given: unknown, notation: Notation, { depth, pathLength }: Place): JsonSchema {
		this.spend(1 + pathLength / CHARACTERS_PER_DEFINITION);
		if (depth > MAX_DEPTH) this.isTooDeep = true;
		if (this.isTooLarge) return {};
		const place = { depth: depth + 1, pathLength };
		const node = this.resolve(given);
		if (typeof node === 'string') return ofWord(node, notation);
		if (Array.isArray(node)) return this.list(node, notation, place);
		if (!isRecord(node)) return ofScalar(node);
		const repeats = this.open.get(node) ?? 0;
		const size = Object.keys(node).length;
		if (size > this.left) this.spend(size);
		if (size === 0 || size > MAX_DEFINITIONS) return {};
		if (repeats >= MAX_REPEATS) return isRecord(node.properties) ? { type: 'object' } : {};
		this.open.set(node, repeats + 1);
		const schema =
			notation === 'declared' || isDefinition(node)
				? this.definition(node, place)
				: this.object(node, notationOf(node), place);
		this.open.set(node, repeats);
		return schema;
	}

	/** A list in a sample, or `[definition]`. Of a list with null in it, the other elements say what it holds. */
	private list(list: unknown[], notation: Notation, place: Place): JsonSchema {
		this.spend(list.length / CHARACTERS_PER_DEFINITION);
		const named = namedFields(list);
		if (named) return { type: 'array', items: this.object(named, 'declared', place) };
		const elements = list.slice(0, MAX_ELEMENTS);
		const isText = (element: unknown): boolean =>
			notation === 'sample' && typeof element === 'string' && readTypeName(element) === undefined;
		// A text among texts may be called like a type.
		const areTexts = elements.some(isText);
		const [first = {}, ...others] = elements
			.filter((element) => element !== null)
			.map((element) =>
				areTexts && typeof element === 'string'
					? { type: 'string' }
					: this.read(element, notation, place),
			);
		const items = others.reduce(common, first);
		return { type: 'array', items: elements.includes(null) ? nullable(items) : items };
	}

	private object(
		fields: Json,
		notation: Notation,
		{ depth, pathLength }: Place,
		required?: unknown,
	): JsonSchema {
		const entries: Array<[string, JsonSchema]> = [];
		for (const [name, node] of Object.entries(fields)) {
			const place = { depth, pathLength: pathLength + name.length + 1 };
			entries.push([name, this.read(node, notation, place)]);
			if (this.isTooLarge) break;
		}
		// Keeps a field with any name, even '__proto__'.
		const properties = Object.fromEntries(entries);
		const names = new Set<unknown>(Array.isArray(required) ? required : []);
		this.spend(names.size);
		const needed = Object.keys(properties).filter((name) => names.has(name));
		return { type: 'object', properties, ...(needed.length > 0 ? { required: needed } : {}) };
	}

	/** JSON Schema and OpenAPI, without what a validator of JSON Schema 2020-12 could stumble over. */
	private definition(node: Json, place: Place): JsonSchema {
		const listed: unknown[] = Array.isArray(node.enum) ? node.enum : [];
		this.spend(listed.length);
		const values = [...new Set(listed.filter(isScalar))];
		for (const value of values) if (typeof value === 'string') this.spendText(value);
		const description = typeof node.description === 'string' ? node.description.trim() : '';
		this.spendText(description);
		const annotated: JsonSchema = {
			...(description === '' ? {} : { description }),
			...this.typed(node, place),
			...(values.length > 0 ? { enum: values } : {}),
		};
		const types: unknown[] = Array.isArray(node.type) ? node.type : [];
		const variants: unknown[] = [node.anyOf, node.oneOf].find(Array.isArray) ?? [];
		const isNullable =
			node.nullable === true ||
			(types.length > 1 && types.includes('null')) ||
			(variants.length > 1 && variants.some(isNullType));
		return isNullable ? nullable(annotated) : annotated;
	}

	private typed(node: Json, place: Place): JsonSchema {
		const fields = [node.properties, node.fields, node.children]
			.map((given) => (isRecord(given) ? given : namedFields(given)))
			.find((given) => given !== undefined);
		if (isRecord(node.type)) return this.read(node.type, 'declared', place);
		if (node.type === undefined && fields === undefined) {
			const variants: unknown[] | undefined = [node.anyOf, node.oneOf].find(Array.isArray);
			if (variants) return this.anyOf(variants, place);
			if (Array.isArray(node.allOf)) return this.allOf(node.allOf, place);
		}
		const element = typeof node.type === 'string' ? readTypeName(node.type) : undefined;
		if (element?.isArray === true && typeName(node.type) !== 'array') {
			const items = fields ? this.object(fields, 'declared', place) : known(element.type);
			return { type: 'array', items };
		}
		const types = this.typeNames(node, fields);
		return {
			...(types.includes('object') && fields
				? this.object(fields, 'declared', place, node.required)
				: {}),
			...(types.includes('array') ? this.items(node, place) : {}),
			...(types.length === 0 ? {} : { type: types.length === 1 ? types[0] : types }),
		};
	}

	/** The types of a definition, as JSON Schema names them; null is left out. */
	private typeNames(node: Json, fields: Json | undefined): string[] {
		const given: unknown[] = Array.isArray(node.type) ? node.type : [node.type];
		this.spend(given.length);
		const names = given.map(typeName).filter((name) => name !== undefined && name !== 'unknown');
		const types = new Set(names);
		if (node.items !== undefined && !types.has('array')) return ['array'];
		if (types.size === 0 && fields) return ['object'];
		return [...types].flatMap((name) => name ?? []);
	}

	private anyOf(variants: unknown[], place: Place): JsonSchema {
		const all = variants
			.filter((variant) => !isNullType(this.resolve(variant)))
			.map((variant) => this.read(variant, 'declared', place));
		const [first = {}] = all;
		return all.every((one) => isSame(one, first)) ? first : { anyOf: all };
	}

	/** All parts together; where two differ, the first is kept: each of them alone allows more than all together. */
	private allOf(parts: unknown[], place: Place): JsonSchema {
		return parts
			.filter((part) => isRecord(this.resolve(part)))
			.map((part) => this.read(part, 'declared', place))
			.reduceRight<JsonSchema>((all, part) => {
				const properties = { ...all.properties, ...part.properties };
				const hasFields = all.properties !== undefined || part.properties !== undefined;
				return { ...all, ...part, ...(hasFields ? { properties } : {}) };
			}, {});
	}

	private items(node: Json, place: Place): JsonSchema {
		const [minItems, maxItems] = [count(node.minItems), count(node.maxItems)];
		// Several definitions are those of a tuple, one for each element.
		const element = Array.isArray(node.items)
			? this.list(node.items, 'declared', place).items
			: node.items === undefined
				? {}
				: this.read(node.items, 'declared', place);
		return {
			items: element ?? {},
			...(minItems === undefined ? {} : { minItems }),
			...(maxItems === undefined ? {} : { maxItems }),
		};
	}
}

export const isField = (given: unknown): given is SchemaField =>
	isRecord(given) &&
	typeof given.path === 'string' &&
	given.path !== '' &&
	typeof given.type === 'string' &&
	typeof given.isArray === 'boolean';

const isFieldList = (given: unknown): given is SchemaField[] =>
	Array.isArray(given) && given.length > 0 && given.every(isField);

/** The fields that {@link fieldsOf} returned earlier, also as n8n's Aggregate node wraps them. */
function asFieldList(given: unknown): SchemaField[] | undefined {
	const first: unknown = Array.isArray(given) ? given[0] : given;
	const wrapped = ENVELOPES.map((key) => (isRecord(first) ? first[key] : undefined));
	return [given, ...wrapped].find(isFieldList);
}

/** A list of fields as a map of definitions, nested as their paths say. */
function nested(list: readonly SchemaField[]): Json {
	const root: Json = {};
	const objects = new Map<string, Json>();
	for (const { path, type, isArray } of [...list].sort((a, b) => a.path.length - b.path.length)) {
		const end = path.lastIndexOf('.');
		const parent = objects.get(path.slice(0, Math.max(end, 0)));
		const inside: Json = {};
		const one: Json = type === 'object' ? { type, properties: inside } : { type };
		if (type === 'object') objects.set(isArray ? `${path}[]` : path, inside);
		const field = isArray ? { type: 'array', items: one } : one;
		define(parent ?? root, parent ? path.slice(end + 1) : path, field);
	}
	return root;
}

/**
 * Reads the response to `GET /schema/people` (§4.4). Understands JSON Schema, OpenAPI-like `properties`, a map of name to
 * type, a list of `{name, type}`, sample records, and the list of fields that the node itself gives; each also inside an
 * envelope such as `{schema, version}`. What a notation leaves open, such as the type of a null in a sample, may be
 * anything.
 * @returns undefined for any other format
 */
export function parseSchema(given: unknown): JsonSchema | typeof TOO_LARGE | undefined {
	const list = asFieldList(given);
	const schema = list ? { properties: nested(list) } : given;
	const reader = new Reader(schema);
	const record = reader.record(schema);
	if (reader.isTooLarge) return TOO_LARGE;
	return Object.keys(record.properties ?? {}).some((name) => name !== '') ? record : undefined;
}

type Shape = { type: string; isArray: boolean; fields?: Record<string, JsonSchema> | undefined };

const UNKNOWN: Shape = { type: 'unknown', isArray: false };

function shapeOf(schema: JsonSchema): Shape {
	const { anyOf, items, properties } = schema;
	const types = typesOf(schema);
	if (anyOf) {
		const shapes = anyOf.filter((one) => !isNullType(one)).map(shapeOf);
		const [first = UNKNOWN] = shapes;
		const isOne = shapes.every(
			({ type, isArray }) => type === first.type && isArray === first.isArray,
		);
		return isOne ? { type: first.type, isArray: first.isArray } : UNKNOWN;
	}
	if (types.length === 1 && types[0] === 'array') return { ...shapeOf(items ?? {}), isArray: true };
	if (types.length > 0 && types.every((type) => NUMBERS.includes(type))) {
		return { type: types.length === 1 ? (types[0] ?? '') : 'number', isArray: false };
	}
	return types.length === 1
		? { type: types[0] ?? '', isArray: false, fields: properties }
		: UNKNOWN;
}

/** By code units: collation would take seconds for a long list. */
export const byPath = (a: { path: string }, b: { path: string }): number =>
	a.path < b.path ? -1 : Number(a.path > b.path);

/** The fields of a record, sorted by path, each path once. */
export function fieldsOf(tree: JsonSchema): SchemaField[] {
	const found = new Map<string, SchemaField>();
	const collect = (properties: Record<string, JsonSchema>, prefix: string): void => {
		for (const [name, schema] of Object.entries(properties)) {
			const path = `${prefix}${name}`;
			if (path === '' || found.has(path)) continue;
			const { type, isArray, fields } = shapeOf(schema);
			found.set(path, { path, type, isArray });
			if (fields) collect(fields, `${path}${isArray ? '[]' : ''}.`);
		}
	};
	collect(tree.properties ?? {}, '');
	return [...found.values()].sort(byPath);
}

/** A record as a JSON Schema 2020-12. */
export const toJsonSchema = (tree: JsonSchema): JsonSchema => ({
	$schema: 'https://json-schema.org/draft/2020-12/schema',
	title: 'People record',
	...tree,
});

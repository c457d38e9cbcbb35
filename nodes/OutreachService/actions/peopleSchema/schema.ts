/**
 * The definition of the People record (§4.4 shows no format): whatever notation the service uses, it is read once into a
 * tree, of which the fields, the JSON Schema and the differences are views.
 */
import { RequestError, type ErrorText } from '../../api/errors';
import { isJsonObject } from '../../model/schemas';

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
 * How many definitions a schema may have once its references are written out: far more than any real one, and few enough
 * to be read at once. Fifty characters of text, or fifty entries that are only looked at, count as one.
 */
const MAX_DEFINITIONS = 50_000;
const PER_DEFINITION = 50;

/** How deep definitions may be in each other. Reading is recursive: this keeps it from overflowing the stack. */
const MAX_DEPTH = 50;

/** How often a definition is written out inside itself. */
const MAX_REPEATS = 2;

/** The elements of a list in a sample that are looked at. */
const MAX_ELEMENTS = 20;

/** The keys under which services return a schema together with a version or a date. */
const ENVELOPES = ['schema', 'definition', 'fields', 'person', 'people', 'data', 'result'];

const SEE_RAW = "Use the operation Get with the output 'Raw' to see what the service sends.";

/** Said of a schema that would take too long to read, or too much memory. */
export const TOO_LARGE: ErrorText = {
	message: 'The people schema is too large',
	description: `It has more than 50,000 definitions once its references are written out, or more than 50 levels. ${SEE_RAW}`,
};

const UNKNOWN_FORMAT: ErrorText = {
	message: 'The people schema has an unknown format',
	description: `The service describes its fields in a way that this node cannot read. ${SEE_RAW}`,
};

type Json = Record<string, unknown>;

const TYPE_NAMES: ReadonlyMap<string, string> = new Map(
	Object.entries({
		string: 'string text keyword date datetime date-time uri',
		integer: 'integer int long',
		number: 'number float double',
		boolean: 'boolean bool',
		object: 'object',
		array: 'array',
		unknown: 'null unknown any',
	}).flatMap(([type, names]) => names.split(' ').map((name) => [name, type])),
);

const NUMBERS = ['integer', 'number'];
const COMBINED = ['anyOf', 'oneOf', 'allOf'];

const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;

const isNullType = (node: unknown): boolean => isJsonObject(node) && node.type === 'null';

/** Null is no type of its own here: what may be null has the type that it has otherwise. */
const typesOf = ({ type }: JsonSchema): string[] =>
	type === undefined ? [] : [type].flat().filter((name) => name !== 'null');

const isSame = (one: JsonSchema, other: JsonSchema): boolean =>
	JSON.stringify(one) === JSON.stringify(other);

const known = (type: string | undefined): JsonSchema =>
	type === undefined || type === 'unknown' ? {} : { type };

/** The name of a type as a field list has it; undefined for anything else. */
function typeName(value: unknown): string | undefined {
	// Longer than any name: trimming and searching a long text takes time.
	if (typeof value !== 'string' || value.length > 100) return undefined;
	return TYPE_NAMES.get(value.trim().toLowerCase());
}

/** What `string`, `string[]` and `array<string>` name; undefined for anything else. */
function namedType(text: unknown): JsonSchema | undefined {
	if (typeof text !== 'string' || text.length > 100) return undefined;
	const [, inBrackets, beforeBrackets] =
		/^\s*(?:array<([^<>]+)>|([^[\]]+)\[\])\s*$/i.exec(text) ?? [];
	const element = typeName(inBrackets ?? beforeBrackets);
	if (element !== undefined) return { type: 'array', items: known(element) };
	const type = typeName(text);
	if (type === undefined) return undefined;
	return type === 'array' ? { type, items: {} } : known(type);
}

/** A field of a record can be called `type` too, so `type` alone counts only when it names a type. */
function isDefinition(node: Json): boolean {
	if (isJsonObject(node.properties) || node.items !== undefined) return true;
	if (typeof node.$ref === 'string' || COMBINED.some((key) => Array.isArray(node[key])))
		return true;
	const types: unknown[] = Array.isArray(node.type) ? node.type.slice(0, 20) : [node.type];
	return types.length > 0 && types.every((type) => typeName(type) !== undefined);
}

/** `[{name, type}]` as a map of names to definitions; undefined for a list of anything else, such as samples. */
function namedFields(list: readonly unknown[]): Json | undefined {
	const isNamed = (entry: unknown): entry is Json & { name: string } =>
		isJsonObject(entry) && typeof entry.name === 'string' && entry.name !== '';
	const hasType = ({ type }: Json): boolean => typeof type === 'string' || Array.isArray(type);
	if (!list.every((entry) => isNamed(entry) && hasType(entry))) return undefined;
	const entries = list.filter(isNamed);
	// Of people with a name and a type, some may have a type that is called like that of a field.
	const count = entries.filter((one) => isDefinition(one) || namedType(one.type)).length;
	return count * 2 > list.length
		? Object.fromEntries(entries.map((entry) => [entry.name, entry]))
		: undefined;
}

/** The fields of a definition, in a map or a list. */
function fieldsIn(given: unknown): Json | undefined {
	if (Array.isArray(given)) return namedFields(given);
	return isJsonObject(given) ? given : undefined;
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
	if (isSame(one, other)) return one;
	const isNullable = [one, other].some(({ type }) => Array.isArray(type) && type.includes('null'));
	const both = commonType(one, other);
	return isNullable ? nullable(both) : both;
}

function commonType(one: JsonSchema, other: JsonSchema): JsonSchema {
	if (one.properties && other.properties) {
		const all = new Map(Object.entries(one.properties));
		for (const [name, schema] of Object.entries(other.properties)) {
			const same = all.get(name);
			all.set(name, same ? common(same, schema) : schema);
		}
		return { type: 'object', properties: Object.fromEntries(all) };
	}
	if (one.items && other.items) return { type: 'array', items: common(one.items, other.items) };
	const types = [one, other].map((schema) => typesOf(schema).join());
	if (types[0] === types[1]) return types[0]?.includes(',') ? {} : known(types[0] || undefined);
	return types.every((type) => NUMBERS.includes(type)) ? { type: 'number' } : {};
}

/** Reads one schema; what it spends bounds the time and the size of the result. */
class Reader {
	private left = MAX_DEFINITIONS;

	private depth = 0;

	/** The length of the path to the definition that is being read: each field in it repeats that path. */
	private pathLength = 0;

	/** How often each definition is being read at the moment. */
	private readonly open = new Map<object, number>();

	/** @param root where references start */
	constructor(private root: unknown) {}

	/**
	 * The record, wherever it is: inside envelopes and lists, or described by several samples.
	 * @returns a definition without properties for any other format
	 */
	record(given: unknown): JsonSchema {
		const node = this.resolve(given);
		if (Array.isArray(node)) {
			this.spend(0, node.length);
			const named = namedFields(node);
			if (named) return this.object(named, true);
			const samples = node
				.slice(0, MAX_ELEMENTS)
				.filter(isJsonObject)
				.map((sample) => this.inside(sample))
				.filter(({ properties }) => Object.keys(properties ?? {}).length > 0);
			return samples.length > 0 ? samples.reduce(common) : {};
		}
		if (!isJsonObject(node)) return {};
		if (isJsonObject(node.properties) || COMBINED.some((key) => Array.isArray(node[key]))) {
			return this.read(node, true);
		}
		if (node.type === 'array' && node.items !== undefined) {
			return this.inside(node.items);
		}
		const envelope = ENVELOPES.find((key) => !isScalar(node[key]));
		const isEnvelope = Object.entries(node).every(
			([key, value]) => key === envelope || isScalar(value),
		);
		if (envelope !== undefined && isEnvelope) return this.inside(node[envelope]);
		// A map of definitions, rather than a sample.
		const fields = Object.values(node);
		const isDeclared =
			fields.every((field) => isJsonObject(field)) && fields.some((field) => isDefinition(field));
		return this.object(node, isDeclared);
	}

	/**
	 * What is in an envelope or a list. References in there start at the schema in it, as it was written, or at the whole
	 * response, as JSON Reference has it.
	 */
	private inside(inner: unknown): JsonSchema {
		const { root } = this;
		if (isJsonObject(inner)) this.root = { ...(isJsonObject(root) ? root : {}), ...inner };
		this.depth += 1;
		this.spend(1, 0);
		const record = this.record(inner);
		this.depth -= 1;
		this.root = root;
		return record;
	}

	/** @throws RequestError when everything is spent */
	private spend(definitions: number, entries: number): void {
		this.left -= definitions + entries / PER_DEFINITION;
		if (this.left < 0 || this.depth > MAX_DEPTH) throw new RequestError('unparsable', TOO_LARGE);
	}

	/** A local reference such as `#/definitions/Experience` or `#`; anything else stays as it is. */
	private resolve(given: unknown): unknown {
		let node = given;
		for (let i = 0; i < MAX_DEPTH; i++) {
			if (!isJsonObject(node) || typeof node.$ref !== 'string') return node;
			if (!/^#(\/|$)/.test(node.$ref)) return undefined;
			this.spend(0, node.$ref.length);
			const keys = node.$ref.split('/').slice(1);
			node = keys.reduce<unknown>(
				(at, key) => (isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined),
				this.root,
			);
		}
		return undefined;
	}

	/** @param isDeclared whether what is read is a definition; in a sample, an object is a record, or names a type */
	private read(given: unknown, isDeclared: boolean): JsonSchema {
		const node = this.resolve(given);
		const size = isJsonObject(node) ? Object.keys(node).length : 0;
		this.spend(size > this.left ? Infinity : 1, this.pathLength + size);
		this.depth += 1;
		const schema = this.readOnce(node, isDeclared);
		this.depth -= 1;
		return schema;
	}

	private readOnce(node: unknown, isDeclared: boolean): JsonSchema {
		if (typeof node === 'string') {
			return namedType(node) ?? (isDeclared ? {} : { type: 'string' });
		}
		if (typeof node === 'number') return { type: Number.isInteger(node) ? 'integer' : 'number' };
		if (typeof node === 'boolean') return { type: 'boolean' };
		if (Array.isArray(node)) return this.list(node, isDeclared);
		if (!isJsonObject(node) || Object.keys(node).length === 0) return {};
		const repeats = this.open.get(node) ?? 0;
		if (repeats >= MAX_REPEATS) return isJsonObject(node.properties) ? { type: 'object' } : {};
		this.open.set(node, repeats + 1);
		const schema =
			isDeclared || isDefinition(node) ? this.definition(node) : this.object(node, false);
		this.open.set(node, repeats);
		return schema;
	}

	/** A list in a sample, or `[definition]`. Of a list with null in it, the other elements say what it holds. */
	private list(list: unknown[], isDeclared: boolean): JsonSchema {
		this.spend(0, list.length);
		const named = list.length > 0 ? namedFields(list) : undefined;
		if (named) return { type: 'array', items: this.object(named, true) };
		const elements = list.slice(0, MAX_ELEMENTS);
		const [first = {}, ...others] = elements
			.filter((element) => element !== null)
			.map((element) => this.read(element, isDeclared));
		const items = others.reduce(common, first);
		return { type: 'array', items: elements.includes(null) ? nullable(items) : items };
	}

	private object(fields: Json, isDeclared: boolean, required?: unknown): JsonSchema {
		const entries: Array<[string, JsonSchema]> = [];
		for (const [name, node] of Object.entries(fields)) {
			this.pathLength += name.length + 1;
			entries.push([name, this.read(node, isDeclared)]);
			this.pathLength -= name.length + 1;
		}
		// Keeps a field with any name, even '__proto__'.
		const properties = Object.fromEntries(entries);
		const names = new Set<unknown>(Array.isArray(required) ? required : []);
		this.spend(names.size, 0);
		const needed = Object.keys(properties).filter((name) => names.has(name));
		return { type: 'object', properties, ...(needed.length > 0 ? { required: needed } : {}) };
	}

	/** JSON Schema and OpenAPI, without what a validator of JSON Schema 2020-12 could stumble over. */
	private definition(node: Json): JsonSchema {
		const listed: unknown[] = Array.isArray(node.enum) ? node.enum : [];
		const values = [...new Set(listed.filter(isScalar))];
		const description = typeof node.description === 'string' ? node.description.trim() : '';
		const texts = [description, ...values.filter((value) => typeof value === 'string')];
		this.spend(listed.length, texts.join('').length);
		const annotated: JsonSchema = {
			...(description === '' ? {} : { description }),
			...this.typed(node),
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

	private typed(node: Json): JsonSchema {
		const { type, items, allOf } = node;
		const fields = fieldsIn(node.properties) ?? fieldsIn(node.fields);
		if (type === undefined && fields === undefined) {
			const variants: unknown[] | undefined = [node.anyOf, node.oneOf].find(Array.isArray);
			if (variants) return this.anyOf(variants);
			if (Array.isArray(allOf)) return this.allOf(allOf);
		}
		const named = namedType(type);
		if (named?.items && items === undefined) return named;
		const given: unknown[] = Array.isArray(type) ? type : [type];
		this.spend(given.length, 0);
		const names = new Set(given.map(typeName).filter((name) => name && name !== 'unknown'));
		if (items !== undefined && !names.has('array')) names.clear();
		if (items !== undefined) names.add('array');
		if (names.size === 0 && fields) names.add('object');
		const types = [...names].flatMap((name) => name ?? []);
		// Several definitions of what is in a list are those of a tuple, one for each element.
		const element = Array.isArray(items)
			? (this.list(items, true).items ?? {})
			: items === undefined
				? {}
				: this.read(items, true);
		return {
			...(names.has('object') && fields ? this.object(fields, true, node.required) : {}),
			...(names.has('array') ? { items: element } : {}),
			...(types.length === 0 ? {} : { type: types.length === 1 ? types[0] : types }),
		};
	}

	private anyOf(variants: unknown[]): JsonSchema {
		const all = variants
			.filter((variant) => !isNullType(this.resolve(variant)))
			.map((variant) => this.read(variant, true));
		const [first = {}] = all;
		return all.every((one) => isSame(one, first)) ? first : { anyOf: all };
	}

	/** All parts together; where two differ, the first is kept: each of them alone allows more than all together. */
	private allOf(parts: unknown[]): JsonSchema {
		return parts
			.filter((part) => isJsonObject(this.resolve(part)))
			.map((part) => this.read(part, true))
			.reduceRight<JsonSchema>((all, part) => {
				const properties = { ...all.properties, ...part.properties };
				const hasFields = all.properties !== undefined || part.properties !== undefined;
				return { ...all, ...part, ...(hasFields ? { properties } : {}) };
			}, {});
	}
}

/**
 * Reads the response to `GET /schema/people` (§4.4, D9). Understands JSON Schema, OpenAPI-like `properties`, a map of name
 * to type, a list of `{name, type}` and sample records; each also inside an envelope such as `{schema, version}`. What a
 * notation leaves open, such as the type of a null in a sample, may be anything.
 * @throws RequestError for any other format, and for what is {@link TOO_LARGE}
 */
export function parseSchema(given: unknown): JsonSchema {
	const record = new Reader(given).record(given);
	if (Object.keys(record.properties ?? {}).some((name) => name !== '')) return record;
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
			const isNumber = typesOf(element).every((one) => NUMBERS.includes(one));
			const several = isNumber ? 'number' : 'unknown';
			found.set(path, { path, type: others.length > 0 ? several : type, isArray });
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

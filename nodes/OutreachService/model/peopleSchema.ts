import { z } from 'zod';

/** A field of the People record: `experiences[].company_id` is `company_id` of each element of `experiences`. */
export type SchemaField = {
	path: string;
	/** `string`, `integer`, `number`, `boolean`, `object`, or `unknown` where the schema does not say. */
	type: string;
	isArray: boolean;
};

type Json = Record<string, unknown>;

/** What a schema says of one field, whatever notation it is written in. */
type Shape = { type: string; isArray: boolean; children: Record<string, unknown> | undefined };

const fieldListSchema = z
	.array(z.object({ path: z.string().min(1), type: z.string(), isArray: z.boolean() }))
	.min(1);

const namedListSchema = z
	.array(z.object({ name: z.string().min(1), type: z.unknown() }).passthrough())
	.min(1);

const TYPE_NAMES: Readonly<Record<string, string>> = {
	string: 'string',
	text: 'string',
	keyword: 'string',
	date: 'string',
	datetime: 'string',
	'date-time': 'string',
	uri: 'string',
	integer: 'integer',
	int: 'integer',
	long: 'integer',
	number: 'number',
	float: 'number',
	double: 'number',
	boolean: 'boolean',
	bool: 'boolean',
	object: 'object',
	array: 'array',
	null: 'unknown',
	unknown: 'unknown',
	any: 'unknown',
};

/** Keys under which services hand out a schema together with a version or a date. */
const ENVELOPES = ['schema', 'definition', 'fields', 'person', 'people', 'data', 'result'];

const MAX_DEPTH = 8;

const isRecord = (value: unknown): value is Json =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

const typeName = (value: unknown): string | undefined =>
	typeof value === 'string' && Object.hasOwn(TYPE_NAMES, value.toLowerCase())
		? TYPE_NAMES[value.toLowerCase()]
		: undefined;

/** A local JSON reference such as `#/definitions/Experience`; anything else stays as it is. */
function resolve(node: unknown, root: unknown): unknown {
	if (!isRecord(node) || typeof node.$ref !== 'string' || !node.$ref.startsWith('#/')) return node;
	return node.$ref
		.slice(2)
		.split('/')
		.reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), root);
}

/** JSON Schema and OpenAPI: `{type, properties, items}`, with nullable and combined types. */
function shapeOfDefinition(node: Json, root: unknown): Shape {
	const variants = [node.anyOf, node.oneOf, node.allOf].find(Array.isArray) ?? [];
	const main = variants.map((v) => resolve(v, root)).find((v) => isRecord(v) && v.type !== 'null');
	if (node.type === undefined && node.properties === undefined && isRecord(main)) {
		return shapeOfDefinition(main, root);
	}
	const types = (Array.isArray(node.type) ? node.type : [node.type]).map(typeName);
	const type = types.find((name) => name !== undefined && name !== 'unknown');
	if (type === 'array' || node.items !== undefined) {
		return { ...shapeOf(node.items, root), isArray: true };
	}
	const children = isRecord(node.properties) ? node.properties : undefined;
	return { type: type ?? (children ? 'object' : 'unknown'), isArray: false, children };
}

/** `string`, `string[]` and `array<string>`. */
function shapeOfTypeName(text: string): Shape | undefined {
	const element = /^(?:array<(.+)>|(.+)\[\])$/i.exec(text.trim());
	const type = typeName(element?.[1] ?? element?.[2] ?? text.trim());
	if (type === undefined) return undefined;
	if (type === 'array') return { type: 'unknown', isArray: true, children: undefined };
	return { type, isArray: element !== null, children: undefined };
}

/** A value of a sample record: its type is what it happens to be; null and an empty list say nothing. */
function shapeOfSample(value: unknown): Shape {
	if (value === null || value === undefined)
		return { type: 'unknown', isArray: false, children: undefined };
	if (typeof value === 'number') {
		return {
			type: Number.isInteger(value) ? 'integer' : 'number',
			isArray: false,
			children: undefined,
		};
	}
	return { type: typeof value, isArray: false, children: undefined };
}

function shapeOf(given: unknown, root: unknown): Shape {
	const node = resolve(given, root);
	if (typeof node === 'string') return shapeOfTypeName(node) ?? shapeOfSample(node);
	if (Array.isArray(node)) {
		const named = asNamedList(node);
		if (named) return { type: 'object', isArray: true, children: named };
		return { ...shapeOf(widest(node), root), isArray: true };
	}
	if (!isRecord(node)) return shapeOfSample(node);
	if (isDefinition(node)) return shapeOfDefinition(node, root);
	return { type: 'object', isArray: false, children: node };
}

/** Of several numbers in a sample the fractional one tells the type: `[4, 52.5]` is a list of numbers. */
function widest(values: unknown[]): unknown {
	return values.find((value) => typeof value === 'number' && !Number.isInteger(value)) ?? values[0];
}

/** A record field can be called `type` too, so `type` alone counts only when it names a type. */
function isDefinition(node: Json): boolean {
	if (isRecord(node.properties) || node.items !== undefined || typeof node.$ref === 'string')
		return true;
	if ([node.anyOf, node.oneOf, node.allOf].some(Array.isArray)) return true;
	const types = Array.isArray(node.type) ? node.type : [node.type];
	return types.every((type) => typeName(type) !== undefined);
}

/** `[{name, type}]`, with nested `fields`, `children` or `properties`, as a map of name to definition. */
function asNamedList(list: unknown): Json | undefined {
	const parsed = namedListSchema.safeParse(list);
	if (!parsed.success || !parsed.data.every(({ type }) => isTypeLike(type))) return undefined;
	return Object.fromEntries(
		parsed.data.map(({ name, ...rest }) => {
			const nested = rest.fields ?? rest.children ?? rest.properties;
			const properties = asNamedList(nested) ?? (isRecord(nested) ? nested : undefined);
			if (!properties) return [name, typeof rest.type === 'string' ? rest.type : rest];
			const isArray = typeof rest.type === 'string' && shapeOfTypeName(rest.type)?.isArray === true;
			const node = { type: 'object', properties };
			return [name, isArray ? { type: 'array', items: node } : node];
		}),
	);
}

const isTypeLike = (type: unknown): boolean =>
	typeof type === 'string'
		? shapeOfTypeName(type) !== undefined
		: Array.isArray(type) || isRecord(type);

function flatten(children: Json, root: unknown, prefix: string, depth: number): SchemaField[] {
	return Object.entries(children).flatMap(([name, node]) => {
		const { type, isArray, children: nested } = shapeOf(node, root);
		const path = `${prefix}${name}`;
		const inside =
			nested && depth < MAX_DEPTH
				? flatten(nested, root, `${path}${isArray ? '[]' : ''}.`, depth + 1)
				: [];
		return [{ path, type, isArray }, ...inside];
	});
}

/** The map of field name to description, wherever in the answer it is; undefined when there is none. */
function findFields(answer: unknown, root: unknown): Json | undefined {
	const node = resolve(answer, root);
	if (Array.isArray(node)) return asNamedList(node) ?? (isRecord(node[0]) ? node[0] : undefined);
	if (!isRecord(node)) return undefined;
	if (isRecord(node.properties)) return node.properties;
	if (node.type === 'array' && node.items !== undefined) return findFields(node.items, root);
	const envelope = ENVELOPES.find((key) => typeof node[key] === 'object' && node[key] !== null);
	const others = Object.entries(node).filter(([key]) => key !== envelope);
	if (envelope && others.every(([, value]) => typeof value !== 'object' || value === null)) {
		return findFields(node[envelope], root);
	}
	return Object.keys(node).length > 0 ? node : undefined;
}

/**
 * Reads whatever `GET /schema/people` answers (§4.4 shows no shape) as a flat list of fields, sorted by path.
 * Understands JSON Schema, OpenAPI-like `properties`, a map of name to type, a list of `{name, type}`, a sample
 * record, and the list that this function itself returns; each also inside an envelope such as `{schema, version}`.
 * @returns undefined when the answer is none of these.
 */
export function readSchemaFields(answer: unknown): SchemaField[] | undefined {
	const ready = fieldListSchema.safeParse(answer);
	const found = ready.success ? undefined : findFields(answer, answer);
	const fields = ready.success ? ready.data : found && flatten(found, answer, '', 0);
	if (!fields || fields.length === 0) return undefined;
	return [...fields].sort((a, b) => a.path.localeCompare(b.path, 'en'));
}

import { asNamedList, isRecord, readTypeName, typeName, type Json } from './notations';

/** The type of one field, whatever notation its schema is written in. */
export type Shape = { type: string; isArray: boolean; children?: Json };

const UNKNOWN: Shape = { type: 'unknown', isArray: false };

/** A bound for circular references and hostile nesting: no real schema is as deep. */
const MAX_NESTING = 50;

/** A local JSON reference such as `#/definitions/Experience` or `#`; anything else stays as it is. */
export function resolve(node: unknown, root: unknown): unknown {
	if (!isRecord(node) || typeof node.$ref !== 'string' || !/^#(\/|$)/.test(node.$ref)) return node;
	return node.$ref
		.split('/')
		.slice(1)
		.reduce<unknown>(
			(at, key) => (isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined),
			root,
		);
}

/** JSON Schema and OpenAPI: `{type, properties, items}`, with nullable and combined types. */
function shapeOfDefinition(node: Json, root: unknown, nesting: number): Shape {
	const main: unknown = [node.anyOf, node.oneOf, node.allOf]
		.find(Array.isArray)
		?.map((variant: unknown) => resolve(variant, root))
		.find((variant: unknown) => isRecord(variant) && variant.type !== 'null');
	if (node.type === undefined && node.properties === undefined && main !== undefined) {
		return shapeOf(main, root, nesting + 1);
	}
	const types = (Array.isArray(node.type) ? node.type : [node.type]).map(typeName);
	const type = types.find((name) => name !== undefined && name !== 'unknown');
	if (type === 'array' || node.items !== undefined) {
		return { ...shapeOf(node.items, root, nesting + 1), isArray: true };
	}
	const children = isRecord(node.properties) ? node.properties : undefined;
	return {
		type: type ?? (children ? 'object' : 'unknown'),
		isArray: false,
		...(children ? { children } : {}),
	};
}

/** A value of a sample record has the type of the value; null and an empty list have none. */
function shapeOfSample(value: unknown): Shape {
	if (value === null || value === undefined) return UNKNOWN;
	if (typeof value !== 'number') return { type: typeof value, isArray: false };
	return { type: Number.isInteger(value) ? 'integer' : 'number', isArray: false };
}

/** The type of a field, from its node of a schema in any notation. */
export function shapeOf(given: unknown, root: unknown, nesting = 0): Shape {
	if (nesting > MAX_NESTING) return UNKNOWN;
	const node = resolve(given, root);
	if (typeof node === 'string') return readTypeName(node) ?? shapeOfSample(node);
	if (Array.isArray(node)) {
		const named = asNamedList(node);
		if (named) return { type: 'object', isArray: true, children: named };
		return { ...shapeOf(widest(node), root, nesting + 1), isArray: true };
	}
	if (!isRecord(node)) return shapeOfSample(node);
	// In a schema it allows any value, and in a sample it is as open as an empty list.
	if (Object.keys(node).length === 0) return UNKNOWN;
	if (isDefinition(node)) return shapeOfDefinition(node, root, nesting);
	return { type: 'object', isArray: false, children: node };
}

/** A fractional number in a sample determines the type: `[4, 52.5]` is a list of numbers. */
function widest(values: unknown[]): unknown {
	return values.find((value) => typeof value === 'number' && !Number.isInteger(value)) ?? values[0];
}

/** A record field can be called `type` too, so `type` alone counts only when it names a type. */
export function isDefinition(node: Json): boolean {
	if (isRecord(node.properties) || node.items !== undefined || typeof node.$ref === 'string')
		return true;
	if ([node.anyOf, node.oneOf, node.allOf].some(Array.isArray)) return true;
	const types: unknown[] = Array.isArray(node.type) ? node.type : [node.type];
	return types.length > 0 && types.every((type) => typeName(type) !== undefined);
}

/** Reads a people schema (§4.4, D116): JSON Schema, or a map of names to types such as `{ full_name: 'string' }`. */
import type { IDataObject } from 'n8n-workflow';

import { RequestError } from '../../api/errors';
import { isJsonObject } from '../../utils/json';
import type { Definition } from './schema';

const SEE_RAW = "Use the operation Get with the output 'Raw' to see what the service sends.";

/** The error for a response that is no people schema. */
export const unreadable = (): RequestError =>
	new RequestError('unusable', {
		message: 'The response cannot be read as a schema',
		description: `It is neither a JSON Schema nor a map of names to types, or it has none of the documented fields. ${SEE_RAW}`,
	});

const tooLarge = (): RequestError =>
	new RequestError('unusable', {
		message: 'The people schema is too large',
		description: `It has more than 100 levels, or more than 2 million characters once each $ref is replaced by what it refers to. ${SEE_RAW}`,
	});

/** The maximum number of levels: reading is recursive, and more could overflow the stack. */
const MAX_LEVELS = 100;

/**
 * The maximum length of a schema whose references are written out, in characters: for each definition, the texts in it, the
 * length of its path and 20 more. It is far more than any real schema has, and little enough to be read without a pause.
 */
const MAX_LENGTH = 2_000_000;

/** @throws RequestError for anything else, and for a schema that is too large */
export function readSchema(given: unknown): Definition {
	if (!isJsonObject(given)) throw unreadable();
	const { properties, $ref, type, allOf, anyOf, oneOf } = given;
	const isJsonSchema =
		isJsonObject(properties) ||
		typeof $ref === 'string' ||
		type === 'array' ||
		[allOf, anyOf, oneOf].some(Array.isArray);
	const root = isJsonSchema ? given : mapAsSchema(given);
	let record = new SchemaReader(root).read([{ node: root, open: [] }]);
	// A list of records, as the service returns it.
	while (record.items && record.fields.size === 0) record = record.items;
	if (record.fields.size === 0) throw unreadable();
	return record;
}

/** A definition, and those through which it was reached: itself and the ones around it. */
type Part<Node = IDataObject> = { node: Node; open: readonly object[] };

/** Reads JSON Schema, in any of its versions, and the schemas of OpenAPI. */
class SchemaReader {
	private charactersLeft = MAX_LENGTH;

	constructor(private readonly root: IDataObject) {}

	/**
	 * Reads a value that is defined in several places, such as in both variants of `anyOf`.
	 * @param path the length of its path in characters
	 */
	read(defined: ReadonlyArray<Part<unknown>>, path = 0): Definition {
		const parts = defined.flatMap((one) => this.partsOf(one, path));
		const nodes = parts.map(({ node }) => node);
		const fields = new Map<string, Array<Part<unknown>>>();
		const elements: Array<Part<unknown>> = [];
		for (const { node, open } of parts) {
			for (const [name, one] of Object.entries(node.properties ?? {})) {
				const sameName = fields.get(name) ?? [];
				sameName.push({ node: one, open });
				// A field without a name has no path.
				if (name !== '') fields.set(name, sameName);
			}
			for (const one of [node.prefixItems ?? [], node.items ?? []].flat()) {
				// `false` only closes a tuple, whose elements are described one by one.
				if (one !== false) elements.push({ node: one, open });
			}
		}
		const definition: Definition = {
			types: [...new Set(nodes.flatMap(typesIn))],
			fields: new Map(
				[...fields].map(([name, all]) => [name, this.read(all, path + name.length + 1)]),
			),
		};
		const texts = nodes.map(({ description }) => description);
		const description = texts.find((text) => typeof text === 'string');
		if (description?.trim()) definition.description = description.trim();
		if (definition.types.includes('array')) definition.items = this.read(elements, path + 6);
		return definition;
	}

	/** A definition, and all that it refers to or combines. What stands beside a reference counts as well. */
	private partsOf({ node, open }: Part<unknown>, path: number): Part[] {
		// A boolean schema says nothing of a type.
		if (typeof node === 'boolean') return [];
		if (!isJsonObject(node)) throw unreadable();
		const { $ref, allOf, anyOf, oneOf, description } = node;
		this.charactersLeft -= 20 + path + (typeof description === 'string' ? description.length : 0);
		if (this.charactersLeft < 0 || open.length > MAX_LEVELS) throw tooLarge();
		// Inside itself, a definition would have no end.
		if (open.includes(node)) return node.properties ? [{ node: { type: 'object' }, open }] : [];
		const nowOpen = [...open, node];
		const combined: unknown[] = [allOf, anyOf, oneOf].flatMap((list) => list ?? []);
		if (typeof $ref === 'string') combined.push(this.find($ref));
		const others = combined.flatMap((one) => this.partsOf({ node: one, open: nowOpen }, path));
		return [{ node, open: nowOpen }, ...others];
	}

	/** What a local reference such as `#/$defs/Experience` refers to; anything for any other one. */
	private find(reference: string): unknown {
		const [start, ...keys] = reference.split('/');
		let node: unknown = start === '#' ? this.root : true;
		for (const key of keys) {
			node = isJsonObject(node) && Object.hasOwn(node, key) ? node[key] : true;
		}
		return node;
	}
}

/** Names of types that mean a type of JSON. Any other name is kept as it is written. */
const SAME_TYPES: ReadonlyMap<unknown, string> = new Map(
	Object.entries({
		text: 'string',
		keyword: 'string',
		date: 'string',
		datetime: 'string',
		'date-time': 'string',
		uri: 'string',
		int: 'integer',
		long: 'integer',
		float: 'number',
		double: 'number',
		bool: 'boolean',
	}),
);

/** The types in a definition. With fields, it is an object, and with `items` a list, even if it names no type. */
function typesIn({ type, properties, items, nullable }: IDataObject): string[] {
	const names: unknown[] = [type ?? []].flat();
	if (names.length === 0 && properties) names.push('object');
	else if (names.length === 0 && items) names.push('array');
	if (nullable === true) names.push('null');
	return names.map((name) => {
		if (typeof name !== 'string') throw unreadable();
		return SAME_TYPES.get(name) ?? name;
	});
}

/** What the name of a type begins with, whatever comes after it: `varchar(255)`, `int64`, `integer|null`. */
const LIKE_TYPE =
	/^(string|text|keyword|n?(var)?char|uuid|ur[il]|date|time|u?int|bigint|smallint|long|short|byte|num|dec|float|double|real|bool|object|record|array|list|json|enum|null|any|unknown)/i;

/** The keywords of JSON Schema. What has one of them is a definition, and no map. */
const KEYWORDS = ['type', 'properties', 'items', '$ref', 'allOf', 'anyOf', 'oneOf'];

/**
 * A map of names to types as a JSON Schema. A list has one element, which is a type or a map, and an object is a map.
 * @throws RequestError for anything else, such as a record: most of its texts look like no name of a type
 */
function mapAsSchema(given: IDataObject): IDataObject {
	const names: string[] = [];
	const ofValue = (value: unknown, level: number): IDataObject => {
		if (level > MAX_LEVELS) throw tooLarge();
		if (isJsonObject(value)) {
			if (KEYWORDS.some((keyword) => keyword in value)) throw unreadable();
			const properties = Object.entries(value).map(([name, one]): [string, IDataObject] => [
				name,
				ofValue(one, level + 1),
			]);
			return { properties: Object.fromEntries(properties) };
		}
		if (Array.isArray(value) && value.length === 1) {
			return { type: 'array', items: ofValue(value[0], level + 1) };
		}
		// No name of a type is longer, and searching a long text takes time.
		if (typeof value !== 'string' || value.length > 100) throw unreadable();
		const [, inBrackets, before] = /^array<(.+)>$|^(.+)\[\]$/i.exec(value) ?? [];
		const element = inBrackets ?? before;
		if (element !== undefined) return { type: 'array', items: ofValue(element, level + 1) };
		names.push(value);
		return /^(any|unknown)$/i.test(value) ? {} : { type: value };
	};
	const schema = ofValue(given, 0);
	if (names.filter((name) => LIKE_TYPE.test(name)).length * 2 <= names.length) throw unreadable();
	return schema;
}

/** Reads a people schema (§4.4, D116): JSON Schema, or a map of names to types such as `{ full_name: 'string' }`. */
import type { IDataObject } from 'n8n-workflow';

import { RequestError } from '../../api/errors';
import { isJsonObject } from '../../utils/json';
import type { Definition } from './schema';

/** The error for a response that cannot be read as a people schema. */
export const unreadable = (): RequestError =>
	new RequestError('unusable', {
		message: 'The response cannot be read as a schema',
		description:
			"It is neither a JSON Schema nor a map of names to types, it has none of the documented fields, or it has more than 100 levels or 2 million characters. Use the operation Get with the output 'Raw' to see what the service sends.",
	});

/** The maximum number of levels, among them those of references: one that leads to itself has no end. */
const MAX_LEVELS = 100;

/**
 * The maximum length of a schema whose references are written out, in characters: for each definition, its description, the
 * length of its path and 20 more. It is far more than any real schema has, and little enough to be read without a pause.
 */
const MAX_LENGTH = 2_000_000;

/** The names of each type of JSON, in lower case. What anything else means is not known. */
const TYPE_NAMES = {
	string:
		'string text keyword char varchar nvarchar uuid url uri enum date time datetime date-time timestamp',
	integer: 'integer int uint bigint smallint long short byte',
	number: 'number numeric decimal float double real',
	boolean: 'boolean bool',
	object: 'object record nested',
	array: 'array list',
	null: 'null',
	unknown: 'unknown any json',
};
const TYPES: ReadonlyMap<string, string> = new Map(
	Object.entries(TYPE_NAMES).flatMap(([type, names]) =>
		names.split(' ').map((name): [string, string] => [name, type]),
	),
);

/** The type of JSON that a name means, whatever comes after it: `varchar(255)`, `int64`, `Int!`; undefined if it means none. */
const typeNamed = (name: string): string | undefined =>
	TYPES.get(
		name
			.toLowerCase()
			.replace(/[\d(?!].*$/s, '')
			.trim(),
	);

/** The keywords of JSON Schema. What has one of them is a definition, and no map. */
const KEYWORDS = ['type', 'properties', 'items', '$ref', 'allOf', 'anyOf', 'oneOf'];

/**
 * The record that a schema describes.
 * @throws RequestError for anything else, and for a schema that is too large
 */
export function readSchema(given: unknown): Definition {
	if (!isJsonObject(given)) throw unreadable();
	let record = new SchemaReader(given).read();
	// A list of records, as the service returns it.
	while (record.items && !record.properties) record = record.items;
	if (!record.properties) throw unreadable();
	return record;
}

class SchemaReader {
	private readonly isMap: boolean;

	private charactersLeft = MAX_LENGTH;

	/** How many more names of types a map has than other texts. Most texts of a record, which is no schema, name no type. */
	private moreTypes = 0;

	constructor(private readonly root: IDataObject) {
		this.isMap = !KEYWORDS.some((keyword) => keyword in root);
	}

	read(): Definition {
		const record = this.readValue([this.root], 0, 0);
		if (this.isMap && this.moreTypes <= 0) throw unreadable();
		return record;
	}

	/**
	 * Reads what is said of a value in several places, such as in both variants of `anyOf`.
	 * @param pathLength the length of its path in characters
	 */
	private readValue(places: readonly unknown[], level: number, pathLength: number): Definition {
		const nodes = places.flatMap((place) => this.nodesAt(place, level, pathLength));
		const definition: Definition = {};
		const texts = nodes.map(({ description }) => description);
		const description = texts.find((text) => typeof text === 'string');
		if (description?.trim()) definition.description = description.trim();
		const types = [...new Set(nodes.flatMap(typesIn))];
		// It may be anything.
		if (types.length === 0 || types.includes('unknown')) return definition;
		definition.type = types.length === 1 ? types.join() : types;
		if (types.includes('array')) {
			const elements = nodes.flatMap(({ prefixItems, items }) =>
				[prefixItems ?? [], items ?? []].flat(),
			);
			definition.items = this.readValue(elements, level + 1, pathLength + 6);
		}
		const fields = new Map<string, unknown[]>();
		for (const [name, field] of types.includes('object') ? nodes.flatMap(fieldsIn) : []) {
			const sameName = fields.get(name) ?? [];
			sameName.push(field);
			fields.set(name, sameName);
		}
		if (fields.size > 0) {
			const read = [...fields].map(([name, all]): [string, Definition] => [
				name,
				this.readValue(all, level + 1, pathLength + name.length + 1),
			]);
			definition.properties = Object.fromEntries(read);
		}
		return definition;
	}

	/** A definition, and all that it refers to or combines. What stands beside a reference counts as well. */
	private nodesAt(place: unknown, level: number, pathLength: number): IDataObject[] {
		// A boolean schema says nothing of a type. `false` also closes a tuple, whose elements are described one by one.
		if (typeof place === 'boolean') return [];
		const node = this.isMap ? this.inMap(place) : place;
		if (!isJsonObject(node)) throw unreadable();
		const { $ref, allOf, anyOf, oneOf, description } = node;
		this.charactersLeft -=
			20 + pathLength + (typeof description === 'string' ? description.length : 0);
		if (this.charactersLeft < 0 || level > MAX_LEVELS) throw unreadable();
		const combined: unknown[] = [allOf, anyOf, oneOf].flatMap((list) => list ?? []);
		if (typeof $ref === 'string') combined.push(this.find($ref));
		return [node, ...combined.flatMap((one) => this.nodesAt(one, level + 1, pathLength))];
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

	/**
	 * What stands in a map, as a definition of JSON Schema. A list has one element, and an object is a map.
	 * @throws RequestError for anything else
	 */
	private inMap(place: unknown): IDataObject {
		if (Array.isArray(place) && place.length === 1) return { type: 'array', items: place };
		if (typeof place === 'string') {
			const element = /^(.+)\[\]$/.exec(place)?.[1];
			if (element !== undefined) return { type: 'array', items: [element] };
			const type = place.split('|');
			this.moreTypes += type.every(typeNamed) ? 1 : -1;
			return { type };
		}
		if (!isJsonObject(place) || KEYWORDS.some((keyword) => keyword in place)) throw unreadable();
		return { type: 'object', properties: place };
	}
}

/** The fields in a definition. One without a name has no path. */
const fieldsIn = ({ properties }: IDataObject): Array<[name: string, field: unknown]> =>
	Object.entries(properties ?? {}).filter(([name]) => name !== '');

/** The types in a definition. With fields, it is an object, and with `items` a list, even if it names no type or one of its own. */
function typesIn({ type, properties, items, nullable }: IDataObject): string[] {
	const names: unknown[] = [type ?? []].flat();
	const list = items ? 'array' : undefined;
	const implied = properties ? 'object' : list;
	if (names.length === 0 && implied) names.push(implied);
	if (nullable === true) names.push('null');
	return names.map((name) => {
		if (typeof name !== 'string') throw unreadable();
		return typeNamed(name) ?? implied ?? 'unknown';
	});
}

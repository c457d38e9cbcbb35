/** What a people schema says of a record: as the list of its fields, and as a JSON Schema. `readSchema.ts` reads it. */

/** What a schema says of a value. */
export type Definition = {
	/** The names of its types, as the schema writes them, each once; none if it may be anything. */
	types: string[];
	/** The fields of an object, by name. */
	fields: ReadonlyMap<string, Definition>;
	/** The elements of a list. */
	items?: Definition;
	description?: string;
};

/** A field of the People record: `experiences[].company_id` is `company_id` of each element of `experiences`. */
export type SchemaField = {
	path: string;
	/** `string`, `integer`, `number`, `boolean`, `object`, another type as it is written, several with `|`, or `unknown`. */
	type: string;
	isArray: boolean;
};

/** The types of a value that is there: `null` does not count, nor `integer` beside `number`, which includes it. */
const typesOf = ({ types }: Definition): string[] =>
	types.filter((type) => type !== 'null' && !(type === 'integer' && types.includes('number')));

/** The fields of a record, sorted by path, each path once. */
export function fieldsOf(record: Definition): SchemaField[] {
	const found = new Map<string, SchemaField>();
	const collect = ({ fields }: Definition, prefix: string): void => {
		for (const [name, field] of fields) {
			let element = field;
			let isArray = false;
			while (typesOf(element).join() === 'array' && element.items) {
				element = element.items;
				isArray = true;
			}
			const path = `${prefix}${name}`;
			const type = typesOf(element).sort().join('|') || 'unknown';
			if (!found.has(path)) found.set(path, { path, type, isArray });
			collect(element, `${path}${isArray ? '[]' : ''}.`);
		}
	};
	collect(record, '');
	// Compared by code units, because collation would take seconds for a long list.
	return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** A definition in JSON Schema 2020-12; an empty one allows any value. */
type JsonSchema = {
	description?: string;
	type?: string | string[];
	properties?: Record<string, JsonSchema>;
	items?: JsonSchema;
};

const JSON_TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];

/** A definition in JSON Schema. It allows any value where a type is none of JSON's. */
function toDefinition({ types, fields, items, description }: Definition): JsonSchema {
	const schema: JsonSchema = {};
	if (description !== undefined) schema.description = description;
	if (types.length === 0 || !types.every((type) => JSON_TYPES.includes(type))) return schema;
	schema.type = types.length === 1 ? types.join() : types;
	if (items) schema.items = toDefinition(items);
	if (fields.size > 0) {
		const properties = [...fields].map(([name, field]) => [name, toDefinition(field)] as const);
		schema.properties = Object.fromEntries(properties);
	}
	return schema;
}

/** A record as a JSON Schema 2020-12. */
export const toJsonSchema = (record: Definition) => ({
	$schema: 'https://json-schema.org/draft/2020-12/schema',
	title: 'People record',
	...toDefinition(record),
});

/**
 * The people schema, as a JSON Schema and as a list of fields. §4.4 shows no format: `notations.ts` reads
 * whatever notation the service uses into a JSON Schema, and the list of fields is made from that.
 */

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
 * The names of the types that schemas allow, each once. `null` does not count, because a field that may be null has the
 * type of its other values; nor does `integer` beside `number`, which includes it.
 */
export function typesOf(...schemas: JsonSchema[]): string[] {
	const types = new Set(schemas.flatMap(({ type = [] }) => type));
	types.delete('null');
	if (types.has('number')) types.delete('integer');
	return [...types];
}

/** The fields of a record, sorted by path, each path once. */
export function fieldsOf(tree: JsonSchema): SchemaField[] {
	const fields = new Map<string, SchemaField>();
	const collect = (properties: Record<string, JsonSchema>, prefix: string): void => {
		for (const [name, schema] of Object.entries(properties)) {
			const path = `${prefix}${name}`;
			if (path === '' || fields.has(path)) continue;
			let element = schema;
			while (typesOf(element).join() === 'array') element = element.items ?? {};
			const isArray = element !== schema;
			const [type = 'unknown', ...otherTypes] = typesOf(element);
			const isMixture = otherTypes.length > 0;
			fields.set(path, { path, type: isMixture ? 'unknown' : type, isArray });
			if (isMixture) continue;
			collect(element.properties ?? {}, `${path}${isArray ? '[]' : ''}.`);
		}
	};
	collect(tree.properties ?? {}, '');
	// Compared by code units, because collation would take seconds for a long list.
	return [...fields.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** A record as a JSON Schema 2020-12. */
export const toJsonSchema = (tree: JsonSchema): JsonSchema => ({
	$schema: 'https://json-schema.org/draft/2020-12/schema',
	title: 'People record',
	...tree,
});

/**
 * The definition of the People record (§4.4 shows no format): whatever notation the service uses, `notations.ts` reads it
 * into a JSON Schema. The list of its fields is a view of that.
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

/** Without null: what may be null has the type that it has otherwise. Any integer is a number, too. */
export function typesOf(...schemas: JsonSchema[]): string[] {
	const types = new Set(schemas.flatMap(({ type = [] }) => type));
	types.delete('null');
	if (types.has('number')) types.delete('integer');
	return [...types];
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
			found.set(path, { path, type: others.length > 0 ? 'unknown' : type, isArray });
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

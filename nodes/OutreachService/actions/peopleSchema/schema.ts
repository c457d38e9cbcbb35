/** What a people schema says of a record: as a JSON Schema, and as the list of its fields. `readSchema.ts` reads it. */

/** A definition in JSON Schema 2020-12, without references. An empty one allows any value. */
export type Definition = {
	description?: string;
	type?: string | string[];
	properties?: Record<string, Definition>;
	items?: Definition;
};

/** A field of the People record: `experiences[].company_id` is `company_id` of each element of `experiences`. */
export type SchemaField = {
	path: string;
	/** `string`, `integer`, `number`, `boolean`, `object`, several of them with `|`, or `unknown`. */
	type: string;
	isArray: boolean;
};

/** The types of a value that is there, with `|`: `null` does not count, nor `integer` beside `number`, which includes it. */
function typeOf({ type = [] }: Definition): string {
	const types = [type].flat();
	return types
		.filter((one) => one !== 'null' && !(one === 'integer' && types.includes('number')))
		.sort()
		.join('|');
}

/** The fields of a record, sorted by path. */
export function fieldsOf(record: Definition): SchemaField[] {
	const found: SchemaField[] = [];
	const collect = ({ properties = {} }: Definition, prefix: string): void => {
		for (const [name, field] of Object.entries(properties)) {
			let element = field;
			let isArray = false;
			while (typeOf(element) === 'array' && element.items) {
				element = element.items;
				isArray = true;
			}
			const path = `${prefix}${name}`;
			found.push({ path, type: typeOf(element) || 'unknown', isArray });
			collect(element, `${path}${isArray ? '[]' : ''}.`);
		}
	};
	collect(record, '');
	// Compared by code units, because collation would take seconds for a long list.
	return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** A record as a JSON Schema 2020-12. */
export const toJsonSchema = (record: Definition) => ({
	$schema: 'https://json-schema.org/draft/2020-12/schema',
	title: 'People record',
	...record,
});

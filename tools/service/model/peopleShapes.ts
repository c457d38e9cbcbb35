import type { Switches } from '../switches';
import { laterPeopleFields, PEOPLE_FIELDS, type Fields, type FieldType } from './peopleFields';

/** A format for describing fields. */
interface Notation {
	leaf(type: string): unknown;
	list(items: unknown, length?: number): unknown;
	object(fields: [name: string, described: unknown][]): unknown;
}

const properties = (fields: [string, unknown][]) => ({
	type: 'object',
	properties: Object.fromEntries(fields),
});

const NOTATIONS: Record<Switches['schemaShape'], Notation> = {
	jsonSchema: {
		leaf: (type) => ({ type }),
		list: (items, length) => ({
			type: 'array',
			items,
			...(length !== undefined && { minItems: length, maxItems: length }),
		}),
		object: properties,
	},
	// As in OpenAPI documents: without `type: object`, and nullable throughout.
	properties: {
		leaf: (type) => ({ type, nullable: true }),
		list: (items) => ({ type: 'array', items, nullable: true }),
		object: (fields) => ({ properties: Object.fromEntries(fields) }),
	},
	map: {
		leaf: (type) => type,
		list: (items) => [items],
		object: (fields) => Object.fromEntries(fields),
	},
	list: {
		leaf: (type) => ({ type }),
		list: (items) => ({ type: 'array', items }),
		object: (fields) => fields.map(([name, described]) => ({ name, ...asObject(described) })),
	},
	sample: {
		leaf: (type) => ({ string: 'text', integer: 7, number: 0.5, boolean: true })[type],
		list: (items, length = 1) => Array.from({ length }, () => items),
		object: (fields) => Object.fromEntries(fields),
	},
};

/** Turns the description of a field into an object, so that a name can be added: nested fields are a list. */
const asObject = (described: unknown) =>
	typeof described === 'object' && !Array.isArray(described) ? described : { items: described };

function describe(fields: Fields, notation: Notation): unknown {
	const describeType = (type: FieldType): unknown => {
		if (typeof type === 'string') return notation.leaf(type);
		if (type.listOf === 'number') return notation.list(notation.leaf('number'), type.length);
		return notation.list(describe(type.listOf, notation));
	};
	return notation.object(Object.entries(fields).map(([name, type]) => [name, describeType(type)]));
}

/** The response of `GET /schema/people` (§4.4), in the shape that the switches select. */
export function peopleSchema(
	switches: Pick<Switches, 'schemaShape' | 'schemaEnvelope' | 'schemaFields'>,
): unknown {
	const fields = switches.schemaFields === 'changed' ? laterPeopleFields() : PEOPLE_FIELDS;
	const described = describe(fields, NOTATIONS[switches.schemaShape]);
	const schema =
		switches.schemaShape === 'jsonSchema' && typeof described === 'object'
			? { $schema: 'http://json-schema.org/draft-07/schema#', title: 'People', ...described }
			: described;
	return switches.schemaEnvelope === 'schema' ? { schema, version: '1.0.0' } : schema;
}

/** Any record, every notation that can describe it, and the two views of what is read. */
import fc from 'fast-check';

import { RequestError } from '../../../../nodes/OutreachService/api/errors';
import { parseSchema } from '../../../../nodes/OutreachService/actions/peopleSchema/notations';
import {
	fieldsOf as list,
	toJsonSchema as write,
	type JsonSchema,
	type SchemaField,
} from '../../../../nodes/OutreachService/actions/peopleSchema/schema';

export type Kind = 'string' | 'integer' | 'number' | 'boolean';
export type Field = { name: string; isArray: boolean; kind: Kind | Field[] };

const kind = fc.constantFrom<Kind>('string', 'integer', 'number', 'boolean');
const fieldsOf = (inner: fc.Arbitrary<Kind | Field[]>): fc.Arbitrary<Field[]> =>
	fc.uniqueArray(
		fc.record({
			name: fc.constantFrom('a', 'b', 'full_name', 'título', 'Skills', 'x-1', '7'),
			isArray: fc.boolean(),
			kind: inner,
		}),
		{ minLength: 1, selector: ({ name }) => name },
	);
/** Any record, up to three levels deep. */
export const record = fieldsOf(fc.oneof(kind, fieldsOf(fc.oneof(kind, fieldsOf(kind)))));

const mapped = (fields: Field[], write: (field: Field) => unknown): object =>
	Object.fromEntries(fields.map((field) => [field.name, write(field)]));

/** JSON Schema, with `wrap` applied to the definition of each type. */
function jsonSchema(fields: Field[], wrap = (definition: object): object => definition): object {
	const properties = mapped(fields, ({ isArray, kind: of }) => {
		const one = typeof of === 'string' ? wrap({ type: of }) : jsonSchema(of, wrap);
		return isArray ? wrap({ type: 'array', items: one }) : one;
	});
	return { type: 'object', properties };
}

/** A definition of its own for each object, as OpenAPI generators write it. */
function withReferences(fields: Field[]): object {
	const definitions: Record<string, object> = {};
	const define = (some: Field[]): object => {
		const key = `D${Object.keys(definitions).length}`;
		definitions[key] = {};
		const properties = mapped(some, ({ isArray, kind: of }) => {
			const one = typeof of === 'string' ? { type: of } : define(of);
			return isArray ? { type: 'array', items: one } : one;
		});
		definitions[key] = { properties };
		return { $ref: `#/definitions/${key}` };
	};
	return { ...define(fields), definitions };
}

const typeMap = (fields: Field[]): object =>
	mapped(fields, ({ isArray, kind: of }) => {
		if (typeof of === 'string') return isArray ? `array<${of}>` : of;
		return isArray ? [typeMap(of)] : typeMap(of);
	});

const namedList = (fields: Field[]): object =>
	fields.map(({ name, isArray, kind: of }) => {
		const description = 'what it is';
		if (typeof of === 'string') return { name, type: isArray ? `${of}[]` : of, description };
		return isArray
			? { name, type: 'array', items: namedList(of) }
			: { name, type: 'object', fields: namedList(of) };
	});

const VALUES = { string: 'some words', integer: 7, number: 0.5, boolean: true };
export const sample = (fields: Field[]): object =>
	mapped(fields, ({ isArray, kind: of }) => {
		const one = typeof of === 'string' ? VALUES[of] : sample(of);
		return isArray ? [one, one] : one;
	});

/** Each notation with its name, and a function that describes a record in it. */
export const NOTATIONS: ReadonlyArray<[name: string, write: (fields: Field[]) => object]> = [
	['JSON Schema', (fields) => jsonSchema(fields)],
	[
		'JSON Schema in which every type is nullable',
		(fields) => jsonSchema(fields, (one) => ({ anyOf: [{ type: 'null' }, one] })),
	],
	['definitions with references', withReferences],
	['a map of name to type', typeMap],
	['a list of names and types', namedList],
	['a sample record', sample],
];

/** What is read of a schema, or the message of the error. */
export function treeOrMessage(given: unknown): JsonSchema | string {
	try {
		return parseSchema(given);
	} catch (error) {
		if (error instanceof RequestError) return error.message;
		throw error;
	}
}

/** What is read of a schema, as a list of fields; undefined for what is no schema, or is too large. */
export function readSchemaFields(given: unknown): SchemaField[] | undefined {
	const tree = treeOrMessage(given);
	return typeof tree === 'string' ? undefined : list(tree);
}

/** The same as a JSON Schema. */
export function toJsonSchema(given: unknown): JsonSchema | undefined {
	const tree = treeOrMessage(given);
	return typeof tree === 'string' ? undefined : write(tree);
}

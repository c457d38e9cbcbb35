/** Every notation in which a service may describe its records, and what is read of it. */
import { Ajv2020 } from 'ajv/dist/2020';
import fc from 'fast-check';

import type { SchemaField } from '../../../../nodes/OutreachService/actions/peopleSchema/schema';
import { tries } from '../../../propertyRuns';
import { NOTATIONS, readSchemaFields, record, sample, toJsonSchema, type Field } from './notations';

/**
 * As strict as it can be: any keyword that 2020-12 does not have is an error. One for all, because making it takes long,
 * and without the optimization of its code, which takes longer than it saves.
 */
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, code: { optimize: false } });

afterEach(() => ajv.removeSchema());

const validatorOf = (given: unknown) => ajv.compile(toJsonSchema(given) ?? false);

const flat = (fields: Field[], prefix = ''): SchemaField[] =>
	fields.flatMap(({ name, isArray, kind: of }) => {
		const path = `${prefix}${name}`;
		if (typeof of === 'string') return [{ path, type: of, isArray }];
		const inside = flat(of, `${path}${isArray ? '[]' : ''}.`);
		return [{ path, type: 'object', isArray }, ...inside];
	});

const byPath = (fields: SchemaField[] | undefined) =>
	Object.fromEntries((fields ?? []).map((field) => [field.path, field]));

/** A record with a value of a wrong type in one of its fields. */
const wrong = ({ name, isArray, kind }: Field): object => {
	const value = kind === 'string' ? 0 : 'not that';
	return { [name]: isArray ? [value] : value };
};

describe.each(NOTATIONS)('Any record described by %s', (_, write) => {
	it('is read as its fields, also inside an envelope, beside a version and an empty error', () => {
		const envelopes = ['schema', 'definition', 'fields', 'person', 'people', 'data', 'result'];
		fc.assert(
			fc.property(record, fc.constantFrom(...envelopes), (fields, envelope) => {
				const schema = write(fields);
				const listed = readSchemaFields(schema);
				expect(byPath(listed)).toEqual(byPath(flat(fields)));
				const wrapped = { [envelope]: schema, version: '1.0.0', error: null };
				expect(readSchemaFields(wrapped)).toEqual(listed);
				expect(readSchemaFields([wrapped])).toEqual(listed);
				expect(readSchemaFields(toJsonSchema(schema))).toEqual(listed);
			}),
		);
	});

	it('has a valid JSON Schema, which allows the record but no value of a wrong type', () => {
		fc.assert(
			fc.property(record, (fields) => {
				const validate = validatorOf(write(fields));
				expect([validate(sample(fields)), validate.errors]).toEqual([true, null]);
				for (const field of fields) expect(validate(wrong(field))).toBe(false);
			}),
			// Compiling takes longer than everything else.
			{ numRuns: tries(5) },
		);
	});
});

const anyJson = fc.jsonValue({ maxDepth: 5 });
const KEYWORDS = ['type', 'properties', 'items', 'anyOf', 'oneOf', 'allOf', '$ref', 'enum', 'name'];
/** JSON that looks like a schema, and is hardly ever a sensible one. */
const likeSchema = fc.letrec<{ node: unknown }>((tie) => ({
	node: fc.oneof(
		{ maxDepth: 5, withCrossShrink: true },
		fc.constantFrom<unknown>('string', 'null', 'array', 'object', '#', '#/properties/a', null, 7),
		fc.array(tie('node'), { maxLength: 3 }),
		fc.dictionary(
			fc.constantFrom(...KEYWORDS, 'required', 'nullable', 'description', 'minItems', 'a'),
			tie('node'),
			{ maxKeys: 4 },
		),
	),
})).node;

it.each([
	['Any JSON', anyJson],
	['Anything like a schema', likeSchema],
])('%s that the node can read gives a valid JSON Schema', (_, arbitrary) => {
	fc.assert(
		fc.property(arbitrary, (given) => {
			const schema = toJsonSchema(given);
			if (schema === undefined) return;
			// Throws for a schema that is not valid.
			expect(ajv.compile(schema)).toEqual(expect.any(Function));
		}),
		{ numRuns: tries(10) },
	);
});

it('A sample allows itself, also when the elements of its lists differ', () => {
	const value = fc.letrec<{ node: unknown }>((tie) => ({
		node: fc.oneof(
			{ maxDepth: 4 },
			fc.constantFrom<unknown>(1, 1.5, true, null, '~text'),
			fc.array(tie('node'), { maxLength: 4 }),
			fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('node')),
		),
	})).node;
	fc.assert(
		fc.property(fc.dictionary(fc.constantFrom('a', 'b'), value, { minKeys: 1 }), (given) => {
			const validate = validatorOf(given);
			expect([validate(given), validate.errors]).toEqual([true, null]);
		}),
		{ numRuns: tries(25) },
	);
});

const field = (path: string, type = 'string', isArray = false) => ({ path, type, isArray });
const list = (path: string, type = 'string') => field(path, type, true);

type Table = Array<[what: string, schema: unknown, fields: Array<ReturnType<typeof field>>]>;

const bool = { A: { type: 'boolean' } };

const definitions: Table = [
	['an empty choice', { a: { oneOf: [] } }, [field('a', 'unknown')]],
	[
		'properties with further conditions',
		{ a: { properties: { b: 'text' }, allOf: [{ required: ['b'] }] } },
		[field('a', 'object'), field('a.b')],
	],
	[
		'an unknown type beside a known one',
		{ a: { type: ['no-type-of-ours', 'number'], oneOf: [{ minimum: 1 }, { maximum: 0 }] } },
		[field('a', 'number')],
	],
	['items without a type', { a: { items: { type: 'integer' } } }, [list('a', 'integer')]],
	['a list of anything', { a: { type: 'array' } }, [list('a', 'unknown')]],
	['a description alone', { a: { description: 'What it is' } }, [field('a', 'unknown')]],
	[
		'an unknown type by its name',
		{ a: 'geo_point', b: 'int' },
		[field('a', 'unknown'), field('b', 'integer')],
	],
	[
		'parts that add to each other',
		{ a: { allOf: [{ properties: { b: 'int' } }, { properties: { c: 'text' } }] } },
		[field('a', 'object'), field('a.b', 'integer'), field('a.c')],
	],
	[
		'a choice of different types',
		{ a: { anyOf: [{ type: 'integer' }, { type: 'string' }] } },
		[field('a', 'unknown')],
	],
];

const references: Table = [
	['a reference', { a: { $ref: '#/definitions/A' } }, [field('a', 'boolean')]],
	[
		'a reference to a property of every JavaScript object',
		{ a: { $ref: '#/constructor' } },
		[field('a', 'unknown')],
	],
	['a field called $ref', { a: { $ref: ['#'] } }, [field('a', 'unknown')]],
];

const namedLists: Table = [
	['spaces around a type', [{ name: 'a', type: ' int ' }], [field('a', 'integer')]],
	['a list', [{ name: 'a', type: 'string[]' }], [list('a')]],
	['a list with items', [{ name: 'a', type: 'array', items: 'bool' }], [list('a', 'boolean')]],
	['a nullable type', [{ name: 'a', type: ['null', 'long'] }], [field('a', 'integer')]],
	[
		'fields of an object',
		[{ name: 'a', type: 'object', fields: [{ name: 'b', type: 'int' }] }],
		[field('a', 'object'), field('a.b', 'integer')],
	],
	[
		'sample people whose type is not a data type',
		[
			{ name: 'Ann', type: 'person' },
			{ name: 'text', type: 'string' },
		],
		[field('name'), field('type')],
	],
];

const geo = { type: 'geo_point' };
const level = { enum: ['a', 'b'] };

const samples: Table = [
	[
		'a map of definitions',
		{ a: { type: 'string' }, geo, level },
		[field('a'), field('geo', 'unknown'), field('level', 'unknown')],
	],
	['array<…>', { a: 'array<integer>' }, [list('a', 'integer')]],
	['array', { a: 'array' }, [list('a', 'unknown')]],
	[
		'a type inside other text',
		{ a: 'an array<integer>', b: 'integer[] or null' },
		[field('a'), field('b')],
	],
	['null and an empty list', { a: null, b: [] }, [field('a', 'unknown'), list('b', 'unknown')]],
	['a fraction among integers', { a: [4, 52.5] }, [list('a', 'number')]],
	['a null before integers', { a: [null, 4] }, [list('a', 'integer')]],
	['text after an integer', { a: [4, 'or so'] }, [list('a', 'unknown')]],
	['a field called type', { type: 'text', id: 7 }, [field('id', 'integer'), field('type')]],
	[
		'a field called items',
		{ items: 3, id: 7 },
		[field('id', 'integer'), field('items', 'integer')],
	],
];

const envelopes: Table = [
	[
		'a version and an empty error',
		{ data: { a: 'text' }, version: '2', error: null },
		[field('a')],
	],
	[
		'a field called data that is null',
		{ data: null, a: 'text' },
		[field('a'), field('data', 'unknown')],
	],
	[
		'a schema with references from the schema',
		{ schema: { properties: { a: { $ref: '#/definitions/A' } }, definitions: bool } },
		[field('a', 'boolean')],
	],
	[
		'a schema with references from the whole response',
		{ schema: { properties: { a: { $ref: '#/schema/definitions/A' } }, definitions: bool } },
		[field('a', 'boolean')],
	],
	[
		'a field called data beside a list',
		{ data: { a: 'text' }, skills: ['x'] },
		[field('data', 'object'), field('data.a'), list('skills')],
	],
];

it.each(definitions)('In a definition, this is understood: %s', (_, properties, fields) => {
	expect(readSchemaFields({ properties })).toEqual(fields);
	expect(readSchemaFields({ type: 'array', items: { properties } })).toEqual(fields);
});

it.each(references)('This reference is understood: %s', (_, properties, fields) => {
	expect(readSchemaFields({ properties, definitions: bool })).toEqual(fields);
});

it.each(namedLists)('In a list of names and types, this is understood: %s', (_, schema, fields) => {
	expect(readSchemaFields(schema)).toEqual(fields);
});

it.each(samples)(
	'In a sample or a map of names to types, this is understood: %s',
	(_, schema, fields) => {
		expect(readSchemaFields(schema)).toEqual(fields);
		expect(readSchemaFields([schema, {}])).toEqual(fields);
	},
);

it.each(envelopes)('This envelope is understood: %s', (_, schema, fields) => {
	expect(readSchemaFields(schema)).toEqual(fields);
});

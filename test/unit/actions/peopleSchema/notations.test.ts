import { readSchemaFields } from './read';

const field = (path: string, type = 'string', isArray = false) => ({ path, type, isArray });
const list = (path: string, type = 'string') => field(path, type, true);

type Table = Array<[what: string, schema: unknown, fields: Array<ReturnType<typeof field>>]>;

const bool = { A: { type: 'boolean' } };

const definitions: Table = [
	['a nullable type', { a: { type: ['null', 'integer'] } }, [field('a', 'integer')]],
	['a choice of types', { a: { anyOf: [{ type: 'null' }, { type: 'string' }] } }, [field('a')]],
	['an empty choice', { a: { oneOf: [] } }, [field('a', 'unknown')]],
	[
		'a type with a choice of bounds',
		{ a: { type: 'integer', anyOf: [{ minimum: 9 }, { maximum: 1 }] } },
		[field('a', 'integer')],
	],
	[
		'properties with further conditions',
		{ a: { properties: { b: 'text' }, allOf: [{ required: ['b'] }] } },
		[field('a', 'object'), field('a.b')],
	],
	[
		'an unknown type beside a known one',
		{ a: { type: ['decimal', 'number'], oneOf: [{ minimum: 1 }, { maximum: 0 }] } },
		[field('a', 'number')],
	],
	['items without a type', { a: { items: { type: 'integer' } } }, [list('a', 'integer')]],
	['a list of anything', { a: { type: 'array' } }, [list('a', 'unknown')]],
	['a description alone', { a: { description: 'What it is' } }, [field('a', 'unknown')]],
	['allowed values alone', { a: { enum: ['x', 'y'] } }, [field('a', 'unknown')]],
	['an unknown type', { a: { type: 'geo_point' } }, [field('a', 'unknown')]],
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
		'a reference to a missing definition',
		{ a: { $ref: '#/definitions/B/c' } },
		[field('a', 'unknown')],
	],
	[
		'a reference to a property of every JavaScript object',
		{ a: { $ref: '#/constructor' } },
		[field('a', 'unknown')],
	],
	[
		'a reference to another file',
		{ a: { $ref: 'b.json#/definitions/A' } },
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
		'a definition as the type',
		[{ name: 'a', type: { type: 'array', items: 'float' } }],
		[list('a', 'number')],
	],
	[
		'fields of an object',
		[{ name: 'a', type: 'object', fields: [{ name: 'b', type: 'int' }] }],
		[field('a', 'object'), field('a.b', 'integer')],
	],
	[
		'fields of a nullable object',
		[{ name: 'a', type: ['object', 'null'], children: { b: 'int' } }],
		[field('a', 'object'), field('a.b', 'integer')],
	],
	[
		'fields of the objects in a list',
		{ a: [{ name: 'b', type: 'object[]', properties: { c: 'int' } }] },
		[list('a', 'object'), list('a[].b', 'object'), field('a[].b[].c', 'integer')],
	],
	[
		'sample people whose type is not a data type',
		[
			{ name: 'Ann', type: 'person' },
			{ name: 'text', type: 'string' },
		],
		[field('name'), field('type')],
	],
	[
		'sample people of whom only the first has the name of a data type',
		[
			{ name: 'Ann', type: 'object' },
			{ name: 'Bob', type: 'person' },
		],
		[field('name'), field('type', 'unknown')],
	],
	[
		'a sample person with a number as type',
		[{ name: 'Ann', type: 3 }],
		[field('name'), field('type', 'integer')],
	],
];

const samples: Table = [
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
	['a null among integers', { a: [4, null] }, [list('a', 'integer')]],
	['text after an integer', { a: [4, 'or so'] }, [list('a', 'unknown')]],
	['a field called type', { type: 'text', id: 7 }, [field('id', 'integer'), field('type')]],
	[
		'a list called type',
		{ type: 'array', id: 7 },
		[field('id', 'integer'), list('type', 'unknown')],
	],
	[
		'a field called items',
		{ items: 3, id: 7 },
		[field('id', 'integer'), field('items', 'integer')],
	],
	[
		'an object with an empty list called type',
		{ a: { type: [], id: 7 } },
		[field('a', 'object'), field('a.id', 'integer'), list('a.type', 'unknown')],
	],
	[
		'an object with a list called type that names a data type',
		{ a: { type: ['nice', 'integer'] } },
		[field('a', 'object'), list('a.type')],
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
	[
		'the aggregated fields of an earlier run',
		[{ data: [list('b'), field('a')] }],
		[field('a'), list('b')],
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

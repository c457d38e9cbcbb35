import { readSchemaFields } from '../../../../nodes/OutreachService/actions/peopleSchema/schemaFields';

const field = (path: string, type = 'string', isArray = false) => ({ path, type, isArray });
const list = (path: string, type = 'string') => field(path, type, true);

type Table = Array<[what: string, schema: unknown, fields: Array<ReturnType<typeof field>>]>;

const bool = { A: { type: 'boolean' } };

const definitions: Table = [
	['a nullable type', { a: { type: ['null', 'integer'] } }, [field('a', 'integer')]],
	['a choice', { a: { anyOf: [{ type: 'null' }, { type: 'string' }] } }, [field('a')]],
	['a choice of nothing', { a: { oneOf: [] } }, [field('a', 'unknown')]],
	[
		'a type and a choice of what it is bounded by',
		{ a: { type: 'integer', anyOf: [{ minimum: 9 }, { maximum: 1 }] } },
		[field('a', 'integer')],
	],
	[
		'properties and what they have to fulfil',
		{ a: { properties: { b: 'text' }, allOf: [{ required: ['b'] }] } },
		[field('a', 'object'), field('a.b')],
	],
	[
		'a type that nobody knows, beside one that is known',
		{ a: { type: ['decimal', 'number'], oneOf: [{ minimum: 1 }, { maximum: 0 }] } },
		[field('a', 'number')],
	],
	['items without a type', { a: { items: { type: 'integer' } } }, [list('a', 'integer')]],
	['a list of anything', { a: { type: 'array' } }, [list('a', 'unknown')]],
];

const references: Table = [
	['a reference', { a: { $ref: '#/definitions/A' } }, [field('a', 'boolean')]],
	['one into nothing', { a: { $ref: '#/definitions/B/c' } }, [field('a', 'unknown')]],
	['one to what every object has', { a: { $ref: '#/constructor' } }, [field('a', 'unknown')]],
	['one into another file', { a: { $ref: 'b.json#/definitions/A' } }, [field('a', 'unknown')]],
	['a field called $ref', { a: { $ref: ['#'] } }, [field('a', 'object'), list('a.$ref')]],
];

const namedLists: Table = [
	['blanks around a type', [{ name: 'a', type: ' int ' }], [field('a', 'integer')]],
	['a list', [{ name: 'a', type: 'string[]' }], [list('a')]],
	['a list with items', [{ name: 'a', type: 'array', items: 'bool' }], [list('a', 'boolean')]],
	['a nullable type', [{ name: 'a', type: ['null', 'long'] }], [field('a', 'integer')]],
	[
		'a definition for a type',
		[{ name: 'a', type: { type: 'array', items: 'float' } }],
		[list('a', 'number')],
	],
	[
		'fields of an object',
		[{ name: 'a', type: 'object', fields: [{ name: 'b', type: 'int' }] }],
		[field('a', 'object'), field('a.b', 'integer')],
	],
	[
		'fields of an object that can be null',
		[{ name: 'a', type: ['object', 'null'], children: { b: 'int' } }],
		[field('a', 'object'), field('a.b', 'integer')],
	],
	[
		'fields of each object in a list',
		{ a: [{ name: 'b', type: 'object[]', properties: { c: 'int' } }] },
		[list('a', 'object'), list('a[].b', 'object'), field('a[].b[].c', 'integer')],
	],
	[
		'people with a name and a type that is none',
		[
			{ name: 'Ann', type: 'person' },
			{ name: 'text', type: 'string' },
		],
		[field('name'), field('type')],
	],
	[
		'people of whom only the first has a type that is one',
		[
			{ name: 'Ann', type: 'object' },
			{ name: 'Bob', type: 'person' },
		],
		[field('name'), field('type', 'object')],
	],
	[
		'a person with a number for a type',
		[{ name: 'Ann', type: 3 }],
		[field('name'), field('type', 'integer')],
	],
];

const samples: Table = [
	['array<…>', { a: 'array<integer>' }, [list('a', 'integer')]],
	['array', { a: 'array' }, [list('a', 'unknown')]],
	[
		'words around a type',
		{ a: 'an array<integer>', b: 'integer[] or null' },
		[field('a'), field('b')],
	],
	['null and an empty list', { a: null, b: [] }, [field('a', 'unknown'), list('b', 'unknown')]],
	['a fraction among numbers', { a: [4, 52.5] }, [list('a', 'number')]],
	['a gap among numbers', { a: [4, null] }, [list('a', 'integer')]],
	['words after a number', { a: [4, 'or so'] }, [list('a', 'integer')]],
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
		'an object with a list called type, one of which is one',
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
		'a schema with references into the schema',
		{ schema: { properties: { a: { $ref: '#/definitions/A' } }, definitions: bool } },
		[field('a', 'boolean')],
	],
	[
		'a schema with references into the whole answer',
		{ schema: { properties: { a: { $ref: '#/schema/definitions/A' } }, definitions: bool } },
		[field('a', 'boolean')],
	],
	[
		'a field called data beside a list',
		{ data: { a: 'text' }, skills: ['x'] },
		[field('data', 'object'), field('data.a'), list('skills')],
	],
	[
		'the list of fields of an earlier run, aggregated',
		[{ data: [list('b'), field('a')] }],
		[field('a'), list('b')],
	],
];

it.each(definitions)('In a definition, %s is understood', (_, properties, fields) => {
	expect(readSchemaFields({ properties })).toEqual(fields);
	expect(readSchemaFields({ type: 'array', items: { properties } })).toEqual(fields);
});

it.each(references)('Of references, %s is understood', (_, properties, fields) => {
	expect(readSchemaFields({ properties, definitions: bool })).toEqual(fields);
});

it.each(namedLists)('In a list of names and types, %s can be read', (_, schema, fields) => {
	expect(readSchemaFields(schema)).toEqual(fields);
});

it.each(samples)('In a sample or a map of names, %s can be read', (_, schema, fields) => {
	expect(readSchemaFields(schema)).toEqual(fields);
	expect(readSchemaFields([schema, {}])).toEqual(fields);
});

it.each(envelopes)('Of envelopes, %s can be read', (_, schema, fields) => {
	expect(readSchemaFields(schema)).toEqual(fields);
});

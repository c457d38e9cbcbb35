/** What is read of a people schema: JSON Schema and a map of names to types, and nothing else; and which fields the API has. */
import { Ajv2020 } from 'ajv/dist/2020';
import fc from 'fast-check';

import { readSchema } from '../../../../nodes/OutreachService/actions/peopleSchema/readSchema';
import {
	fieldsOf,
	toJsonSchema,
	type SchemaField,
} from '../../../../nodes/OutreachService/actions/peopleSchema/schema';
import { RequestError } from '../../../../nodes/OutreachService/api/errors';
import { tries } from '../../../propertyRuns';
import { interruptible } from '../../interruptible';

/** As strict as it can be. One for all, because making it takes long. */
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, code: { optimize: false } });

const CANNOT = 'The response cannot be read as a schema';

/** The fields, or the message of the error. */
function read(given: unknown): SchemaField[] | string {
	try {
		return fieldsOf(readSchema(given));
	} catch (error) {
		if (error instanceof RequestError) return error.message;
		throw error;
	}
}

/** The fields as `path: type`, where a list has `[]` after its type. */
function told(given: unknown): string[] | string {
	const fields = read(given);
	if (typeof fields === 'string') return fields;
	return fields.map(({ path, type, isArray }) => `${path}: ${type}${isArray ? '[]' : ''}`);
}

/** The schema of a field `a`, beside definitions that it may refer to. */
const withField = (a: unknown, more = {}) => ({ properties: { a }, ...more });
const [STRING, INTEGER, NUMBER] = [{ type: 'string' }, { type: 'integer' }, { type: 'number' }];
const DEFINED = { $ref: '#/$defs/A' };
const $defs = {
	A: { properties: { b: { type: 'integer' } }, required: ['b'] },
	Described: { type: 'string', description: 'Of any such field' },
};

it.each<[what: string, definition: unknown, fields: string[]]>([
	['a type or null', { type: ['null', 'string'] }, ['a: string']],
	['a nullable type of OpenAPI', { type: 'integer', nullable: true }, ['a: integer']],
	['a type or null as variants', { oneOf: [{ type: 'null' }, { type: 'number' }] }, ['a: number']],
	['several types', { type: ['string', 'integer'] }, ['a: integer|string']],
	[
		'variants',
		{ anyOf: [STRING, { properties: { b: true } }] },
		['a: object|string', 'a.b: unknown'],
	],
	['a whole number among numbers', { anyOf: [INTEGER, NUMBER] }, ['a: number']],
	[
		'parts',
		{ allOf: [DEFINED, { properties: { c: {} } }] },
		['a: object', 'a.b: integer', 'a.c: unknown'],
	],
	[
		'a reference, and more',
		{ ...DEFINED, properties: { c: STRING } },
		['a: object', 'a.b: integer', 'a.c: string'],
	],
	['a boolean schema', false, ['a: unknown']],
	['a reference to another document', { $ref: 'https://other.test/schema' }, ['a: unknown']],
	['a reference to what each JavaScript object has', { $ref: '#/constructor' }, ['a: unknown']],
	['a list of lists', { type: 'array', items: { items: { type: 'integer' } } }, ['a: integer[]']],
	['a tuple', { type: 'array', prefixItems: [NUMBER, NUMBER], items: false }, ['a: number[]']],
	['a list of anything', { type: 'array' }, ['a: unknown[]']],
	['a type that is none of JSON', { type: 'geo_point' }, ['a: unknown']],
	[
		'such a type with fields',
		{ type: 'Job', properties: { b: STRING } },
		['a: object', 'a.b: string'],
	],
	['fields of what is no object', { type: 'string', properties: { b: true } }, ['a: string']],
	[
		'keywords that are null',
		{ type: 'array', prefixItems: null, items: { type: 'string', items: null, $ref: null } },
		['a: string[]'],
	],
	['a list of anything, with a null', { type: 'array', items: null }, ['a: unknown[]']],
])('In JSON Schema, this is understood: %s', (_, definition, fields) => {
	expect(told(withField(definition, { $defs }))).toEqual(fields);
});

it('A list of records is read as one record', () => {
	expect(told({ type: 'array', items: withField({ type: 'string' }) })).toEqual(['a: string']);
});

it.each<[type: string, told: string]>([
	['text', 'string'],
	['varchar(255)', 'string'],
	['VARCHAR (255)', 'string'],
	['bool', 'boolean'],
	['string[]', 'string[]'],
	['any', 'unknown'],
	['geo_point', 'unknown'],
	['string|integer', 'integer|string'],
	...['bigint', 'int64', 'uint32', 'integer|null', 'integer?', 'Int!'].map(
		(type): [string, string] => [type, 'integer'],
	),
	['decimal', 'number'],
])('In a map, the name of a type means one of JSON, or anything: %s is %s', (type, expected) => {
	expect(told({ full_name: 'string', country: 'string', id: type })).toEqual([
		'country: string',
		`full_name: string`,
		`id: ${expected}`,
	]);
	expect(told({ skills: [{ skill: type }], lead: { id: 'string', name: 'string' } })).toEqual([
		'lead: object',
		'lead.id: string',
		'lead.name: string',
		'skills: object[]',
		`skills[].skill: ${expected}`,
	]);
});

it.each<[what: string, given: unknown]>([
	['a record', { full_name: 'Ann Lee', country: 'DE', title: 'text' }],
	['a record with numbers', { full_name: 'string', lead_id: 7 }],
	['a list of results', { results: [{ full_name: 'string' }], total: 1 }],
	['a list of fields', [{ name: 'full_name', type: 'string' }]],
	[
		'the mapping of a search index',
		{ people: { mappings: { properties: { a: { type: 'text' } } } } },
	],
	[
		'a schema in an envelope',
		{ schema: { properties: { a: { type: 'string' } } }, version: '1.0.0' },
	],
	['a map of definitions', { a: { type: 'string' }, b: { type: 'integer' } }],
	['a list of several types', { a: ['string', 'integer'] }],
	['an empty list', { a: [] }],
	['a null', { a: null, b: 'string' }],
	['an error', { error: 'Unauthorized', status: 'error' }],
	['nothing', {}],
	['a list of itself', { type: 'array', items: { $ref: '#' } }],
	['a definition that contains itself', withField({ $ref: '#' })],
	['a choice of itself', withField({ anyOf: [{ $ref: '#/properties/a' }] })],
	['a type that is a number', withField({ type: 7 })],
	['a definition that is a text', withField('string')],
])('This cannot be read as a schema: %s', (_, given) => {
	expect(read(given)).toBe(CANNOT);
});

describe('Any JSON', () => {
	const word = fc.constantFrom(
		'type',
		'properties',
		'items',
		'$ref',
		'anyOf',
		'allOf',
		'enum',
		'nullable',
		'required',
		'description',
		'a',
		'',
		'__proto__',
	);
	const value = fc.constantFrom<unknown>(
		'string',
		'null',
		'array',
		'object',
		'#',
		'#/properties/a',
		null,
		7,
		true,
		'x'.repeat(200),
	);
	const node = fc.letrec<{ node: unknown }>((tie) => ({
		node: fc.oneof(
			{ maxDepth: 6, withCrossShrink: true },
			value,
			fc.array(tie('node'), { maxLength: 4 }),
			fc.array(fc.tuple(word, tie('node')), { maxLength: 5 }).map((all) => Object.fromEntries(all)),
		),
	})).node;

	it('is refused, or becomes fields with a path each, and a valid JSON Schema', () => {
		fc.assert(
			fc.property(
				fc.oneof(
					node,
					fc.jsonValue(),
					node.map((one) => withField(one)),
				),
				(given) => {
					const fields = read(given);
					if (typeof fields === 'string') return;
					const paths = fields.map(({ path }) => path);
					expect([...new Set(paths)].sort()).toEqual(paths);
					expect(paths).not.toContain('');
					// Throws for a schema that is not valid.
					ajv.compile(toJsonSchema(readSchema(given)));
					ajv.removeSchema();
				},
			),
			{ numRuns: tries(100) },
		);
	});
});

describe('The JSON Schema of a record', () => {
	const schemaOf = (definition: unknown) =>
		toJsonSchema(readSchema(withField(definition, { $defs }))).properties?.a;

	it.each<[what: string, definition: object, expected: object]>([
		['null', { type: ['string', 'null'] }, { type: ['string', 'null'] }],
		[
			'what is nullable',
			{ $ref: '#/$defs/A', nullable: true },
			{ type: ['null', 'object'], properties: { b: { type: 'integer' } } },
		],
		[
			'a description',
			{ type: 'string', description: ' What it is ', format: 'keyword' },
			{ description: 'What it is', type: 'string' },
		],
		[
			'its own description, rather than that of what it refers to',
			{ $ref: '#/$defs/Described', description: 'Of the field' },
			{ type: 'string', description: 'Of the field' },
		],
		[
			'lists',
			{ type: 'array', items: { type: 'number' }, minItems: 2 },
			{ type: 'array', items: { type: 'number' } },
		],
		['any value for a type that is none of JSON', { type: 'geo_point' }, {}],
	])('keeps %s', (_, definition, expected) => {
		expect(schemaOf(definition)).toStrictEqual(expected);
	});
});

describe('A schema that is too large ends soon, and is refused:', () => {
	const any = { $ref: '#/definitions/any' };
	const doubling = Object.fromEntries(
		Array.from({ length: 40 }, (_, index) => {
			const next = { $ref: `#/definitions/d${index + 1}` };
			return [`d${index}`, { properties: { a: next, b: next } }];
		}),
	);
	const text = 'x'.repeat(1_000_000);
	const fields = (count: number) =>
		Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, {}]));
	const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`f${index}`, any]));
	const deep = (open: string, close: string, levels: number) => ({
		properties: { x: JSON.parse(`${open.repeat(levels)}true${close.repeat(levels)}`) as unknown },
	});
	it.each<[what: string, schema: unknown]>([
		[
			'definitions that double',
			{ properties: { a: { $ref: '#/definitions/d0' } }, definitions: doubling },
		],
		['a repeated description', { properties: many, definitions: { any: { description: text } } }],
		['90,000 fields', { properties: fields(90_000) }],
		['20,000 nested properties', deep('{"properties":{"x":', '}}', 20_000)],
		['101 nested properties', deep('{"properties":{"x":', '}}', 101)],
		['101 nested lists', deep('{"items":', '}', 101)],
		['101 nested parts', deep('{"allOf":[', ']}', 101)],
		['a nested map', JSON.parse(`${'{"x":'.repeat(20_000)}"string"${'}'.repeat(20_000)}`)],
	])('%s', (_, schema) => {
		expect(interruptible(() => read(schema))).toBe(CANNOT);
	});

	it('but not one with 20,000 fields, or 100 levels', () => {
		expect(read({ properties: fields(20_000) })).toHaveLength(20_000);
		expect(read(deep('{"properties":{"x":', '}}', 100))).toHaveLength(101);
		expect(read(deep('{"items":', '}', 100))).toHaveLength(1);
		expect(read(deep('{"allOf":[', ']}', 100))).toHaveLength(1);
	});
});

/** Reading a people schema never fails, whatever the JSON, and follows definitions no further than it must. */
import fc from 'fast-check';

import { TOO_LARGE } from '../../../../nodes/OutreachService/actions/peopleSchema/schemaErrors';
import { tries } from '../../../propertyRuns';
import { interruptible } from '../../interruptible';
import { readSchemaFields, toJsonSchema, treeOrMessage } from './notations';

/** Words that make random JSON resemble a schema. */
const word = fc.constantFrom(
	'type',
	'properties',
	'items',
	'name',
	'fields',
	'schema',
	'data',
	'$ref',
	'anyOf',
	'path',
	'isArray',
	'string',
	'array',
	'object',
	'integer',
	'array<string>',
	'null',
	'#',
	'a',
	'',
	'#/properties/a',
	'__proto__',
);
const schemaLike = fc.letrec<{ node: unknown }>((tie) => ({
	node: fc.oneof(
		{ maxDepth: 6 },
		fc.oneof(word, fc.integer(), fc.double(), fc.boolean(), fc.constant(null)),
		fc.array(tie('node'), { maxLength: 5 }),
		fc
			.array(fc.tuple(word, tie('node')), { maxLength: 6 })
			.map((entries) => Object.fromEntries(entries)),
	),
})).node;
const anyJson = fc.oneof(schemaLike, fc.jsonValue());

describe('Reading a schema', () => {
	it('never fails, whatever the JSON, and returns each path once', () => {
		fc.assert(
			fc.property(anyJson, (json) => {
				const paths = readSchemaFields(json)?.map(({ path }) => path) ?? [];
				expect(new Set(paths).size).toBe(paths.length);
				expect(paths).not.toContain('');
			}),
			{ numRuns: tries(75) },
		);
	});

	it('sorts by path', () => {
		const paths = readSchemaFields({ b: 'text', c: [{ z: 1, y: 2 }], a: 'text' });
		expect(paths?.map(({ path }) => path)).toEqual(['a', 'b', 'c', 'c[].y', 'c[].z']);
	});

	it('follows a definition that contains itself once more', () => {
		const person = {
			type: 'object',
			properties: { name: 'string', friends: { type: 'array', items: { $ref: '#' } } },
		};
		expect(readSchemaFields(person)?.map(({ path }) => path)).toEqual([
			'friends',
			'friends[].friends',
			'friends[].name',
			'name',
		]);
	});

	it('reads a large schema completely, and says so when one is too large', () => {
		const record = (length: number) =>
			Object.fromEntries(Array.from({ length }, (_, i) => [`f${i}`, { type: 'integer' }]));
		expect(readSchemaFields({ properties: record(20_000) })).toHaveLength(20_000);
		expect(treeOrMessage({ properties: record(60_000) })).toBe(TOO_LARGE.message);
	});

	const wide = (length: number) => Array.from({ length }, () => ({ $ref: '#/definitions/any' }));
	const doubling = Object.fromEntries(
		Array.from({ length: 40 }, (_, index) => {
			const next = { $ref: `#/definitions/d${index + 1}` };
			return [`d${index}`, { properties: { a: next, b: next } }];
		}),
	);
	const text = 'x'.repeat(1_000_000);
	const field = { $ref: '#/definitions/any' };
	const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`f${i}`, field]));
	it.each<[what: string, schema: unknown]>([
		[
			'a choice of itself',
			{ properties: { a: field }, definitions: { any: { anyOf: wide(4_000) } } },
		],
		[
			'definitions that double',
			{ properties: { a: { $ref: '#/definitions/d0' } }, definitions: doubling },
		],
		[
			'a repeated description',
			{ properties: many, definitions: { any: { type: 'string', description: text } } },
		],
		['repeated allowed values', { properties: many, definitions: { any: { enum: [text] } } }],
		[
			'long names in each other',
			{
				properties: { [text]: { properties: { [text]: { properties: { [text]: many } } } } },
				definitions: { any: {} },
			},
		],
		['lists in lists', JSON.parse(`${'['.repeat(60_000)}1${']'.repeat(60_000)}`)],
		['a million numbers', { a: Array.from({ length: 1_000_000 }, (_, i) => i) }],
		[
			'a million open fields',
			{ a: Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [`f${i}`, {}])) },
		],
	])('ends for %s, which is refused', (_, schema) => {
		const read = interruptible(() => [readSchemaFields(schema), toJsonSchema(schema)]);
		expect(read).toEqual([undefined, undefined]);
	});

	it.each([
		['a list of itself', { type: 'array', items: { $ref: '#' } }],
		['an envelope that holds itself', { data: { $ref: '#' } }],
	])('finds no fields in %s', (_, circle) => {
		expect(readSchemaFields(circle)).toBeUndefined();
	});

	it.each([
		['a choice', { anyOf: [{ $ref: '#/properties/a' }] }, false],
		['a list', { type: 'array', items: { $ref: '#/properties/a' } }, true],
		['a reference', { $ref: '#/properties/a' }, false],
	])("gives the type 'unknown' to a field that is %s of itself", (_, circle, isArray) => {
		expect(readSchemaFields({ properties: { a: circle } })).toEqual([
			{ path: 'a', type: 'unknown', isArray },
		]);
	});

	it.each([
		['lists', '[', ']'],
		['records', '{"a":', '}'],
		['definitions of lists', '{"items":', '}'],
		['envelopes', '{"data":', '}'],
		['envelopes in lists', '[{"data":', '}]'],
		['named fields', '[{"name":"a","type":"object","fields":', '}]'],
	])('survives 50,000 nested %s', (_, open, close) => {
		const deep: unknown = JSON.parse(`${open.repeat(50_000)}1${close.repeat(50_000)}`);
		expect(readSchemaFields(deep)).toBeUndefined();
		expect(treeOrMessage({ x: deep })).toBe(TOO_LARGE.message);
	});
});

import fc from 'fast-check';

import { compareFields } from '../../../nodes/OutreachService/model/compareFields';
import { DOCUMENTED_PEOPLE_FIELDS } from '../../../nodes/OutreachService/model/documentedPeople';
import { readSchemaFields } from '../../../nodes/OutreachService/model/peopleSchema';

const field = (path: string, type = 'string', isArray = false) => ({ path, type, isArray });

/** JSON that looks like a schema more often than chance would have it. */
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
	'#/properties/a',
	'a',
	'',
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
	it('never fails, whatever JSON it gets, and no path comes twice', () => {
		fc.assert(
			fc.property(anyJson, (json) => {
				const paths = readSchemaFields(json)?.map(({ path }) => path) ?? [];
				expect(new Set(paths).size).toBe(paths.length);
				expect(paths).not.toContain('');
			}),
			{ numRuns: 1000 },
		);
	});

	it('gives the same again for what it gave', () => {
		fc.assert(
			fc.property(anyJson, (json) => {
				const fields = readSchemaFields(json);
				fc.pre(fields !== undefined);
				expect(readSchemaFields(fields)).toEqual(fields);
				expect(readSchemaFields(JSON.parse(JSON.stringify(fields)))).toEqual(fields);
			}),
			{ numRuns: 500 },
		);
	});

	it('ends for definitions that refer to themselves, and for hostile nesting', () => {
		const person = {
			type: 'object',
			properties: { name: 'string', friends: { type: 'array', items: { $ref: '#' } } },
		};
		expect(readSchemaFields(person)?.map(({ path }) => path)).toContain('friends[].friends[].name');
		const circle = { anyOf: [{ $ref: '#/properties/a' }] };
		expect(
			readSchemaFields({ properties: { a: circle, b: { $ref: '#/properties/b' } } }),
		).toHaveLength(2);
		expect(readSchemaFields({ type: 'array', items: { $ref: '#' } })).toBeUndefined();
		const names = Array.from({ length: 30 }, (_, i) => [`f${i}`, { $ref: '#' }] as const);
		expect(readSchemaFields({ properties: Object.fromEntries(names) })!.length).toBeLessThanOrEqual(
			5000,
		);
		for (const [open, close] of [
			['[', ']'],
			['{"a":', '}'],
			['{"items":', '}'],
			['{"data":', '}'],
		]) {
			const deep: unknown = JSON.parse(`{"x":${open!.repeat(5000)}1${close!.repeat(5000)}}`);
			expect(() => readSchemaFields(deep)).not.toThrow();
		}
	});

	it.each([
		[
			'a nullable type',
			{ properties: { a: { type: ['null', 'integer'] } } },
			[field('a', 'integer')],
		],
		[
			'a choice of types',
			{ properties: { a: { anyOf: [{ type: 'null' }, { type: 'string' }] } } },
			[field('a')],
		],
		[
			'a reference',
			{ properties: { a: { $ref: '#/definitions/A' } }, definitions: { A: { type: 'boolean' } } },
			[field('a', 'boolean')],
		],
		['a field called type', { type: 'text', id: 7 }, [field('id', 'integer'), field('type')]],
		[
			'array<…> and …[]',
			{ a: 'array<integer>', b: 'string[]' },
			[field('a', 'integer', true), field('b', 'string', true)],
		],
		[
			'a list of numbers of which one has a fraction',
			{ geo: [4, 52.5], name: 'x' },
			[field('geo', 'number', true), field('name')],
		],
		[
			'a list with nested fields',
			[{ name: 'a', type: 'object[]', fields: [{ name: 'b', type: 'int' }] }],
			[field('a', 'object', true), field('a[].b', 'integer')],
		],
		['an envelope', { data: { a: 'string' }, version: '2' }, [field('a')]],
	])('understands %s', (_, schema, expected) => {
		expect(readSchemaFields(schema)).toEqual(expected);
	});

	it.each([[null], [42], ['text'], [[]], [{}], [[1, 2]], [[[]]]])(
		'gives nothing for %j',
		(json) => {
			expect(readSchemaFields(json)).toBeUndefined();
		},
	);
});

describe('Comparing two schemas', () => {
	const fields = fc.uniqueArray(
		fc.record({
			path: fc.constantFrom('a', 'b', 'b.x', 'c', 'c[].y', 'd', 'e'),
			type: fc.constantFrom('string', 'integer', 'object', 'unknown'),
			isArray: fc.boolean(),
		}),
		{ selector: ({ path }) => path },
	);

	it('finds no change in a schema compared with itself', () => {
		fc.assert(
			fc.property(fields, (some) => {
				expect(compareFields(some, some)).toEqual({
					changed: false,
					added: [],
					removed: [],
					retyped: [],
				});
			}),
		);
	});

	it('finds the opposite the other way round', () => {
		const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1);
		fc.assert(
			fc.property(fields, fields, (before, now) => {
				const there = compareFields(before, now);
				const back = compareFields(now, before);
				expect(back.added).toEqual(there.removed);
				expect(back.removed).toEqual(there.added);
				expect(back.changed).toBe(there.changed);
				expect([...back.retyped].sort(byPath)).toEqual(
					there.retyped.map(({ path, from, to }) => ({ path, from: to, to: from })).sort(byPath),
				);
			}),
		);
	});

	it('takes what either side leaves open for no change, nor what would be inside it', () => {
		const open = [field('a', 'unknown', true), field('b')];
		const known = [field('a', 'object', true), field('a[].x'), field('b')];
		expect(compareFields(open, known).changed).toBe(false);
		expect(compareFields(known, open).changed).toBe(false);
	});

	it('finds each field of the interface that is missing', () => {
		fc.assert(
			fc.property(fc.constantFrom(...DOCUMENTED_PEOPLE_FIELDS), (missing) => {
				const now = DOCUMENTED_PEOPLE_FIELDS.filter((one) => one !== missing);
				expect(compareFields(DOCUMENTED_PEOPLE_FIELDS, now)).toMatchObject({
					changed: true,
					removed: [missing],
				});
			}),
		);
	});
});

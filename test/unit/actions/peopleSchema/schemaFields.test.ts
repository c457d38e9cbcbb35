import fc from 'fast-check';

import { readSchemaFields } from '../../../../nodes/OutreachService/actions/peopleSchema/schemaFields';

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
	it('never fails, whatever the JSON, and returns each path once', () => {
		fc.assert(
			fc.property(anyJson, (json) => {
				const paths = readSchemaFields(json)?.map(({ path }) => path) ?? [];
				expect(new Set(paths).size).toBe(paths.length);
				expect(paths).not.toContain('');
			}),
			{ numRuns: 1000 },
		);
	});

	it('returns its own output unchanged', () => {
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

	it('sorts by path', () => {
		const paths = readSchemaFields({ b: 'text', c: [{ z: 1, y: 2 }], a: 'text' });
		expect(paths?.map(({ path }) => path)).toEqual(['a', 'b', 'c', 'c[].y', 'c[].z']);
	});

	it('follows a definition that contains itself for a few levels', () => {
		const person = {
			type: 'object',
			properties: { name: 'string', friends: { type: 'array', items: { $ref: '#' } } },
		};
		const paths = readSchemaFields(person)?.map(({ path }) => path);
		expect(paths).toContain('friends[].friends[].name');
		expect(paths).toHaveLength(2 * 9);
	});

	it('stops at 5,000 fields', () => {
		const names = Array.from({ length: 30 }, (_, i) => [`f${i}`, { $ref: '#' }] as const);
		expect(readSchemaFields({ properties: Object.fromEntries(names) })).toHaveLength(5000);
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
		const deep = `${open.repeat(50_000)}1${close.repeat(50_000)}`;
		expect(() => readSchemaFields(JSON.parse(deep))).not.toThrow();
		expect(readSchemaFields(JSON.parse(`{"x":${deep}}`))).toContainEqual(
			expect.objectContaining({ path: 'x' }),
		);
	});

	it.each([[null], [42], ['text'], [[]], [{}], [[1, 2]], [[[]]]])(
		'finds no fields in %j',
		(json) => {
			expect(readSchemaFields(json)).toBeUndefined();
		},
	);
});

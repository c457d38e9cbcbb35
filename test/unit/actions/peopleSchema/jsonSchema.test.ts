import { Ajv2020 } from 'ajv/dist/2020';
import fc from 'fast-check';

import { NOTATIONS, record, sample, type Field } from './everyRecord';
import { readSchemaFields, toJsonSchema } from './read';

/** As strict as it can be: any keyword that 2020-12 does not have is an error. One for all, because making it takes long. */
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });

afterEach(() => ajv.removeSchema());

function validatorOf(given: unknown) {
	const schema = toJsonSchema(given);
	if (!schema) throw new Error('It could not be read');
	return ajv.compile(schema);
}

/** The schema of one field. */
const of = (definition: unknown, more = {}) =>
	toJsonSchema({ type: 'object', properties: { field: definition }, ...more })?.properties?.field;

/** A record with a value of a wrong type in one of its fields. */
const wrong = ({ name, isArray, kind }: Field): object => {
	const value = kind === 'string' ? 0 : 'not that';
	return { [name]: isArray ? [value] : value };
};

describe.each(NOTATIONS)('The JSON Schema of any record described by %s', (_, write) => {
	it('is valid, and allows the record but no value of a wrong type', () => {
		fc.assert(
			fc.property(record, (fields) => {
				const validate = validatorOf(write(fields));
				expect([validate(sample(fields)), validate.errors]).toEqual([true, null]);
				for (const field of fields) expect(validate(wrong(field))).toBe(false);
			}),
			// Compiling takes longer than everything else.
			{ numRuns: 20 },
		);
	});

	it('has the fields that the node lists', () => {
		fc.assert(
			fc.property(record, (fields) => {
				const given = write(fields);
				expect(readSchemaFields(toJsonSchema(given))).toEqual(readSchemaFields(given));
			}),
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
			expect([ajv.validateSchema(schema), ajv.errors]).toEqual([true, null]);
			expect(ajv.compile(schema)).toEqual(expect.any(Function));
		}),
		{ numRuns: 100 },
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
		{ numRuns: 100 },
	);
});

const ANY_LIST = { type: 'array', items: {} };
const EMPTY_LIST = { ...ANY_LIST, minItems: 0, maxItems: 0 };
const LIST_OR_TEXT = { type: ['array', 'string'], items: { type: 'integer' } };

describe('A definition', () => {
	it.each([
		['a nullable type', { type: ['string', 'null'] }, { type: ['string', 'null'] }],
		['OpenAPI nullable', { type: 'integer', nullable: true }, { type: ['integer', 'null'] }],
		[
			'a type or null',
			{ oneOf: [{ type: 'null' }, { type: 'number' }] },
			{ type: ['number', 'null'] },
		],
		[
			'several types',
			{ anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }] },
			{ anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }] },
		],
		['a list of types', { type: ['string', 'integer'] }, { type: ['string', 'integer'] }],
		['allowed values', { type: 'string', enum: ['a', 'b'] }, { type: 'string', enum: ['a', 'b'] }],
		[
			'allowed values or null',
			{ type: 'string', nullable: true, enum: ['a'] },
			{ type: ['string', 'null'], enum: ['a', null] },
		],
		[
			'a description, without what only other dialects have',
			{ type: 'string', description: ' What it is ', format: 'keyword', example: 'x', xml: {} },
			{ description: 'What it is', type: 'string' },
		],
		[
			'a list of a given length',
			{ type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 },
			{ type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 },
		],
		[
			'lists in lists',
			{ type: 'array', items: { type: 'array', items: { type: 'string' } } },
			{ type: 'array', items: { type: 'array', items: { type: 'string' } } },
		],
		[
			'a tuple',
			{ type: 'array', items: [{ type: 'integer' }, { type: 'number' }] },
			{ type: 'array', items: { type: 'number' } },
		],
		['any value', {}, {}],
		['the name of an open type', 'any', {}],
		['a list of an open type', 'any[]', { type: 'array', items: {} }],
		['a sample of true', true, { type: 'boolean' }],
		['a sample of null', null, {}],
		['a list of anything', { type: 'array' }, { type: 'array', items: {} }],
		['a list that may be empty', { type: 'array', minItems: 0, maxItems: 0 }, EMPTY_LIST],
		['a length that is none', { type: 'array', minItems: '2', maxItems: -1 }, ANY_LIST],
		['a length that is not whole', { type: 'array', minItems: 0.5, maxItems: [1] }, ANY_LIST],
		['a list or a text', { type: ['array', 'string'], items: 'int' }, LIST_OR_TEXT],
		['an object with open fields', { type: 'object' }, { type: 'object' }],
		['a text with fields', { type: 'string', properties: { a: 'int' } }, { type: 'string' }],
		[
			'allowed values that are not all simple, or twice the same',
			{ type: 'string', enum: ['a', { b: 1 }, 'a', null, ['c']] },
			{ type: 'string', enum: ['a', null] },
		],
		['null alone', { type: ['null'], enum: ['a'] }, { enum: ['a'] }],
		['null as the only variant', { anyOf: [{ type: 'null' }], enum: ['a'] }, { enum: ['a'] }],
		[
			'several types without null',
			{ anyOf: [{ type: 'string' }, { type: 'integer' }] },
			{ anyOf: [{ type: 'string' }, { type: 'integer' }] },
		],
		[
			'variants that allow null themselves',
			{ anyOf: [{ type: ['string', 'null'] }, { type: 'null' }] },
			{ type: ['string', 'null'] },
		],
		[
			'variants of a given type',
			{ type: 'string', anyOf: [{ type: 'integer' }, { type: 'boolean' }] },
			{ type: 'string' },
		],
		[
			'variants of given fields',
			{ properties: { a: 'int' }, oneOf: [{ type: 'string' }] },
			{ type: 'object', properties: { a: { type: 'integer' } } },
		],
		[
			'several parts',
			{ allOf: ['text', { type: 'number' }, { type: 'string' }] },
			{ type: 'number' },
		],
		['parts that say nothing', { allOf: ['text', 7] }, {}],
		['a type and parts', { type: 'integer', allOf: [{ type: 'string' }] }, { type: 'integer' }],
	])('of %s is kept', (_, definition, expected) => {
		expect(of(definition)).toStrictEqual(expected);
	});

	it('of a part is found where it is defined', () => {
		const allOf = [{ $ref: '#/definitions/Name' }, { description: 'Of a person' }];
		expect(of({ allOf }, { definitions: { Name: { type: 'string' } } })).toEqual({
			description: 'Of a person',
			type: 'string',
		});
	});

	it('requires only fields that exist', () => {
		const schema = {
			type: 'object',
			properties: { a: { type: 'string' } },
			required: ['a', 'b', 1],
		};
		expect(toJsonSchema(schema)?.required).toEqual(['a']);
		expect(of(schema)?.required).toEqual(['a']);
		expect(toJsonSchema({ properties: schema.properties })).not.toHaveProperty('required');
	});

	it('that refers to itself ends somewhere', () => {
		const friend = { $ref: '#/definitions/Person' };
		const Person = { type: 'object', properties: { name: { type: 'string' }, friend } };
		const validate = validatorOf({ ...friend, definitions: { Person } });
		expect(validate({ friend: { name: 'Ada', friend: { name: 'Grace' } } })).toBe(true);
		expect(validate({ friend: { name: 1 } })).toBe(false);
	});

	it('that refers to itself in several ways does not grow without end', () => {
		const any = { anyOf: [{ $ref: '#/definitions/Any' }, { $ref: '#/definitions/List' }] };
		const List = { type: 'array', items: any };
		const schema = toJsonSchema({ properties: { any }, definitions: { Any: any, List } });
		expect(JSON.stringify(schema).length).toBeLessThan(1_000_000);
		expect(ajv.validateSchema(schema ?? {})).toBe(true);
	});
});

it('The JSON Schema says what it describes, and in which dialect', () => {
	expect(toJsonSchema({ name: 'string' })).toStrictEqual({
		$schema: 'https://json-schema.org/draft/2020-12/schema',
		title: 'People record',
		type: 'object',
		properties: { name: { type: 'string' } },
	});
});

it('A field in a list of fields stays one of its own when what contains it is no object', () => {
	const field = (path: string) => ({ path, type: 'string', isArray: false });
	expect(toJsonSchema([field('a'), field('a.b')])?.properties).toEqual({
		a: { type: 'string' },
		'a.b': { type: 'string' },
	});
});

it.each([[null], [42], ['text'], [[]], [{}], [[1, 2]], [[[]]]])('%j is no schema', (given) => {
	expect(toJsonSchema(given)).toBeUndefined();
});

it("The JSON Schema of the node's own list of fields nests them as their paths say, in any order", () => {
	const list = [
		{ path: 'a.phones[].number', type: 'string', isArray: false },
		{ path: 'a', type: 'object', isArray: false },
		{ path: 'a.phones', type: 'object', isArray: true },
		{ path: 'a.tags', type: 'string', isArray: true },
		{ path: 'score', type: 'number', isArray: false },
		{ path: 'extra', type: 'mystery', isArray: false },
		{ path: 'lost.child', type: 'boolean', isArray: false },
	];
	const expected = {
		a: {
			type: 'object',
			properties: {
				tags: { type: 'array', items: { type: 'string' } },
				phones: {
					type: 'array',
					items: { type: 'object', properties: { number: { type: 'string' } } },
				},
			},
		},
		score: { type: 'number' },
		extra: {},
		'lost.child': { type: 'boolean' },
	};
	expect(toJsonSchema(list)?.properties).toEqual(expected);
	expect(toJsonSchema([...list].reverse())?.properties).toEqual(expected);
});

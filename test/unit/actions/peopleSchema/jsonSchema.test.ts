/** The JSON Schema that a people schema becomes. */
import { toJsonSchema } from './notations';

/** The schema of one field. */
const of = (definition: unknown, more = {}) =>
	toJsonSchema({ type: 'object', properties: { field: definition }, ...more })?.properties?.field;

const ANY_LIST = { type: 'array', items: {} };
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
			'a list of elements with several types',
			{
				type: 'array',
				items: [
					['string', 'integer'],
					['string', 'integer', 'null'],
				].map((type) => ({ type })),
			},
			{ type: 'array', items: {} },
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
			'a list, without its length',
			{ type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 },
			{ type: 'array', items: { type: 'number' } },
		],
		[
			'a tuple',
			{ type: 'array', items: [{ type: 'integer' }, { type: 'number' }] },
			{ type: 'array', items: { type: 'number' } },
		],
		['any value', {}, {}],
		['the name of an open type', 'any', {}],
		['a list of an open type', 'any[]', { type: 'array', items: {} }],
		['a list of anything', { type: 'array' }, ANY_LIST],
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
			'variants that allow null themselves',
			{ anyOf: [{ type: ['string', 'null'] }, { type: 'null' }] },
			{ type: ['string', 'null'] },
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
		['a type and parts', { type: 'integer', allOf: [{ type: 'string' }] }, { type: 'integer' }],
		[
			'fields and parts',
			{
				properties: { a: { type: 'string' } },
				required: ['a'],
				allOf: [{ properties: { b: { type: 'integer' } }, required: ['b'] }],
			},
			{
				type: 'object',
				properties: { b: { type: 'integer' }, a: { type: 'string' } },
				required: ['b', 'a'],
			},
		],
	])('of %s is kept', (_, definition, expected) => {
		expect(of(definition)).toStrictEqual(expected);
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
});

it('The JSON Schema says what it describes, and in which dialect', () => {
	expect(toJsonSchema({ name: 'string' })).toStrictEqual({
		$schema: 'https://json-schema.org/draft/2020-12/schema',
		title: 'People record',
		type: 'object',
		properties: { name: { type: 'string' } },
	});
});

it('Two schemas share nothing, so that what changes one of them does not change the other', () => {
	const notation = { a: 'string', b: 'array', c: 'integer[]' };
	const [one, other] = [toJsonSchema(notation), toJsonSchema(notation)];
	const before = JSON.stringify(other);
	for (const schema of Object.values(one?.properties ?? {})) {
		schema.description = 'changed';
		if (schema.items) schema.items.description = 'changed';
	}
	expect(JSON.stringify(other)).toBe(before);
});

/** Definitions that are combined, such as those of the elements of a list. */
import {
	common,
	define,
	nullable,
	type JsonSchema,
} from '../../../../nodes/OutreachService/actions/peopleSchema/definition';

const text: JsonSchema = { type: 'string' };
const list = (items: JsonSchema): JsonSchema => ({ type: 'array', items });
const object = (properties: Record<string, JsonSchema>): JsonSchema => ({
	type: 'object',
	properties,
});

describe('What two definitions have in common', () => {
	it.each<[kind: string, one: JsonSchema, other: JsonSchema, expected: JsonSchema]>([
		['the same type', text, text, text],
		['an integer and a number', { type: 'integer' }, { type: 'number' }, { type: 'number' }],
		['a number and a text', { type: 'number' }, text, {}],
		['a text and a number', text, { type: 'integer' }, {}],
		['a list and an object', list(text), object({ a: text }), {}],
		['lists of the same', list(text), list(text), list(text)],
		[
			'lists of numbers',
			list({ type: 'integer' }),
			list({ type: 'number' }),
			list({ type: 'number' }),
		],
		[
			'objects with different fields',
			object({ a: text, b: { type: 'integer' } }),
			object({ b: { type: 'number' }, c: text }),
			object({ a: text, b: { type: 'number' }, c: text }),
		],
		[
			'objects that require fields',
			{ ...object({ a: text }), required: ['a'] },
			object({}),
			object({ a: text }),
		],
	])('is, for %s, what allows both', (_, one, other, expected) => {
		expect(common(one, other)).toStrictEqual(expected);
	});

	it('changes neither of them, and keeps a field with any name', () => {
		const one = object({ a: text });
		const properties = JSON.parse('{"__proto__": {"type": "string"}}') as Record<
			string,
			JsonSchema
		>;
		const both = common(one, { type: 'object', properties });
		expect(Object.keys(both.properties ?? {})).toEqual(['a', '__proto__']);
		expect(one).toStrictEqual(object({ a: text }));
	});
});

it('A field may be set twice', () => {
	const properties = {};
	define(properties, 'a', 1);
	expect(define(properties, 'a', 2)).toStrictEqual({ a: 2 });
});

describe('A definition that also allows null', () => {
	it.each<[kind: string, given: JsonSchema, expected: JsonSchema]>([
		['of one type', text, { type: ['string', 'null'] }],
		['of several types', { type: ['string', 'integer'] }, { type: ['string', 'integer', 'null'] }],
		['that has null already', { type: ['string', 'null'] }, { type: ['string', 'null'] }],
		['of null alone', { type: 'null' }, { type: 'null' }],
		['of any type', {}, {}],
		['of variants', { anyOf: [text] }, { anyOf: [text, { type: 'null' }] }],
		[
			'with allowed values',
			{ ...text, enum: ['a', null] },
			{ type: ['string', 'null'], enum: ['a', null] },
		],
	])('is made of one %s', (_, given, expected) => {
		expect(nullable(given)).toStrictEqual(expected);
	});
});

/** Which bodies are used at all, whatever they say (D94). */
import fc from 'fast-check';

import {
	formsOf,
	isTooComplex,
	problemWithBody,
} from '../../../nodes/OutreachService/api/acceptance';
import { tries } from '../../propertyRuns';

const MAX_DEPTH = 200;
const MAX_VALUES = 400_000;

const countIn = (value: unknown): number =>
	typeof value === 'object' && value !== null
		? 1 + Object.values(value).reduce<number>((sum, one) => sum + countIn(one), 0)
		: 1;

it('A body of any real size is used, whatever its texts look like', () => {
	fc.assert(
		fc.property(fc.jsonValue(), (value) => {
			expect(countIn(value)).toBeLessThan(MAX_VALUES);
			expect(isTooComplex(JSON.stringify(value))).toBe(false);
			expect(isTooComplex(JSON.stringify(value, null, 2))).toBe(false);
			expect(isTooComplex(JSON.stringify('[{,'.repeat(MAX_VALUES) + JSON.stringify(value)))).toBe(
				false,
			);
		}),
		{ numRuns: tries(5) },
	);
});

it('A body with too many values, or with values too deep in each other, is not', () => {
	const many = Math.ceil(MAX_VALUES / 2) + 2;
	for (const one of ['{}', '[]', '0', '"a"', '{"a":1}']) {
		const list = `[${Array.from({ length: one.length === 2 ? many : 2 * many }, () => one).join()}]`;
		expect(isTooComplex(list)).toBe(true);
	}
	const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
	expect(isTooComplex(nested(MAX_DEPTH))).toBe(false);
	expect(isTooComplex(nested(MAX_DEPTH + 1))).toBe(true);
	expect(isTooComplex(nested(MAX_DEPTH + 1), Infinity)).toBe(false);
});

const key = fc.oneof(
	fc.string({ minLength: 8, unit: 'grapheme' }),
	fc.stringMatching(/^[\w+/=?&"\\-]{8,40}$/),
);
const letters = (text: string): string[] => Array.from(text);

/** A text in JSON, as different programs write it. */
const escaped = fc.constantFrom<(text: string) => string>(
	(text) => JSON.stringify(text),
	(text) => JSON.stringify(text).replaceAll('/', '\\/'),
	(text) =>
		`"${text
			.split('')
			.map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
			.join('')}"`,
);
const place = fc.constantFrom<(json: string) => string>(
	(json) => `{"headers":{"authorization":${json}}}`,
	(json) => `[{"a":[${json}]}]`,
	(json) => `{${json}:1}`,
);

it('A body that repeats the API key is not used, in whatever field and form', () => {
	const header = (apiKey: string) => `Basic ${Buffer.from(`:${apiKey}`).toString('base64')}`;
	const form = fc.constantFrom<(apiKey: string) => string>(
		header,
		(apiKey) => apiKey,
		(apiKey) => `before ${apiKey} after`,
		(apiKey) => encodeURIComponent(apiKey),
		(apiKey) => encodeURIComponent(header(apiKey)),
		(apiKey) => Buffer.from(apiKey).toString('base64url'),
		(apiKey) => Buffer.from(apiKey).toString('hex'),
	);
	fc.assert(
		fc.property(key, form, escaped, place, (apiKey, write, escape, put) => {
			fc.pre(
				letters(apiKey).every((letter) => !/[\ud800-\udfff]/.test(letter) || letter.length > 1),
			);
			const body = { text: put(escape(write(apiKey))), isTruncated: false };
			expect(problemWithBody(body, formsOf(apiKey))).toBe('repeatsKey');
		}),
		{ numRuns: tries(125) },
	);
});

it('A body that merely holds a short key is used, because that is a part of many texts', () => {
	const body = { text: '[{"_id":"hoo_k","targetUrl":"https://k.test"}]', isTruncated: false };
	expect(problemWithBody(body, formsOf('k'))).toBeUndefined();
});

/** How the body of a response is decoded, which bodies are used at all (D94), and what an error quotes. */
import fc from 'fast-check';

import {
	decodeBody,
	excessOf,
	looksLikePage,
	problemWithBody,
	quoteOf,
} from '../../../nodes/OutreachService/api/body';
import { tries } from '../../propertyRuns';
import { errorBodies } from './values';

const MAX_DEPTH = 200;
const MAX_VALUES = 400_000;
const ofText = (text: string) => ({ text, isTruncated: false, isText: true });

describe('A body is decoded', () => {
	const decode = (bytes: Buffer, type?: string) => decodeBody(bytes, type, false);
	const LATIN = Buffer.from('M\xfcller', 'latin1');

	it.each([
		['as UTF-8 if nothing is declared', Buffer.from('Müller'), 'application/json'],
		['as ISO-8859-1', LATIN, 'text/plain; charset=ISO-8859-1'],
		['as Windows-1252, in quotation marks', LATIN, 'text/plain;charset="windows-1252"; x=1'],
		['as UTF-16', Buffer.from('Müller', 'utf16le'), 'application/json; charset=utf-16le'],
		['by its byte order mark', Buffer.from('\ufeffMüller', 'utf16le'), 'text/plain; charset=utf-8'],
		['by that of UTF-8', Buffer.from('\ufeffMüller'), undefined],
	])('%s', (_, bytes, type) => {
		expect(decode(bytes, type)).toMatchObject({ text: 'Müller', isText: true });
	});

	it.each([
		['is not UTF-8, and declares nothing', LATIN, 'application/json'],
		['is not in the encoding that it declares', LATIN, 'text/plain; charset=utf-8'],
		['declares an encoding that nobody knows', LATIN, 'text/plain; charset=klingon'],
		['is half a character', Buffer.from('ü').subarray(0, 1), undefined],
	])('or is no text if it %s', (_, bytes, type) => {
		const body = decode(bytes, type);
		expect(body).toMatchObject({ text: '', isText: false });
		expect(problemWithBody(body, 'key-Zx81-confidential')).toBe('notText');
	});

	it('up to half a character if it is too long to be read whole', () => {
		const part = Buffer.from('Müller').subarray(0, 2);
		expect(decodeBody(part, undefined, true)).toMatchObject({ text: 'M', isText: true });
	});
});

it('A body of any real size is used, whatever its texts look like', () => {
	fc.assert(
		fc.property(fc.jsonValue(), (value) => {
			expect(excessOf(JSON.stringify(value))).toBeUndefined();
			const text = JSON.stringify('[{,'.repeat(MAX_VALUES));
			expect(excessOf(`[${text},${JSON.stringify(value, null, 2)}]`)).toBeUndefined();
		}),
		{ numRuns: tries(5) },
	);
});

it('A body with too many values, or with values too deep in each other, is not', () => {
	const many = Math.ceil(MAX_VALUES / 2) + 2;
	for (const one of ['{}', '[]', '0', '"a"', '{"a":1}']) {
		const list = `[${Array.from({ length: one.length === 2 ? many : 2 * many }, () => one).join()}]`;
		expect(excessOf(list)).toBe('tooLarge');
	}
	const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
	expect(excessOf(nested(MAX_DEPTH))).toBeUndefined();
	expect(excessOf(nested(MAX_DEPTH + 1))).toBe('tooDeep');
});

describe('A body that contains the API key', () => {
	const key = fc.stringMatching(/^[\w+/=?&-]{8,40}$/);
	const inHeader = (apiKey: string) => Buffer.from(`:${apiKey}`).toString('base64');
	const form = fc.constantFrom(inHeader, (apiKey: string) => apiKey);
	const json = fc.constantFrom(
		(text: string) => JSON.stringify({ headers: { authorization: `Basic ${text}` } }),
		(text: string) => JSON.stringify([{ [text]: 1 }]).replaceAll('/', '\\/'),
	);

	it('as it is entered or as the header has it is not used', () => {
		fc.assert(
			fc.property(key, form, json, (apiKey, write, put) => {
				expect(problemWithBody(ofText(put(write(apiKey))), apiKey)).toBe('repeatsKey');
			}),
		);
	});

	it('is used if the key is so short that it is a part of many texts', () => {
		const list = '[{"_id":"hoo_k","targetUrl":"https://k.test"}]';
		expect(problemWithBody(ofText(list), 'k')).toBeUndefined();
	});
});

it('A web page is recognized by its beginning', () => {
	const start = fc.constantFrom('<!DOCTYPE html>', '<html lang="en">', '<?xml ?>', '<!-- -->');
	const space = fc.stringMatching(/^\s{0,4}$/);
	fc.assert(
		fc.property(space, start, fc.string(), fc.jsonValue(), (before, page, rest, json) => {
			expect(looksLikePage(before + page + rest)).toBe(true);
			expect(looksLikePage(before + JSON.stringify(json))).toBe(false);
			expect(looksLikePage(`${before}no ${page}${rest}`)).toBe(false);
		}),
	);
});

describe('An error quotes', () => {
	const quote = (body: unknown, confidential: string[] = []) =>
		quoteOf(typeof body === 'string' ? body : JSON.stringify(body), confidential);

	it.each(errorBodies)('the reason first, and shortens it: $title', (body) => {
		expect(quote({ ...body, trace: 'x'.repeat(5_000) })).toMatch(
			/^: "The maximum number of webhooks \(16\) for this team has been reached\. Delete one .{80,}…"$/,
		);
	});

	it.each<[string, unknown, string]>([
		['a text', ' No such\n plan ', 'No such plan'],
		['an error in an error', { error: { code: 7, message: 'No such plan' } }, 'No such plan'],
		['escaped letters', '{"error":"sch\\u00f6n"}', 'schön'],
		[
			'each problem of a list',
			{
				message: 'Invalid',
				errors: [{ field: 'targetUrl', message: 'no URL' }, 'too long'],
			},
			'Invalid: targetUrl: no URL; too long',
		],
		['a list of problems', [{ path: 'type', msg: 'unknown' }], 'type: unknown'],
		['JSON without a reason', { ok: false }, '{"ok":false}'],
		[
			'no email address',
			{ error: 'The lead mira.dahl@example.com is paused' },
			'The lead (email address) is paused',
		],
		['no character that reverses a text', 'a\u202eb\u0007', 'a b'],
	])('%s', (_, body, shown) => {
		expect(quote(body)).toBe(`: "${shown}"`);
	});

	it('no web page, and nothing of a blank body', () => {
		expect(['<html>Sign in', '', ' \n'].map((body) => quote(body))).toEqual(['', '', '']);
	});

	it('at most 200 characters, of a body of any length', () => {
		fc.assert(
			fc.property(fc.lorem({ maxCount: 300 }), (words) => {
				const shown = quote(words).slice(3, -1);
				expect(shown.length).toBeLessThanOrEqual(200);
				expect(words).toContain(shown.replace(/…$/, ''));
			}),
		);
	});
});

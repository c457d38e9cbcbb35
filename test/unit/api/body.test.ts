/** How the body of a response is decoded, which bodies are used at all (D94), and what an error quotes. */
import fc from 'fast-check';

import {
	decodeBody,
	isTooLarge,
	looksLikePage,
	problemWithBody,
	quoteOf,
} from '../../../nodes/OutreachService/api/body';
import { readResponse } from '../../../nodes/OutreachService/api/response';
import { tries } from '../../propertyRuns';
import { responseOf } from './responseOf';

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
		['without a byte order mark', Buffer.from('\ufeffMüller'), undefined],
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
			expect(isTooLarge(JSON.stringify(value))).toBe(false);
			const text = JSON.stringify('[{,'.repeat(MAX_VALUES));
			expect(isTooLarge(`[${text},${JSON.stringify(value, null, 2)}]`)).toBe(false);
		}),
		{ numRuns: tries(5) },
	);
});

it('A body with too many values, or with values too deep in each other, is not', () => {
	const many = Math.ceil(MAX_VALUES / 2) + 2;
	for (const one of ['{}', '[]', '0', '"a"', '{"a":1}']) {
		const list = `[${Array.from({ length: one.length === 2 ? many : 2 * many }, () => one).join()}]`;
		expect(isTooLarge(list)).toBe(true);
	}
	const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
	expect(isTooLarge(nested(MAX_DEPTH))).toBe(false);
	expect(isTooLarge(nested(MAX_DEPTH + 1))).toBe(true);
});

describe('A body that contains the API key', () => {
	const key = fc.stringMatching(/^[\w+/=?&-]{8,40}$/);
	/** Without its padding, which a URL leaves out. */
	const inHeader = (apiKey: string) =>
		Buffer.from(`:${apiKey}`).toString('base64').replace(/=+$/, '');
	const form = fc.constantFrom(inHeader, (apiKey: string) => apiKey);
	const json = fc.constantFrom(
		(text: string) => JSON.stringify({ headers: { authorization: `Basic ${text}` } }),
		(text: string) => JSON.stringify([{ [text]: 1 }]).replaceAll('/', '\\/'),
		(text: string) =>
			JSON.stringify(text).replace(
				/[^"\w]|[aB]/g,
				(character) => `\\u00${character.charCodeAt(0).toString(16).toUpperCase()}`,
			),
	);

	it('as it is entered or as the header has it is not used', () => {
		fc.assert(
			fc.property(key, form, json, (apiKey, write, put) => {
				expect(problemWithBody(ofText(put(write(apiKey))), apiKey)).toBe('repeatsKey');
				const long = `["${'x'.repeat(5_000)}",${put(write(apiKey))}]`;
				expect(problemWithBody(ofText(long), apiKey)).toBe('repeatsKey');
			}),
		);
	});

	it('is used if the key is so short that it is a part of many texts', () => {
		const list = '[{"_id":"hoo_12345678","targetUrl":"https://crm.test"}]';
		expect(problemWithBody(ofText(list), '1234567')).toBeUndefined();
		expect(problemWithBody(ofText(list), '12345678')).toBe('repeatsKey');
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

	it('the reason first, and shortens it', () => {
		const detail =
			'The maximum number of webhooks (16) for this team has been reached. Delete one that you no longer need, or ask your administrator for a larger plan, before you create another webhook for this target URL.';
		const general = { title: 'Limit', message: 'Bad request', error: 'Error', status: 400 };
		expect(quote({ ...general, detail, trace: 'x'.repeat(5_000) })).toMatch(
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
		expect(quote('x'.repeat(200))).toBe(`: "${'x'.repeat(200)}"`);
	});
});

describe('No error quotes a key or a secret,', () => {
	const KEY = 'key-Zx81+/confidential==';
	const SECRET = 'ab/Qv27"secret&of<a>webhook';
	/** What an error shows that repeats a text, of a request with this body. */
	const shown = (repeated: string, body: unknown = { secret: SECRET }, path = '/hooks') => {
		const response = responseOf(418, `Not with ${repeated}`);
		const credential = { baseUrl: 'https://api.test/api', apiKey: KEY };
		const read = readResponse(response, { parse: () => undefined, body, path }, credential);
		if (read.ok) throw new Error('It is no result');
		return `${read.error.message} ${read.error.description}`;
	};

	it('but one without them', () => {
		expect(shown('that plan')).toContain('Not with that plan');
	});

	const encoded = (write: (character: string) => string) => (text: string) =>
		Array.from(text).map(write).join('');
	const code = (character: string): number => character.codePointAt(0) ?? 0;
	const percent = encoded((character) => `%${code(character).toString(16)}`);
	const SPELLINGS: ReadonlyArray<(text: string) => string> = [
		(text) => text,
		(text) => JSON.stringify({ echo: text }),
		(text) => encodeURIComponent(text).toLowerCase(),
		(text) => text.replace(/=/g, '&#x3D;'),
		(text) => text.replace(/=+$/, ''),
		(text) => text.replace(/\+/g, '-').replace(/\//g, '_'),
		(text) => text.replace(/(.{8})/g, '$1 '),
		(text) => text.replace(/&/g, '&amp;').replace(/"/g, '&quot;'),
		(text) => text.toUpperCase(),
		percent,
		(text) => percent(percent(text)),
		encoded((character) => `&#x${code(character).toString(16)};`),
		encoded((character) => `&#${code(character)};`),
		encoded((character) => `\\u${code(character).toString(16).padStart(4, '0')}`),
		(text) => `%3${encodeURIComponent(text)}`,
	];
	const confidential = [KEY, Buffer.from(`:${KEY}`).toString('base64'), SECRET];

	it.each(confidential.map((value) => [value]))('however the response writes it: %s', (value) => {
		for (const write of SPELLINGS) expect(shown(write(value))).not.toContain('Not with');
	});

	it('nor six characters of it in a row, wherever they are in it', () => {
		const letters = ['keyZx81confidential', 'abQv27secretofawebhook'];
		for (const text of letters) {
			for (let start = 0; start + 6 <= text.length; start++) {
				expect(shown(text.slice(start, start + 6))).not.toContain('Not with');
			}
		}
		expect(shown('keyZx')).toContain('Not with keyZx');
	});

	it('also if it has no Latin letters, is short, or a number', () => {
		expect(shown('48151623', { token: 48151623 })).not.toContain('Not with');
		for (const secret of ['оченьдлинныйпароль', 'Ab1']) {
			expect(shown(secret.toUpperCase(), { secret })).not.toContain('Not with');
		}
	});

	it.each<[what: string, body: unknown, query: string]>([
		['a list', [{ secret: SECRET }], ''],
		['an object around it', { hook: { options: { secret: SECRET } } }, ''],
		['a longer name', { clientSecret: SECRET }, ''],
		['a list of secrets', { secrets: [SECRET] }, ''],
		['other names', { password: SECRET, x: { token: SECRET } }, ''],
		['JSON in a text', { hook: JSON.stringify({ secret: SECRET }) }, ''],
		['a pair of name and value', { fields: [{ name: 'token', value: SECRET }] }, ''],
		['a URL', { targetUrl: `https://crm.test/in?token=${encodeURIComponent(SECRET)}` }, ''],
		['the query', null, `?api_key=${encodeURIComponent(SECRET)}`],
	])('wherever it is in the request: %s', (_, body, query) => {
		expect(shown(SECRET, body, `/leads${query}`)).not.toContain('Not with');
	});
});

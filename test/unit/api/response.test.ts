/** What a response or a connection error means, and what the user is told of it. */
import fc from 'fast-check';

import {
	inOneLine,
	isOutage,
	type ErrorText,
	type RequestError,
} from '../../../nodes/OutreachService/api/errors';
import { RESPONSES, type ResponseFailure } from '../../../nodes/OutreachService/api/failures';
import {
	ERROR_TEXTS,
	isErrorBody,
	responseError,
} from '../../../nodes/OutreachService/api/response';
import { causeIn, connectionError } from '../../../nodes/OutreachService/api/noResponse';
import { looksLikePage } from '../../../nodes/OutreachService/api/page';
import { tries } from '../../propertyRuns';
import { read } from '../texts/everyDocument';

const HOST = 'api.test:8443';
const URL_THERE = `https://${HOST}/api/hooks`;
const responded = (status: number, text = '', bodyFailure?: ResponseFailure): RequestError =>
	responseError({ status, text, isTruncated: bodyFailure === 'tooLarge', headers: {} }, HOST, {
		bodyFailure,
	});

/** Statuses whose errors quote what the service says, as most do. */
const QUOTED = [400, 401, 402, 403, 404, 405, 409, 410, 418, 429, 451, 500];

/** A message of each failure: status, body, words of the message, and what else is known of the request. */
const MESSAGES: Array<[number, string, string, Parameters<typeof responseError>[2]?]> = [
	[200, '', 'does not look like'],
	[200, '<html>', 'A web page came in place of a response from api.test:8443'],
	[200, '[', 'does not look like', { bodyFailure: 'tooLarge' }],
	[200, '[', 'does not look like', { bodyFailure: 'repeatsKey' }],
	[308, '', 'does not look like'],
	[302, '', 'redirects the request', { otherMeanings: { redirect: 'redirectedRoute' } }],
	[400, '', 'refused the request with status 400'],
	[400, '<html>', 'A web page came in place'],
	[400, 'a duplicate', 'already has a webhook with this target URL'],
	[400, 'Bad team', 'does not know the team of this API key'],
	[401, '', 'did not accept the API key'],
	[402, '', 'The request was refused with status 402'],
	[403, '', 'The request was refused with status 403'],
	[403, '<html>', 'A web page came in place'],
	[407, '', 'A proxy between n8n and the service refused the request'],
	[404, '', 'does not look like'],
	[404, '', 'does not have what was asked for', { otherMeanings: { noSuchPath: 'route' } }],
	[404, 'Webhook not found', 'The webhook was not found'],
	[405, '', 'does not look like'],
	[410, '', 'does not look like'],
	[409, '', 'already has a webhook with this target URL'],
	[429, '', 'refused because of its rate limit'],
	[429, '<html>', 'refused because of its rate limit'],
	[500, '<html>', 'could not carry out the request (status 500)'],
];
const errorOf = ([status, text, , expected]: (typeof MESSAGES)[number]): RequestError =>
	responseError({ status, text, isTruncated: false, headers: {} }, HOST, expected);

it('A text of a message and its description quotes the response once', () => {
	const quote = ': "no such thing"';
	const facts = { host: HOST, status: 418, quote };
	const texts = Object.values<(given: typeof facts) => ErrorText>(RESPONSES).map((textsOf) =>
		inOneLine(textsOf(facts)),
	);
	const inParentheses = { message: `No (418${quote})`, description: `Look (418${quote}).` };
	expect(inOneLine(inParentheses)).toBe(`No (418${quote}). Look (418).`);
	expect(texts.filter((text) => text.split(quote).length > 2)).toEqual([]);
});

it.each(MESSAGES)('The message for status %d with the body "%s" contains: %s', (...row) => {
	expect(errorOf(row).message).toContain(row[2]);
});

it('Each failure has a message among these', () => {
	const found = new Set<string>(MESSAGES.map((row) => errorOf(row).failure));
	expect(Object.keys(RESPONSES).filter((failure) => !found.has(failure))).toEqual([]);
});

it('The node waits as `Retry-After` asks after any status from 400, except 401 and 407 (D4)', () => {
	const headers = { 'retry-after': '5' };
	const statuses = Array.from({ length: 200 }, (_, index) => 400 + index);
	const withoutWait = statuses.filter((status) => {
		const { details } = responseError({ status, text: '', isTruncated: false, headers }, HOST);
		return details.askedMs !== 5_000;
	});
	expect(withoutWait).toEqual([401, 407]);
});

it.each([
	['ENOTFOUND', 'The host api.test:8443 could not be found'],
	['ECONNREFUSED', 'Nothing is listening at api.test:8443'],
	['ETIMEDOUT', 'api.test:8443 did not respond in time'],
	['ECONNABORTED', 'api.test:8443 did not respond in time'],
	['CERT_HAS_EXPIRED', 'No secure connection to api.test:8443 could be made'],
	['DEPTH_ZERO_SELF_SIGNED_CERT', 'No secure connection to api.test:8443 could be made'],
	['EPROTO', 'No secure connection to api.test:8443 could be made'],
	['ECONNRESET', 'The connection to api.test:8443 was cut off'],
])('The connection error %s has the message: %s', (code, message) => {
	const error = connectionError({ code }, URL_THERE);
	expect(error.message).toBe(message);
	expect(error.description).toContain(`(${code})`);
});

const anyError = fc.oneof(
	fc
		.tuple(
			fc.oneof(
				fc.integer({ min: 200, max: 599 }),
				fc.constantFrom(200, 301, 400, 401, 403, 404, 405, 409, 422, 429, 500, 503),
			),
			fc.oneof(
				fc.string({ maxLength: 300 }).filter((text) => !/authorization/i.test(text)),
				fc.lorem(),
				fc.constantFrom('Bad team', '"Webhook not found".', '<!DOCTYPE html><p>', '{}'),
			),
			fc.constantFrom<Array<ResponseFailure | undefined>>(undefined, 'tooLarge', 'repeatsKey'),
		)
		.map((given) => responded(...given)),
	fc
		.constantFrom('ENOTFOUND', 'ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'CERT_HAS_EXPIRED')
		.map((code) => connectionError({ code }, URL_THERE)),
);

describe('An error', () => {
	it('says what happened and what to do in complete sentences, and names a host that may be wrong', () => {
		fc.assert(
			fc.property(anyError, ({ message, description }) => {
				expect(message).toMatch(/^(The |No |Nothing |A |n8n |api\.test)\S*.*[^.]$/s);
				expect(description).toMatch(/^[A-Z].{20,}\.$/s);
				// n8n gives up on reactivating a workflow whose error has this word.
				expect(message + description).not.toMatch(/authorization/i);
				if (description.includes('ends in /api')) expect(message).toContain(HOST);
			}),
			{ numRuns: tries(75) },
		);
	});

	it('quotes a short response on one line, but neither a long one nor a web page', () => {
		const line = fc.stringMatching(/^zq[a-z]{3,20}( [a-z]{1,20}){0,4}$/);
		const space = fc.constantFrom(' ', '\n', '\t ');
		fc.assert(
			fc.property(fc.constantFrom(...QUOTED), line, space, (status, words, gap) => {
				const shown = (body: string) => responded(status, body).description;
				expect(shown(`${gap}${words.replaceAll(' ', gap)}${gap}`)).toContain(`: "${words}"`);
				expect(shown(`<html>${words}`)).not.toContain(words);
				expect(shown(words + 'x'.repeat(200))).not.toContain(words);
				const longest = words.padEnd(200, 'x');
				expect(shown(longest)).toContain(`: "${longest}"`);
				expect(shown(gap)).not.toContain('"');
			}),
		);
	});

	it('quotes an error in a success, but no data, which may be confidential', () => {
		const shown = (json: object) => responded(200, JSON.stringify(json)).description;
		expect(shown({ error: 'limit reached' })).toContain('limit reached');
		expect(shown({ success: false, message: 'maintenance' })).toContain('maintenance');
		expect(shown({ error: { code: 7, message: 'No such plan' } })).toContain('No such plan');
		expect(shown({ error: 'limit reached', lead: 'grace' })).not.toContain('grace');
		expect(shown({ status: 'ok', details: [{ secret: 'whsec_1' }] })).not.toContain('whsec_1');
		expect(shown({ error: 'No', details: { secret: 'whsec_1' } })).not.toContain('whsec_1');
		expect(shown({ status: 'ok', type: 'webhook' })).not.toContain('webhook"');
		expect(responded(200, 'limit reached').description).not.toContain('limit reached');
	});

	it('documents the error texts of the API, and how many there are', () => {
		const texts = Object.keys(ERROR_TEXTS);
		const number = ['one', 'two', 'three', 'four'][texts.length - 1];
		const [, errors = ''] = read('docs/api.md').split('## 7. Errors');
		const [section = ''] = errors.split('\n## ');
		const decision = (name: string) =>
			read('docs/decisions.md')
				.split('\n')
				.find((line) => line.startsWith(`- **${name}** `)) ?? '';
		for (const place of [section, decision('D5')]) {
			const lowerCase = place.toLowerCase();
			expect(texts.filter((text) => !lowerCase.includes(text))).toEqual([]);
		}
		expect(section).toContain(`have the same ${number} texts`);
		expect(read('docs/decisions.md')).toContain(`one of the ${number} texts of D5`);
	});

	it.each([
		['Webhook not found', 'notFound'],
		['Bad team', 'team'],
	])('recognizes "%s" of the API, whatever the status, and in no other text', (words, failure) => {
		const around = fc.stringMatching(/^[\s".!]{0,5}$/);
		const status = fc.integer({ min: 200, max: 599 }).filter((code) => code !== 407);
		const written = fc.mixedCase(fc.constant(words));
		fc.assert(
			fc.property(around, around, written, status, (before, after, text, code) => {
				expect(responded(code, before + text + after).failure).toBe(failure);
				expect(responded(code, `${before}no ${text}${after}`).failure).not.toBe(failure);
				expect(responded(code, `${before}${text} no${after}`).failure).not.toBe(failure);
			}),
		);
		const inJson = (json: object) => responded(418, JSON.stringify(json)).failure === failure;
		const forms = [
			{ message: words },
			{ error: words },
			{ error: { message: words } },
			{ error: 'Not Found', message: words },
			{ title: 'Not Found', detail: words },
		];
		expect(forms.filter((form) => !inJson(form))).toEqual([]);
		const others = [{ name: words }, { message: `No: ${words}` }, { message: `${words}: no` }];
		expect(others.filter(inJson)).toEqual([]);
	});

	it('is a conflict after a 409, and after a rejection of the values that mentions a duplicate', () => {
		const words = fc.constantFrom('already exists', 'ALREADY IN USE', 'a duplicate');
		fc.assert(
			fc.property(fc.integer({ min: 404, max: 599 }), words, (status, text) => {
				const isConflict = (code: number, body: string) =>
					responded(code, body).failure === 'conflict';
				expect(isConflict(status, text)).toBe([409, 422].includes(status));
				expect(isConflict(status, 'a bad value')).toBe(status === 409);
			}),
		);
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

it('The code of a connection error is found wherever n8n puts it, and only there', () => {
	fc.assert(
		fc.property(fc.anything(), fc.constantFrom('ECONNRESET', 'EPIPE'), (thrown, found) => {
			const codeIn = (error: unknown) => causeIn(error)?.code;
			expect(['string', 'undefined']).toContain(typeof codeIn(thrown));
			expect(codeIn({ code: found, cause: thrown })).toEqual(expect.any(String));
			expect(codeIn({ code: 'OTHER', cause: { code: found } })).toBe(found);
			expect(codeIn({ code: 'OTHER', errors: [{ code: found }, {}] })).toBe(found);
			expect(codeIn({ httpCode: found, cause: null })).toBe(found);
			expect(codeIn({ message: found })).toBeUndefined();
		}),
	);
});

/** As Node reports a connection that could not be made. */
const unconnected = (code: string, port: number, address = '10.0.0.7') => ({
	isAxiosError: true,
	code,
	cause: { code, syscall: 'connect', address, port },
});
const errorFor = (thrown: unknown, url = 'https://api.test/api/hooks') =>
	connectionError(causeIn(thrown) ?? { code: '' }, url);

it.each([
	['ECONNREFUSED', 3128, 'The proxy 10.0.0.7:3128 of n8n cannot be reached'],
	['ETIMEDOUT', 3128, 'The proxy 10.0.0.7:3128 of n8n cannot be reached'],
	['ECONNREFUSED', 443, 'Nothing is listening at api.test'],
	['EHOSTUNREACH', 443, 'n8n cannot reach api.test'],
	['ENETUNREACH', 443, 'n8n cannot reach api.test'],
	['ETIMEDOUT', 443, 'n8n cannot reach api.test'],
])(
	'A connection that could not be made (%s at port %d) was not sent: %s',
	(code, port, message) => {
		const error = errorFor(unconnected(code, port));
		expect(error.message).toBe(message);
		expect(error.maybeDone).toBe(false);
	},
);

it('A body is an error if it has nothing but fields of one', () => {
	const errors = [
		{ error: { code: 7, message: 'No' }, requestId: 'r1' },
		{ timestamp: 1, status: 500, error: 'Internal Server Error', path: '/' },
		{ type: 'about:blank', title: 'Not found', status: 404, detail: 'No such path' },
		{ success: false, message: 'No', data: null },
		{ ok: false },
		{ errors: [{ field: 'team' }] },
	];
	expect(errors.filter((json) => !isErrorBody(json))).toEqual([]);
	const others = [
		{},
		{ type: 'object', properties: {} },
		{ message: 'string', email: 'string' },
		[{ error: 'No' }],
		{ data: { error: 'No' } },
	];
	expect(others.filter(isErrorBody)).toEqual([]);
});

it('The service was out of reach after a 429, a 5xx, and every failed connection that n8n did not block', () => {
	const codes = ['ENOTFOUND', 'ECONNREFUSED', 'EHOSTUNREACH', 'ETIMEDOUT', 'EPROTO', 'ECONNRESET'];
	const outages = [
		...[429, 500, 504].map((status) => responded(status)),
		...codes.map((code) => connectionError({ code }, URL_THERE)),
		errorFor(unconnected('ECONNREFUSED', 3128)),
	];
	expect(outages.filter((error) => !isOutage(error))).toEqual([]);
	const others = [
		...[200, 302, 400, 401, 403, 404, 407, 409].map((status) => responded(status)),
		errorFor({ name: 'SsrfBlockedIpError' }),
	];
	expect(others.filter(isOutage)).toEqual([]);
});

import fc from 'fast-check';

import {
	describeResponse,
	isBadTeam,
	isNotFound,
	isConflictResponse,
} from '../../../nodes/OutreachService/api/messages';
import { looksLikePage } from '../../../nodes/OutreachService/api/quote';
import { hostOf } from '../../../nodes/OutreachService/api/credential';
import { RequestError } from '../../../nodes/OutreachService/api/errors';
import type { Attempt } from '../../../nodes/OutreachService/api/outcome';
import { failureCode } from '../../../nodes/OutreachService/api/send';

const HOST = 'api.test:8443';
const status = fc.oneof(
	fc.integer({ min: 200, max: 599 }),
	fc.constantFrom(200, 301, 400, 401, 403, 404, 405, 409, 422, 429, 500, 503),
);
const text = fc.oneof(
	fc.string({ maxLength: 300 }),
	fc.lorem(),
	fc.constantFrom('Bad team', '"Webhook not found".', '<!DOCTYPE html><p>', 'already exists', '{}'),
);
const code = fc.oneof(
	fc.constantFrom('ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT'),
	fc.constantFrom('ECONNABORTED', 'CERT_HAS_EXPIRED', 'EPROTO', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'),
);
const outcome: fc.Arbitrary<Attempt> = fc.oneof(
	fc.record({
		kind: fc.constant('response' as const),
		status,
		text,
		headers: fc.constant({}),
		repeated: fc.boolean(),
	}),
	fc.record({ kind: fc.constant('unreachable' as const), code }),
);

describe('The error for an outcome', () => {
	it('says what happened and what to do, in complete sentences', () => {
		fc.assert(
			fc.property(outcome, (given) => {
				const { message, description } = RequestError.of(given, HOST);
				expect(message).toMatch(/^(The |No |Nothing |api\.test)\S*.*[^.]$/s);
				expect(description).toMatch(/^[A-Z].{20,}\.$/s);
				// n8n gives up on reactivating a workflow whose error has this word.
				if (given.kind === 'unreachable' || !/authorization/i.test(given.text))
					expect(message + description).not.toMatch(/authorization/i);
			}),
			{ numRuns: 1000 },
		);
	});

	it('names the host if it may be wrong, and the code of a connection error', () => {
		fc.assert(
			fc.property(outcome, (given) => {
				const { message, description } = RequestError.of(given, HOST);
				if (given.kind === 'unreachable') {
					expect(message).toContain(HOST);
					expect(description).toContain(`(${given.code})`);
				}
				if (description.includes('ends in /api')) expect(message).toContain(HOST);
			}),
		);
	});

	it('quotes a short response on one line, but neither a long one nor a web page', () => {
		const line = fc.stringMatching(/^zq[a-z]{3,20}( [a-z]{1,20}){0,4}$/);
		const space = fc.constantFrom(' ', '\n', '\t ');
		fc.assert(
			fc.property(fc.constantFrom(418, 500), line, space, (code, words, gap) => {
				const shown = (body: string) => {
					const said = describeResponse({ status: code, text: body }, HOST);
					return `${said.message} ${said.description}`;
				};
				expect(shown(`${gap}${words.replaceAll(' ', gap)}${gap}`)).toContain(`: "${words}"`);
				expect(shown(`<html>${words}`)).not.toContain(words);
				expect(shown(words + 'x'.repeat(200))).not.toContain(words);
				const longest = words.padEnd(200, 'x');
				expect(shown(longest)).toContain(`: "${longest}"`);
				expect(shown(gap)).not.toContain('"');
			}),
		);
	});
});

it.each([
	[200, '', 'does not look like'],
	[299, '', 'does not look like'],
	[300, '', 'redirects to another URL'],
	[308, '<html>', 'redirects to another URL'],
	[399, '', 'redirects to another URL'],
	[400, '', 'refused the request with status 400'],
	[400, '<html>', 'does not look like'],
	[400, 'a duplicate', 'already has a webhook with this target URL'],
	[401, '', 'did not accept the API key'],
	[403, '<html>', 'did not accept the API key'],
	[404, '', 'The API was not found at'],
	[404, '<html>', 'does not look like'],
	[405, '', 'The API was not found at'],
	[409, '', 'already has a webhook with this target URL'],
	[429, '', 'kept refusing because of its rate limit'],
	[499, '<html>', 'does not look like'],
	[500, '<html>', 'could not carry out the request (status 500)'],
	[503, '', 'could not carry out the request (status 503)'],
])('The message for status %d with the body "%s" contains: %s', (code, body, words) => {
	expect(describeResponse({ status: code, text: body }, HOST).message).toContain(words);
});

describe('The two error texts of the API spec', () => {
	const around = fc.stringMatching(/^[\s".!]{0,5}$/);
	const texts = [
		['Webhook not found', isNotFound],
		['Bad team', isBadTeam],
	] as const;

	it.each(texts)(
		'%s: is recognized with spaces and punctuation around it, and in no other text',
		(words, isIt) => {
			fc.assert(
				fc.property(around, around, fc.mixedCase(fc.constant(words)), (before, after, written) => {
					expect(isIt(before + written + after)).toBe(true);
					expect(isIt(`${before}no ${written}${after}`)).toBe(false);
					expect(isIt(`${before}${written} no${after}`)).toBe(false);
				}),
			);
		},
	);

	it.each(texts)('%s: is recognized in the usual JSON of an error', (words, isIt) => {
		const forms = [
			{ message: words },
			{ error: words },
			{ error: { message: words } },
			{ error: 'Not Found', message: words },
			{ title: 'Not Found', detail: words },
		];
		for (const error of forms) {
			expect(isIt(JSON.stringify({ status: 404, ...error }))).toBe(true);
		}
		expect(isIt(JSON.stringify({ name: words }))).toBe(false);
		expect(isIt(JSON.stringify([{ message: words }]))).toBe(false);
		expect(isIt(JSON.stringify({ message: `No: ${words}` }))).toBe(false);
	});
});

it('The message for the rate limit names it', () => {
	const { description } = describeResponse({ status: 429, text: '' }, HOST);
	expect(description).toContain('It allows 20 requests in 2 seconds for each API key.');
});

it('The message for a path that is not found quotes what the host says', () => {
	const { description } = describeResponse({ status: 404, text: 'No such route' }, HOST);
	expect(description).toContain('status 404: "No such route". Compare');
});

it('A 409 counts as a conflict, and so does a rejection of the values that mentions a duplicate', () => {
	const conflict = fc.constantFrom(
		'already exists',
		'ALREADY IN USE',
		'a duplicate',
		'must be unique',
	);
	fc.assert(
		fc.property(status, fc.string({ maxLength: 20 }), conflict, (code, before, words) => {
			expect(isConflictResponse({ status: code, text: `${before} ${words}` })).toBe(
				[400, 409, 422].includes(code),
			);
			expect(isConflictResponse({ status: code, text: 'a bad value' })).toBe(code === 409);
		}),
	);
});

it('A web page is recognized by its beginning', () => {
	const start = fc.constantFrom('<!DOCTYPE html>', '<html lang="en">', '<?xml ?>', '<!-- -->');
	fc.assert(
		fc.property(
			fc.stringMatching(/^\s{0,4}$/),
			start,
			fc.string(),
			fc.jsonValue(),
			(a, b, c, d) => {
				expect(looksLikePage(a + b + c)).toBe(true);
				expect(looksLikePage(a + JSON.stringify(d))).toBe(false);
				expect(looksLikePage(`${a}no ${b}${c}`)).toBe(false);
			},
		),
	);
});

it('The code of a connection error is found wherever n8n puts it, and only there', () => {
	fc.assert(
		fc.property(fc.anything(), fc.constantFrom('ECONNRESET', 'EPIPE'), (thrown, found) => {
			expect(['string', 'undefined']).toContain(typeof failureCode(thrown));
			expect(failureCode({ code: found, cause: thrown })).toEqual(expect.any(String));
			expect(failureCode({ code: 'OTHER', cause: { code: found } })).toBe(found);
			expect(failureCode({ httpCode: found, cause: null })).toBe(found);
			expect(failureCode({ message: found })).toBeUndefined();
		}),
	);
});

it('The host of a base URL is its host name and port', () => {
	fc.assert(
		fc.property(fc.webUrl({ withFragments: false, withQueryParameters: false }), (baseUrl) => {
			expect(hostOf({ baseUrl, apiKey: 'k' }).toLowerCase()).toBe(new URL(baseUrl).host);
		}),
	);
});

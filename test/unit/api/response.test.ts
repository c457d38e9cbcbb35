/** What a response or a connection error means, and what the user is told of it. */
import fc from 'fast-check';

import {
	inOneLine,
	isOutage,
	type FailureName,
	type RequestError,
} from '../../../nodes/OutreachService/api/errors';
import type { BodyProblem } from '../../../nodes/OutreachService/api/body';
import { isSuccess } from '../../../nodes/OutreachService/api/http';
import { isErrorBody, responseError } from '../../../nodes/OutreachService/api/response';
import { causeIn, connectionError } from '../../../nodes/OutreachService/api/noResponse';
import { responseOf } from './responseOf';

const HOST = 'api.test:8443';
const URL_THERE = `https://${HOST}/api/hooks`;
type Facts = Parameters<typeof responseError>[2];
const responded = (status: number, text = '', facts: Facts = {}): RequestError =>
	responseError(responseOf(status, text), HOST, facts);

const ROUTE: Facts = { purpose: 'route' };
const CREATE: Facts = { purpose: 'create' };

/** The failure of each kind of response: status, body, and what else is known of the request. */
const RESPONSES: Array<[number, string, FailureName, Facts?]> = [
	[200, '', 'unusable'],
	[200, '<html>', 'unusable'],
	[200, '[', 'unusable', { problem: 'tooLarge' }],
	[200, '[', 'unusable', { ...ROUTE, problem: 'tooLarge' }],
	[304, '', 'unusable'],
	[304, '', 'unusable', ROUTE],
	[308, '', 'unusable'],
	[302, '', 'unusable', ROUTE],
	[400, '', 'refused'],
	[400, '<html>', 'unusable'],
	[400, 'a duplicate', 'conflict', CREATE],
	[400, 'a duplicate', 'refused', ROUTE],
	[400, 'Bad team', 'credential'],
	[401, '', 'credential'],
	[402, '', 'refused'],
	[403, '', 'refused'],
	[403, '<html>', 'unusable'],
	[404, '', 'unusable'],
	[404, '', 'refused', ROUTE],
	[404, 'Webhook not found', 'notFound'],
	[405, '', 'unusable'],
	[410, '', 'unusable'],
	[409, '', 'conflict', CREATE],
	[422, 'a duplicate', 'conflict', CREATE],
	[409, '', 'refused'],
	[429, '', 'rateLimit'],
	[408, '<html>', 'server'],
	[500, '<html>', 'server'],
];

it.each(RESPONSES)('Status %d with the body "%s" is: %s', (...[status, text, failure, facts]) => {
	const error = responded(status, text, facts);
	expect(error.failure).toBe(failure);
	// n8n gives up on reactivating a workflow whose error has this word.
	expect(error.message + error.description).not.toMatch(/authorization/i);
});

/** As n8n's HTTP client reports a connection error: with its request, which knows what was written. */
const thrown = (code: string | undefined, request?: object, inner: object = {}) => ({
	isAxiosError: true,
	...(code !== undefined && { code }),
	...(request && { request }),
	cause: { code, ...inner },
});
const errorFor = (error: unknown, url = URL_THERE) =>
	connectionError(causeIn(error) ?? { code: 'none' }, url);
const UNWRITTEN = { writableFinished: false };
const WRITTEN = { writableFinished: true, socket: {} };
const at = (port: number) => ({ syscall: 'connect', address: '10.0.0.7', port });

const CONNECTIONS: Array<[string, object, FailureName, RegExp]> = [
	['a host without a name', thrown('ENOTFOUND', UNWRITTEN), 'unreachable', /letter by letter/],
	['any error of a name server', thrown('EAI_FAIL'), 'unreachable', /host .* could not be found/],
	['a refused connection', thrown('ECONNREFUSED'), 'unreachable', /cannot reach.* any firewall/],
	['a certificate', thrown('CERT_HAS_EXPIRED'), 'unreachable', /No secure .*NODE_EXTRA_CA_CERTS/],
	[
		'a handshake that fails after the request was handed over',
		thrown('EPROTO', { writableFinished: true, socket: { secureConnecting: true } }),
		'unreachable',
		/No secure connection/,
	],
	['a code that nobody knows', thrown('EWHATEVER', UNWRITTEN), 'unreachable', /EWHATEVER/],
	['a proxy that ends the connection', thrown(undefined, UNWRITTEN), 'unreachable', /cannot reach/],
	['a connection that times out', thrown('ETIMEDOUT', UNWRITTEN, at(8443)), 'unreachable', /reach/],
	['a reset before the request', thrown('ECONNRESET', UNWRITTEN), 'unreachable', /cannot reach/],
	['a proxy that is down', thrown('ECONNREFUSED', UNWRITTEN, at(3128)), 'blocked', /10.0.0.7:3128/],
	['a reset after the request', thrown('ECONNRESET', WRITTEN), 'cutOff', /was cut off/],
	['an unknown code after the request', thrown('EWHATEVER', WRITTEN), 'cutOff', /EWHATEVER/],
	['a time-out after the request', thrown('ECONNABORTED', WRITTEN), 'timeout', /in time/],
	['what is not HTTP', thrown('HPE_INVALID_CONSTANT', WRITTEN), 'unusable', /not valid HTTP/],
	...['Z_DATA_ERROR', 'ERR__ERROR_FORMAT_PADDING_2'].map((code): (typeof CONNECTIONS)[number] => [
		`a body that cannot be decompressed (${code})`,
		{ code, errno: -3 },
		'unusable',
		/not valid HTTP/,
	]),
	['a host that n8n blocks', { name: 'SsrfBlockedIpError' }, 'blocked', /n8n blocked/],
];

it.each(CONNECTIONS)('A connection error, %s, is: %s', (_, error, failure, text) => {
	const found = errorFor(error);
	expect(found.failure).toBe(failure);
	expect(`${found.message} ${found.description}`).toMatch(text);
	const isSent = ['cutOff', 'timeout', 'unusable'].includes(failure);
	expect(found.maybeDone).toBe(isSent);
});

it.each([
	['https', 443],
	['http', 80],
])('Without a port in its URL, a host is at the usual one: %s', (scheme, port) => {
	const refused = errorFor(thrown('ECONNREFUSED', UNWRITTEN, at(port)), `${scheme}://api.test/api`);
	expect(refused.failure).toBe('unreachable');
});

it.each<[BodyProblem, RegExp]>([
	['notText', /^The response is not text$/],
	['tooLarge', /^The response is too large to be read, or has too many levels$/],
	['repeatsKey', /^The response contains the API key, so the node shows no part of it$/],
])('A response of another route that cannot be used says why: %s', (problem, message) => {
	expect(responded(200, '', { ...ROUTE, problem }).message).toMatch(message);
});

it.each([402, 403, 451])(
	'For status %d, the plan and the permissions are to be checked',
	(status) => {
		expect(responded(status).description).toMatch(
			/^The API key itself may be right: check the plan/,
		);
	},
);

it('The error of a rate limit that is used up says what it is', () => {
	expect(responded(429).description).toContain('20 requests in 2 seconds');
});

describe('An error', () => {
	it('quotes what the service says once, if it is shown in one line', () => {
		for (const status of [401, 403, 409, 418, 429, 500]) {
			const error = responded(status, 'no such thing', status === 409 ? CREATE : {});
			expect(error.description).toContain(': "no such thing"');
			expect(inOneLine(error).split('no such thing')).toHaveLength(2);
		}
	});

	it('quotes an error in a success, but no data, which may be confidential', () => {
		const shown = (json: object) => responded(200, JSON.stringify(json)).description;
		expect(shown({ success: false, message: 'maintenance' })).toContain('maintenance');
		expect(shown({ error: { code: 7, message: 'No such plan' } })).toContain('No such plan');
		expect(shown({ error: 'limit reached', lead: 'grace' })).not.toContain('grace');
		expect(shown({ status: 'ok', details: [{ secret: 'whsec_1' }] })).not.toContain('whsec_1');
		expect(responded(200, 'limit reached').description).not.toContain('limit reached');
	});

	it.each([
		['Webhook not found', 'notFound'],
		['Bad team', 'credential'],
	])('recognizes "%s" of the API, whatever the status, and in no other text', (words, failure) => {
		const around = fc.stringMatching(/^[\s".!]{0,5}$/);
		// Of other texts, a 401 says that the key is wrong.
		const status = fc.integer({ min: 200, max: 599 }).filter((code) => code !== 401);
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

it('A status from 200 to 299 is a success', () => {
	expect([199, 200, 299, 300].map(isSuccess)).toEqual([false, true, true, false]);
});

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
	const ofConnections = CONNECTIONS.map(([name, error]): [string, RequestError] => [
		name,
		errorFor(error),
	]);
	const outages = ofConnections.filter(([, error]) => isOutage(error)).map(([name]) => name);
	const others = ofConnections.filter(
		([name, { failure }]) => failure === 'unusable' || name === 'a host that n8n blocks',
	);
	expect(outages).toHaveLength(CONNECTIONS.length - others.length);
	expect([429, 500, 504].filter((status) => !isOutage(responded(status)))).toEqual([]);
	const refusals = [200, 302, 400, 401, 403, 404, 407, 409];
	expect(refusals.filter((status) => isOutage(responded(status)))).toEqual([]);
});

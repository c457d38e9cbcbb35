import fc from 'fast-check';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import {
	isCancelled,
	isConflict,
	isOutage,
	RequestError,
	toNodeError,
} from '../../../nodes/OutreachService/api/errors';
import { describeUnreachable } from '../../../nodes/OutreachService/api/messages';
import {
	isNotConnected,
	isNotTrusted,
	type Outcome,
} from '../../../nodes/OutreachService/api/outcome';
import { redact } from '../../../nodes/OutreachService/api/redact';
import { NODE } from '../actionNode';

const HOST = 'api.test';
const response = (status: number, text = '') =>
	({ kind: 'response', status, text, headers: {}, repeated: false }) as const;
it.each([
	['ENOTFOUND', 'The host api.test could not be found'],
	['EAI_AGAIN', 'The host api.test could not be found'],
	['ECONNREFUSED', 'Nothing is listening at api.test'],
	['ETIMEDOUT', 'api.test did not respond in time'],
	['ECONNABORTED', 'api.test did not respond in time'],
	['ESOCKETTIMEDOUT', 'api.test did not respond in time'],
	['CERT_HAS_EXPIRED', 'No secure connection to api.test could be made'],
	['DEPTH_ZERO_SELF_SIGNED_CERT', 'No secure connection to api.test could be made'],
	['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'No secure connection to api.test could be made'],
	['ERR_TLS_CERT_ALTNAME_INVALID', 'No secure connection to api.test could be made'],
	['EPROTO', 'No secure connection to api.test could be made'],
	['ECONNRESET', 'The connection to api.test was cut off'],
	['ERR_BAD_RESPONSE', 'The connection to api.test was cut off'],
])('The connection error %s has the message: %s', (code, message) => {
	const words = describeUnreachable(code, HOST);
	expect(words.message).toBe(message);
	expect(words.description).toContain(`(${code})`);
});

it('Only an unknown host name or a closed port proves that nothing was sent', () => {
	const codes = ['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED'];
	expect(codes.every(isNotConnected)).toBe(true);
	fc.assert(
		fc.property(fc.oneof(fc.string(), fc.constantFrom('ECONNRESET', 'ETIMEDOUT')), (code) => {
			expect(isNotConnected(code)).toBe(codes.includes(code));
			expect(codes.some(isNotTrusted)).toBe(false);
		}),
	);
});

it('A timeout names no number of seconds: it depends on what is done', () => {
	expect(describeUnreachable('ETIMEDOUT', HOST).description).toMatch(
		/^The response was not complete in time \(ETIMEDOUT\)/,
	);
});

it.each(['p"w', 'a\\b', 'ümlaut & more', 'tab\there', 'half \ud83d'])(
	'Redacting also finds a value as JSON and URLs write it: %j',
	(secret) => {
		const inUrl = new URLSearchParams({ secret }).toString().replaceAll('+', '%20');
		for (const text of [JSON.stringify({ secret }), inUrl, `secret=${secret}`]) {
			expect(redact(text, [secret])).toMatch(/^[{"secret:=]+\(hidden\)["}]*$/);
		}
	},
);

it('An error after everything is undone does not mention possible changes', () => {
	const error = RequestError.of(response(500), HOST, { sideEffects: 'Not known.' });
	expect(error.sideEffects).toBe('Not known.');
	expect(error.undone('All is as before.').sideEffects).toBeUndefined();
});

it('Redacting leaves no confidential value in a text, however often the text repeats it', () => {
	const value = fc.stringMatching(/^[a-z0-9]{12,40}$/);
	fc.assert(
		fc.property(value, fc.array(fc.string(), { minLength: 1, maxLength: 4 }), (secret, parts) => {
			const redacted = redact(parts.join(secret), ['', secret]);
			expect(redacted).not.toContain(secret);
			expect(redacted).toBe(parts.join('(hidden)'));
		}),
	);
});

it.each([
	['JSON of PHP', 'q/8+Z x', String.raw`{"secret":"q\/8+Z x"}`],
	['JSON of .NET', 'a+b&c<d', String.raw`{"secret":"a\u002Bb\u0026c\u003Cd"}`],
	['JSON of Python', 'größe😀1', String.raw`{"secret": "gr\u00f6\u00dfe\ud83d\ude001"}`],
	['a form', 'q/8+Z x', 'secret=q%2F8%2BZ+x'],
	['a URL in lower case', 'q/8+Z x!', 'secret=q%2f8%2bZ%20x%21'],
])('Redacting leaves no confidential value in %s', (_, value, text) => {
	expect(redact(text, [value])).toMatch(/^[{"secret:=} ]*\(hidden\)["}]*$/);
});

it('Redacting leaves nothing of a value that has another one in it', () => {
	expect(redact('It was <key>-crm.', ['<key>', '<key>-crm'])).toBe('It was (hidden).');
});

it('Redacting takes no character of a value for a pattern', () => {
	expect(redact('abc a.c', ['a.c'])).toBe('abc (hidden)');
});

const REQUEST_FAILURES: Array<[string, Outcome]> = [
	['a response', response(418)],
	['no response', { kind: 'unreachable', code: 'EPIPE' }],
	['an uncertain outcome', { kind: 'uncertain', cause: response(502) }],
	['an uncertain outcome', { kind: 'uncertain', cause: { kind: 'unreachable', code: 'EPIPE' } }],
];

it.each(['getaddrinfo ENOTFOUND crm.example.com', 'ResourceExists', 'createPermission'])(
	'A message that quotes "%s" of a response is shown as it is',
	(text) => {
		const error = RequestError.of(response(422, text), HOST);
		expect(error.message).toContain(text);
		expect(toNodeError(NODE, error).message).toBe(error.message);
	},
);

it.each(REQUEST_FAILURES)(
	'%s becomes a NodeApiError with its message and the item',
	(_, outcome) => {
		const error = RequestError.of(outcome, HOST);
		const shown = toNodeError(NODE, error, 3);
		expect(shown).toBeInstanceOf(NodeApiError);
		expect(shown).toMatchObject({
			message: error.message,
			description: error.description,
			httpCode: error.status === undefined ? null : String(error.status),
			context: { itemIndex: 3 },
		});
		expect(Object.keys(toNodeError(NODE, error).context)).not.toContain('itemIndex');
	},
);

it('A cancelled request does not count as a failure of the service', () => {
	const error = RequestError.of({ kind: 'cancelled', mayHaveWorked: false }, HOST);
	expect([isCancelled(error), isOutage(error), isConflict(error)]).toEqual([true, false, false]);
	const shown = toNodeError(NODE, error);
	expect(shown).toBeInstanceOf(NodeOperationError);
	expect(shown.message).toBe('The request was cancelled');
	expect(shown.description).toBe('The execution was stopped, or the workflow was deactivated.');
});

it('An error of n8n is unchanged, and any other becomes a NodeOperationError', () => {
	const existing = new NodeOperationError(NODE, 'No event is selected');
	expect(toNodeError(NODE, existing, 3)).toBe(existing);
	expect(toNodeError(NODE, new Error('It broke'), 3)).toMatchObject({
		constructor: NodeOperationError,
		message: 'It broke',
		context: { itemIndex: 3 },
	});
});

it.each<[Outcome, boolean]>([
	[response(400), false],
	[response(409), false],
	[response(429), true],
	[response(500), true],
	[response(503), true],
	[{ kind: 'unreachable', code: 'ECONNREFUSED' }, true],
	[{ kind: 'uncertain', cause: response(502) }, true],
	[{ kind: 'uncertain', cause: response(400) }, false],
])('Whether %j counts as an outage: %s', (outcome, expected) => {
	expect(isOutage(RequestError.of(outcome, HOST))).toBe(expected);
});

it('A description begins with the state of the service, then says what to do, then gives a hint', () => {
	const plain = RequestError.of(response(418), HOST).description;
	const error = RequestError.of(response(418), HOST, { hint: 'Nothing was lost.' });
	expect(error.description).toBe(`${plain} Nothing was lost.`);
	expect(error.sideEffects).toBeUndefined();
	const changed = error.with({ sideEffects: 'It is still there.' });
	expect(changed).toMatchObject({
		failure: error.failure,
		message: error.message,
		description: `It is still there. ${plain} Nothing was lost.`,
		sideEffects: 'It is still there.',
	});
	expect(changed.with({ hint: 'Look.' }).sideEffects).toBe('It is still there.');
});

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

it('An error after everything is undone does not mention possible changes', () => {
	const error = RequestError.of(response(500), HOST, { sideEffects: 'Not known.' });
	expect(error.sideEffects).toBe('Not known.');
	expect(error.undone('All is as before.').sideEffects).toBeUndefined();
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

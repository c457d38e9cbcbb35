/** What a failed request says of itself to the code that sent it. */
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import {
	isConflict,
	isOutage,
	mayHaveWorked,
	RequestError,
	toNodeError,
} from '../../../nodes/OutreachService/api/errors';
import { isSuccess, isTimeout, type Outcome } from '../../../nodes/OutreachService/api/outcome';
import { NODE } from '../actionNode';

const response = (status: number, text = '') =>
	({ kind: 'response', status, text, headers: {}, repeated: false }) as const;
const failed = (outcome: Outcome) => RequestError.of(outcome, 'api.test');
const ELSEWHERE = new Error('Elsewhere');

it.each<[string, Error, boolean]>([
	['with a success that cannot be used', failed(response(200)), true],
	['with a status of failure', failed(response(500)), false],
	['without a connection', failed({ kind: 'unreachable', code: 'ECONNREFUSED' }), false],
	['in a way that leaves it open', failed({ kind: 'uncertain', cause: response(500) }), true],
	['by a cancellation in time', failed({ kind: 'cancelled', mayHaveWorked: false }), false],
	['by a cancellation too late', failed({ kind: 'cancelled', mayHaveWorked: true }), true],
	['before anything was sent', failed({ kind: 'busy' }), false],
	['for a reason of its own', ELSEWHERE, false],
])('A request that ended %s: %#', (_how, error, expected) => {
	expect(mayHaveWorked(error)).toBe(expected);
});

it.each<[string, Error, boolean]>([
	['a 409', failed(response(409)), true],
	['a 400 that says so', failed(response(400, 'already exists')), true],
	['another 400', failed(response(400)), false],
	['no connection', failed({ kind: 'unreachable', code: 'ECONNREFUSED' }), false],
	['an unknown outcome', failed({ kind: 'uncertain', cause: response(409) }), false],
	['an error of another kind', ELSEWHERE, false],
])(
	'A target URL that is taken is not recognized by anything but a response: %s',
	(_, error, is) => {
		expect(isConflict(error)).toBe(is);
	},
);

it('A service that is busy, or out of reach, is an outage', () => {
	const unreachable = RequestError.unreachable('ECONNRESET', { message: 'No', description: '' });
	expect(unreachable.failure).toEqual({ kind: 'unreachable', code: 'ECONNRESET' });
	expect([unreachable, failed({ kind: 'busy' })].map(isOutage)).toEqual([true, true]);
	expect([failed(response(404)), ELSEWHERE].map(isOutage)).toEqual([false, false]);
});

it('What follows from a failure stands before what to do, without gaps', () => {
	const words = { message: 'No', description: '' };
	const empty = RequestError.forResponse({ status: 404 }, words);
	expect(empty.with({ hint: 'Nothing was done.' }).description).toBe('Nothing was done.');
	const error = RequestError.forResponse({ status: 404 }, { ...words, description: 'Try again.' });
	expect(error.with({ sideEffects: 'It was done.' })).toMatchObject({
		description: 'It was done. Try again.',
		sideEffects: 'It was done.',
	});
	expect(error.with({})).toMatchObject({ description: 'Try again.', sideEffects: undefined });
});

describe('The error that a user sees', () => {
	it.each([
		new NodeApiError(NODE, {}, { message: 'Refused' }),
		new NodeOperationError(NODE, 'It did not work'),
	])('is the error itself if it is one of n8n already: %s', (error) => {
		expect(toNodeError(NODE, error, 3)).toBe(error);
	});

	it('names the item only where there is one, and has a description only where there is one', () => {
		const words = { message: 'No', description: '' };
		const shown = toNodeError(NODE, RequestError.forResponse({ status: 404 }, words));
		expect(shown.context).not.toHaveProperty('itemIndex');
		expect(shown.description ?? undefined).toBeUndefined();
		const ofItem = toNodeError(NODE, failed(response(404)), 3);
		expect(ofItem).toMatchObject({ context: { itemIndex: 3 }, httpCode: '404' });
		expect(ofItem.description).toMatch(/^The host responded with status 404/);
	});
});

it('Only a 2xx is a success, and only a missing response is a timeout', () => {
	expect([199, 200, 299, 300].map((status) => isSuccess({ status }))).toEqual([
		false,
		true,
		true,
		false,
	]);
	expect(['ETIMEDOUT', 'ECONNABORTED', 'ECONNRESET', ''].map(isTimeout)).toEqual([
		true,
		true,
		false,
		false,
	]);
});

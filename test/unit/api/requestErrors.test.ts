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

it.each<[string, boolean, Error]>([
	['with a success that cannot be used', true, failed(response(200))],
	['with a status of failure', false, failed(response(500))],
	['without a connection', false, failed({ kind: 'unreachable', code: 'ECONNREFUSED' })],
	['in a way that leaves it open', true, failed({ kind: 'uncertain', cause: response(500) })],
	['by a cancellation in time', false, failed({ kind: 'cancelled', mayHaveWorked: false })],
	['by a cancellation too late', true, failed({ kind: 'cancelled', mayHaveWorked: true })],
	['before anything was sent', false, failed({ kind: 'busy' })],
	['for a reason of its own', false, ELSEWHERE],
])('A request that ended %s may have been carried out: %s', (_how, expected, error) => {
	expect(mayHaveWorked(error)).toBe(expected);
});

it.each<[string, boolean, Error]>([
	['a 409', true, failed(response(409))],
	['a 400 that says so', true, failed(response(400, 'already exists'))],
	['another 400', false, failed(response(400))],
	['no connection', false, failed({ kind: 'unreachable', code: 'ECONNREFUSED' })],
	['an unknown outcome', false, failed({ kind: 'uncertain', cause: response(409) })],
	['an error of another kind', false, ELSEWHERE],
])('After %s, the target URL counts as taken: %s', (_, expected, error) => {
	expect(isConflict(error)).toBe(expected);
});

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

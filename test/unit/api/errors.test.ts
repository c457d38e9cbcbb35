import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import {
	isCancelled,
	isConflict,
	isOutage,
	RequestError,
	toNodeError,
	type Kind,
} from '../../../nodes/OutreachService/api/errors';
import { connectionError, responseError } from '../../../nodes/OutreachService/api/messages';
import { BUSY, cancelledError } from '../../../nodes/OutreachService/api/retry';
import { NODE } from '../actionNode';

const HOST = 'api.test';
const responded = (status: number, text = '') =>
	responseError({ status, text, isCut: false, headers: {} }, HOST);

it.each<[string, RequestError, Kind, isOutage: boolean]>([
	['a 400', responded(400), 'rejected', false],
	['a conflict', responded(409), 'conflict', false],
	['a wrong key', responded(401), 'unauthorized', false],
	['a 429', responded(429), 'rateLimited', true],
	['a 500', responded(500), 'server', true],
	['an unknown team, also with a 502', responded(502, 'Bad team'), 'unauthorized', false],
	['a success of another server', responded(200), 'unparsable', false],
	['no connection', connectionError('ECONNREFUSED', HOST), 'network', true],
	['no response in time', connectionError('ETIMEDOUT', HOST), 'timeout', true],
	['no slot in the rate limit', new RequestError('busy', BUSY), 'busy', true],
	['a cancellation', cancelledError(true), 'cancelled', false],
])('After %s, it is known what kind of failure it was', (_, error, kind, outage) => {
	expect(error.kind).toBe(kind);
	expect([isOutage(error), isConflict(error), isCancelled(error)]).toEqual([
		outage,
		kind === 'conflict',
		kind === 'cancelled',
	]);
});

it('What follows from a failure stands before why it failed', () => {
	const { description } = responded(418);
	const error = responded(418).with('It is still there.');
	expect(error).toMatchObject({
		description: `It is still there. ${description}`,
		details: { consequences: 'It is still there.' },
	});
	expect(error.with('Look.').details.consequences).toBe('Look. It is still there.');
	const empty = new RequestError('rejected', { message: 'No', description: '' });
	expect(empty.with('Nothing was done.').description).toBe('Nothing was done.');
});

describe('The error that a user sees', () => {
	it.each([
		['a response', responded(418), '418'],
		['no response', connectionError('EPIPE', HOST), null],
	])('of %s is a NodeApiError with its message and the item', (_, error, httpCode) => {
		const { message, description } = error;
		expect(toNodeError(NODE, error, 3)).toMatchObject({
			constructor: NodeApiError,
			...{ message, description, httpCode, context: { itemIndex: 3 } },
		});
		expect(toNodeError(NODE, error).context).not.toHaveProperty('itemIndex');
	});

	it.each(['getaddrinfo ENOTFOUND crm.example.com', 'ResourceExists', 'createPermission'])(
		'quotes "%s" of a response as it is',
		(text) => {
			const error = responded(422, text);
			expect(error.message).toContain(text);
			expect(toNodeError(NODE, error).message).toBe(error.message);
		},
	);

	it('of a cancellation is no failure of the API', () => {
		expect(toNodeError(NODE, cancelledError(false))).toBeInstanceOf(NodeOperationError);
	});
});

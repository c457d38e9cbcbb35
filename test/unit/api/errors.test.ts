/** What the error of a request says of its outcome: whether the service may have carried it out, and how n8n shows it. */
import type { INode } from 'n8n-workflow';

import {
	cancelledError,
	mayBeDone,
	mayBeUnderWay,
	toNodeError,
} from '../../../nodes/OutreachService/api/errors';
import { responseError } from '../../../nodes/OutreachService/api/response';
import { responseOf } from './responseOf';
import { connectionError } from '../../../nodes/OutreachService/api/noResponse';

const response = (status: number, text = '') => responseError(responseOf(status, text), 'api.test');
const noResponse = (code: string) => connectionError({ code }, 'https://api.test/api');

it.each([
	['when nobody waits for the response any longer', noResponse('ETIMEDOUT')],
	['when the service itself gives up waiting', response(408)],
	['when a gateway gives up waiting', response(504)],
	['when a CDN gives up waiting', response(524)],
])('The service may still be carrying out a request %s', (_when, error) => {
	expect([mayBeUnderWay(error), mayBeDone(error)]).toEqual([true, true]);
});

it.each([
	['when the connection is cut off', noResponse('ECONNRESET')],
	['when the service fails', response(500)],
	['when a gateway finds no service', response(502)],
	['when a success contains nothing of the API', response(201, '{}')],
	['when it redirects to what may be the result', response(303)],
])('The service is done with a request, and may have carried it out, %s', (_when, error) => {
	expect([mayBeUnderWay(error), mayBeDone(error)]).toEqual([false, true]);
});

it.each([
	['when the service refuses it', response(400)],
	...[301, 307, 308].map((status): [string, Error] => [
		`when the same request is to be sent to another URL (${status})`,
		response(status),
	]),
	['when the rate limit refuses it', response(429)],
	['when the service says that the team is wrong, whatever the status', response(504, 'Bad team')],
	['when no connection could be made', noResponse('ECONNREFUSED')],
	['when n8n does not send it', new Error('No credential')],
	['when it is cancelled before it is sent', cancelledError()],
])('The service has not carried out a request %s', (_when, error) => {
	expect([mayBeUnderWay(error), mayBeDone(error)]).toEqual([false, false]);
});

it.each(['getaddrinfo ENOTFOUND crm.example.com', 'ResourceExists', 'createPermission'])(
	'n8n shows an error that quotes "%s" as it is, which it would replace',
	(body) => {
		const error = response(422, body);
		const node: INode = {
			id: '1',
			name: 'Node',
			type: 'outreachService',
			typeVersion: 1,
			position: [0, 0],
			parameters: {},
		};
		expect(toNodeError(node, error, 3)).toMatchObject({
			message: error.message,
			description: error.description,
			httpCode: '422',
			context: { itemIndex: 3 },
		});
		expect(error.message).toContain(body);
	},
);

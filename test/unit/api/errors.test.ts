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

const UNDER_WAY = [true, true];
const MAYBE_DONE = [false, true];
const NOT_DONE = [false, false];

it.each<[when: string, Error, mayBe: boolean[]]>([
	['when nobody waits for the response any longer', noResponse('ETIMEDOUT'), UNDER_WAY],
	['when the service itself gives up waiting', response(408), UNDER_WAY],
	['when a gateway gives up waiting', response(504), UNDER_WAY],
	['when a CDN gives up waiting', response(524), UNDER_WAY],
	['when the connection is cut off', noResponse('ECONNRESET'), MAYBE_DONE],
	['when the service fails', response(500), MAYBE_DONE],
	['when a gateway finds no service', response(502), MAYBE_DONE],
	['when a success contains nothing of the API', response(201, '{}'), MAYBE_DONE],
	['when it redirects to what may be the result', response(303), MAYBE_DONE],
	['when the service refuses it', response(400), NOT_DONE],
	['when the same request is to be sent to another URL', response(307), NOT_DONE],
	['when that URL has replaced this one', response(301), NOT_DONE],
	['when that URL has replaced this one, for any method', response(308), NOT_DONE],
	['when the rate limit refuses it', response(429), NOT_DONE],
	['when the team is wrong, whatever the status', response(504, 'Bad team'), NOT_DONE],
	['when no connection could be made', noResponse('ECONNREFUSED'), NOT_DONE],
	['when n8n does not send it', new Error('No credential'), NOT_DONE],
	['when it is cancelled before it is sent', cancelledError(), NOT_DONE],
])(
	'Whether a request may be under way, and whether it may be carried out, %s',
	(_when, error, mayBe) => {
		expect([mayBeUnderWay(error), mayBeDone(error)]).toEqual(mayBe);
	},
);

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

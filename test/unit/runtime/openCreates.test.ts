/** How a create may end, and how long one stays open. */
import { cancelledError } from '../../../nodes/OutreachService/api/errors';
import { responseError } from '../../../nodes/OutreachService/api/messages';
import { connectionError } from '../../../nodes/OutreachService/api/noResponse';
import { webhookBase } from '../../../nodes/OutreachService/domain/triggerUrl';
import { digestOf } from '../../../nodes/OutreachService/domain/secret';
import {
	endOf,
	OpenCreates,
	type OpenCreate,
} from '../../../nodes/OutreachService/runtime/openCreates';

const MINUTE_MS = 60_000;

const sent = (minutesAgo: number): OpenCreate => ({
	desired: {
		event: 'emailsReplied',
		targetUrl: webhookBase('https://n8n.test/webhook/1/webhook'),
		digest: digestOf('a secret'),
		serviceId: 'a service',
	},
	listedBefore: new Set(),
	sentAt: performance.now() - minutesAgo * MINUTE_MS,
	end: new Promise(() => undefined),
	hasFailed: false,
});

it('A create that nobody asks for any more is forgotten after ten minutes, when another node sends one', () => {
	const openCreates = new OpenCreates();
	openCreates.add('a test run that is over', sent(11));
	openCreates.add('another node', sent(9));
	openCreates.add('a third one', sent(0));
	expect(openCreates.size).toBe(2);
});

describe('The end of a create', () => {
	const response = (status: number, text = '') =>
		responseError({ status, text, isTruncated: false, headers: {} }, 'api.test');
	const noResponse = (code: string) => connectionError({ code }, 'https://api.test/api');

	it.each([
		['noResponse', 'when nobody waits for the response any longer', noResponse('ETIMEDOUT')],
		['noResponse', 'when the service itself gives up waiting', response(408)],
		['noResponse', 'when a gateway gives up waiting', response(504)],
		['noResponse', 'when a CDN gives up waiting', response(524)],
		['cutOff', 'when the connection is cut off', noResponse('ECONNRESET')],
		['unclear', 'when the service fails', response(500)],
		['unclear', 'when a success contains no webhook', response(201, '{}')],
		['urlTaken', 'when a webhook has the target URL', response(409)],
		['notMade', 'when the service refuses it', response(400)],
		['notMade', 'when the rate limit refuses it', response(429)],
		[
			'notMade',
			'when the service says that the team is wrong, whatever the status',
			response(504, 'Bad team'),
		],
		['notMade', 'when no connection could be made', noResponse('ECONNREFUSED')],
		['notMade', 'when n8n does not send it', new Error('No credential')],
		['cancelled', 'when the change was cancelled', cancelledError()],
	])('is %s %s', (kind, _when, error) => {
		expect(endOf({ ok: false, error }).kind).toBe(kind);
	});
});

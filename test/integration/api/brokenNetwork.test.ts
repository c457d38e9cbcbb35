/** Failures of the network that no local service can have: n8n's HTTP helper ends with their codes here. */
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { apiRequest } from '../../../nodes/OutreachService/api/request';
import { createWebhook } from '../../../nodes/OutreachService/api/webhooks';
import { actionExecution } from '../support/action';
import { withService } from '../support/webhooks';

const { service, requests } = withService();

const LIST = { method: 'GET', path: '/hooks' } as const;
const HOOK = { targetUrl: 'https://crm.test/in', type: undefined };

/** A context whose helper does this for the first request, and what it always does for the others. */
function contextWhere(first: () => Promise<unknown>) {
	const { context } = actionExecution(service());
	const { helpers } = context;
	const real = helpers.httpRequestWithAuthentication.bind(context);
	let sent = 0;
	helpers.httpRequestWithAuthentication = async (...args) => {
		sent += 1;
		return sent === 1 ? await first() : ((await real(...args)) as unknown);
	};
	return { context, sent: () => sent };
}

const failingWith = (code: string | undefined) =>
	contextWhere(async () => {
		throw Object.assign(new Error('It broke'), code === undefined ? {} : { code });
	});

it.each(['EAI_AGAIN', 'ECONNRESET', 'ETIMEDOUT', 'ENETUNREACH'])(
	'A request that fails with %s is sent again',
	async (code) => {
		const { context, sent } = failingWith(code);
		expect(await apiRequest(context, LIST)).toMatchObject({ status: 200, text: '[]' });
		expect(sent()).toBe(2);
	},
);

it.each(['ENOTFOUND', 'ECONNREFUSED', 'CERT_HAS_EXPIRED', 'EPROTO'])(
	'A request that fails with %s is not sent again: waiting would not help',
	async (code) => {
		const { context, sent } = failingWith(code);
		await expect(apiRequest(context, LIST)).rejects.toBeInstanceOf(NodeApiError);
		expect(sent()).toBe(1);
	},
);

it.each(['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'CERT_HAS_EXPIRED'])(
	'A create that fails with %s has reached nobody, so there is nothing to look for',
	async (code) => {
		const { context, sent } = failingWith(code);
		await expect(createWebhook(context, HOOK)).rejects.toMatchObject({
			description: expect.stringContaining(`(${code})`) as string,
		});
		expect(sent()).toBe(1);
		expect(requests()).toEqual([]);
	},
);

it.each(['ECONNRESET', 'ETIMEDOUT'])(
	'A create that fails with %s may have worked: the node looks before it sends it again',
	async (code) => {
		const { context } = failingWith(code);
		await createWebhook(context, HOOK);
		expect(requests()).toEqual(['GET /hooks', 'POST /hooks']);
	},
);

it.each([undefined, 'ERR_CANCELED'])(
	'What n8n did not send at all (code: %s) is told as it is, and not sent again',
	async (code) => {
		const { context, sent } = failingWith(code);
		const asked = apiRequest(context, LIST);
		await expect(asked).rejects.toBeInstanceOf(NodeOperationError);
		await expect(asked).rejects.toThrow('It broke');
		expect(sent()).toBe(1);
	},
);

it.each([
	[[{ a: 1 }], '[{"a":1}]'],
	[null, ''],
	[undefined, ''],
	['text', 'text'],
])('An answer that n8n hands over as %j is read as text', async (body, text) => {
	const { context } = contextWhere(async () => ({ statusCode: 200, body, headers: {} }));
	expect(await apiRequest(context, LIST)).toMatchObject({ status: 200, text });
});

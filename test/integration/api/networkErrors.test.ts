/** Failures of the network that no local service can have: n8n's HTTP helper ends with their codes here. */
import { createClient } from '../../../nodes/OutreachService/api/createClient';
import { Runtime } from '../../../nodes/OutreachService/runtime/runtime';
import { actionExecution } from '../support/action';
import { sendRequest } from '../support/request';
import { useWorld } from '../support/world';

const world = useWorld();

const LIST = { method: 'GET', path: '/hooks' } as const;
const WEBHOOK = { targetUrl: 'https://crm.test/in', type: undefined };

/** Requests of a context whose helper does this for the first one, and what it always does for the others. */
function contextWhere(first: () => Promise<unknown>) {
	const { context } = world.execution();
	const { helpers } = context;
	const real = helpers.httpRequestWithAuthentication.bind(context);
	let sent = 0;
	helpers.httpRequestWithAuthentication = async (...args) => {
		sent += 1;
		return sent === 1 ? await first() : ((await real(...args)) as unknown);
	};
	return {
		list: async () => await sendRequest(world.execution(), LIST, {}, { context }),
		create: async () => await createClient(context, new Runtime()).createWebhook(WEBHOOK),
		sent: () => sent,
	};
}

const failingWith = (code: string | undefined) =>
	contextWhere(async () => {
		throw Object.assign(new Error('It broke'), code === undefined ? {} : { code });
	});

it.each(['EAI_AGAIN', 'ECONNRESET', 'ETIMEDOUT', 'ENETUNREACH'])(
	'A request that fails with %s is sent again',
	async (code) => {
		const { list, sent } = failingWith(code);
		expect(await list()).toMatchObject({ status: 200, text: '[]' });
		expect(sent()).toBe(2);
	},
);

it.each(['ENOTFOUND', 'ECONNREFUSED', 'CERT_HAS_EXPIRED', 'EPROTO'])(
	'A request that fails with %s is not sent again: waiting would not help',
	async (code) => {
		const { list, sent } = failingWith(code);
		expect(await list()).toEqual({ kind: 'unreachable', code });
		expect(sent()).toBe(1);
	},
);

it.each(['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'CERT_HAS_EXPIRED'])(
	'A create that fails with %s has reached nobody, so the list is not checked',
	async (code) => {
		const { create, sent } = failingWith(code);
		await expect(create()).rejects.toMatchObject({
			description: expect.stringContaining(`(${code})`) as string,
		});
		expect(sent()).toBe(1);
		expect(world.requests()).toEqual([]);
	},
);

it.each(['ECONNRESET', 'ETIMEDOUT'])(
	'A create that fails with %s may have worked: the list is checked before it is sent again',
	async (code) => {
		const { create } = failingWith(code);
		await create();
		expect(world.requests()).toEqual(['GET /hooks', 'POST /hooks']);
	},
);

it.each([undefined, 'ERR_CANCELED'])(
	"A request that n8n did not send at all (code: %s) fails with n8n's error, and is not retried",
	async (code) => {
		const { list, sent } = failingWith(code);
		await expect(list()).rejects.toThrow('It broke');
		expect(sent()).toBe(1);
	},
);

it.each([
	[[{ a: 1 }], '[{"a":1}]'],
	[null, ''],
	[undefined, ''],
	['text', 'text'],
])('A response that n8n returns as %j is read as text', async (body, text) => {
	const { list } = contextWhere(async () => ({ statusCode: 200, body, headers: {} }));
	expect(await list()).toMatchObject({ status: 200, text });
});

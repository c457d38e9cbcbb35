/**
 * Network failures that the local service cannot cause: here, n8n's HTTP helper fails with their codes. The world is a
 * local service and the action node in one process of n8n.
 */
import { createWebhook } from '../../../nodes/OutreachService/actions/webhook/createWebhook';
import { createClient } from '../../../nodes/OutreachService/api/client';
import { Runtime } from '../../../nodes/OutreachService/runtime/runtime';
import { useWorld } from '../support/world';

const world = useWorld();

const WEBHOOK = { targetUrl: 'https://crm.test/in', event: '*' };

/** Requests in a context whose HTTP helper handles the first one in this way, and sends the others as usual. */
function requestsWith(first: () => Promise<unknown>) {
	const { context } = world.execution();
	const { helpers } = context;
	const send = helpers.httpRequestWithAuthentication.bind(context);
	let sent = 0;
	helpers.httpRequestWithAuthentication = async (...args) => {
		sent += 1;
		return sent === 1 ? await first() : ((await send(...args)) as unknown);
	};
	const client = createClient(context, new Runtime());
	return {
		list: async () => await client.listWebhooks(),
		create: async () => await createWebhook({ client }, WEBHOOK),
		sent: () => sent,
	};
}

const failingWith = (code: string | undefined) =>
	requestsWith(async () => {
		throw Object.assign(new Error('It broke'), code === undefined ? {} : { code });
	});

it.each(['EAI_AGAIN', 'ECONNRESET', 'ETIMEDOUT', 'ENETUNREACH'])(
	'A request that fails with %s is retried',
	async (code) => {
		const { list, sent } = failingWith(code);
		expect(await list()).toEqual([]);
		expect(sent()).toBe(2);
	},
);

it.each(['ENOTFOUND', 'ECONNREFUSED', 'CERT_HAS_EXPIRED', 'EPROTO'])(
	'A request that fails with %s is not retried, because waiting would not help',
	async (code) => {
		const { list, sent } = failingWith(code);
		await expect(list()).rejects.toMatchObject({ details: { code } });
		expect(sent()).toBe(1);
	},
);

it.each(['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'CERT_HAS_EXPIRED'])(
	'A create that fails with %s has not reached the service, so the list is not checked',
	async (code) => {
		const { create, sent } = failingWith(code);
		await expect(create()).rejects.toMatchObject({
			description: expect.stringContaining(`(${code})`) as string,
		});
		expect(sent()).toBe(1);
		expect(world.requests()).toEqual([]);
	},
);

it("A request that n8n did not send at all fails with n8n's error, and is not retried", async () => {
	const { list, sent } = failingWith(undefined);
	await expect(list()).rejects.toThrow('It broke');
	expect(sent()).toBe(1);
});

it('A request that a proxy cuts off before it is connected, an error without a code, is retried', async () => {
	const { list, sent } = requestsWith(async () => {
		const cause = Object.assign(new Error('Proxy connection ended'), { isAxiosError: true });
		throw new Error('It broke', { cause });
	});
	expect(await list()).toEqual([]);
	expect(sent()).toBe(2);
});

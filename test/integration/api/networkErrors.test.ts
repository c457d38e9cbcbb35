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

it.each(['EAI_AGAIN', 'ENOTFOUND', 'ECONNREFUSED', 'CERT_HAS_EXPIRED', 'ECONNRESET', 'ETIMEDOUT'])(
	'A request that fails with %s is retried',
	async (code) => {
		const { list, sent } = failingWith(code);
		expect(await list()).toEqual([]);
		expect(sent()).toBe(2);
	},
);

it.each(['ENOTFOUND', 'EAI_FAIL', 'ECONNREFUSED', 'CERT_HAS_EXPIRED'])(
	'A create that fails with %s was not sent, so it is sent again without a look at the list',
	async (code) => {
		const { create, sent } = failingWith(code);
		const { _id } = await create();
		expect(sent()).toBe(2);
		expect(world.webhookIds).toEqual([_id]);
		expect(world.requests()).toEqual(['POST /hooks']);
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

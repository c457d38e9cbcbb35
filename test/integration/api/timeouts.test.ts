/** A response that never ends: the time-out of n8n's HTTP helper measures silence, and this one is never silent. */
import { LoadOptionsContext } from 'n8n-core';

import { createClient, type Client } from '../../../nodes/OutreachService/api/createClient';
import { isCancelled } from '../../../nodes/OutreachService/api/errors';
import { Runtime } from '../../../nodes/OutreachService/runtime/runtime';
import { settle } from '../../../nodes/OutreachService/utils/settle';
import { actionExecution } from '../support/action';
import { actionNode, additionalData, makeNode, makeWorkflow } from '../support/n8n';
import { sendRequest } from '../support/request';
import { textLike } from '../support/matchers';
import { useWorld } from '../support/world';

const world = useWorld();

const PATIENCE = { requestMs: 300, totalMs: 10_000 };
const LIST = { method: 'GET', path: '/hooks' } as const;
const TIMED_OUT = { kind: 'unreachable', code: 'ETIMEDOUT' };
const until = async (condition: () => boolean) => {
	while (!condition()) await new Promise(setImmediate);
};

describe('A response that drips', () => {
	it('times out, and the request is retried', async () => {
		world.addWebhook();
		world.service.addFault({ kind: 'drip', everyMs: 50 });
		expect(await sendRequest(world.execution(), LIST, PATIENCE)).toMatchObject({ status: 200 });
		expect(world.requests()).toEqual(['GET /hooks', 'GET /hooks']);
	});

	it('each time is a time-out in the end', async () => {
		world.addWebhook();
		world.service.addFault({ kind: 'drip', everyMs: 50, times: 4 });
		expect(await sendRequest(world.execution(), LIST, PATIENCE)).toEqual(TIMED_OUT);
		expect(world.requests()).toHaveLength(4);
	}, 20_000);

	it('to a create leaves its outcome uncertain', async () => {
		world.service.addFault({ kind: 'drip', everyMs: 50 });
		const create = {
			method: 'POST',
			path: '/hooks',
			body: { targetUrl: 'https://crm.test/in' },
		} as const;
		expect(await sendRequest(world.execution(), create, PATIENCE)).toEqual({
			kind: 'uncertain',
			cause: TIMED_OUT,
		});
		expect(world.webhooks).toHaveLength(1);
	});

	it('ends the test of a credential after half a minute', async () => {
		world.addWebhook();
		world.service.addFault({ kind: 'drip', everyMs: 1000 });
		const { baseUrl, apiKey } = world.service;
		const { context } = world.execution();
		const test = actionNode.methods.credentialTest.outreachServiceApiTest.call(
			{ helpers: context.helpers } as never,
			{ id: '1', name: '', type: 'outreachServiceApi', data: { baseUrl, apiKey } },
		);
		expect(await test).toEqual({
			status: 'Error',
			message: expect.stringMatching(/^127\.0\.0\.1:\d+ did not respond in time\. /) as string,
		});
	});
});

describe('A request that is cancelled', () => {
	const CONTEXTS = [
		['in an execution', () => world.execution().context],
		[
			'outside an execution',
			() => {
				const node = makeNode('outreachService', {});
				return new LoadOptionsContext(
					makeWorkflow([node]),
					node,
					additionalData(world.service).data,
					'',
				);
			},
		],
	] as const;
	const REQUESTS: Array<[string, (client: Client) => Promise<unknown>, string | RegExp]> = [
		['a list', async (client) => await client.listWebhooks(), ''],
		[
			'a create',
			async (client) => await client.createWebhook({ targetUrl: 'https://crm.test/in' }),
			/^Whether the webhook was created is not known/,
		],
		[
			'a deletion',
			async (client) => await client.deleteWebhook('hoo_1'),
			/^Whether the webhook hoo_1 is deleted is not known/,
		],
	];

	it.each(
		CONTEXTS.flatMap(([place, context]) =>
			REQUESTS.map(([name, run, unknown]) => [name, place, context, run, unknown] as const),
		),
	)(
		'(%s, %s) ends at once, and is no failure of the service',
		async (_n, _p, context, run, unknown) => {
			const stop = new AbortController();
			world.service.addFault({ kind: 'delay', delayMs: 10_000 });
			const client = createClient(context(), new Runtime(), stop.signal);
			const running = settle(world.run(client));
			await until(() => world.requests().length === 1);
			const began = performance.now();
			stop.abort();
			expect(await running).toMatchObject({
				error: {
					failure: { kind: 'cancelled', mayHaveWorked: true },
					description: typeof unknown === 'string' ? unknown : textLike(unknown),
				},
			});
			expect(performance.now() - began).toBeLessThan(1_000);
			expect(world.requests()).toHaveLength(1);
			expect(await settle(world.run(client))).toMatchObject({
				error: { failure: { kind: 'cancelled', mayHaveWorked: false }, description: '' },
			});
			expect(world.requests()).toHaveLength(1);
		},
	);

	it('is not one that must run to its end, although n8n gives each request the signal of the execution', async () => {
		world.addWebhook();
		world.service.addFault({ kind: 'delay', delayMs: 200 });
		const stop = new AbortController();
		const { context } = world.execution({}, { signal: stop.signal });
		const running = createClient(context, new Runtime(), stop.signal).listWebhooks({
			cancellable: 'never',
		});
		await until(() => world.requests().length === 1);
		stop.abort();
		expect(await running).toHaveLength(1);
	});

	it('is closed, so that the service does not go on sending to nobody', async () => {
		world.addWebhook();
		world.service.addFault({ kind: 'drip', everyMs: 1000 });
		const { context } = world.execution();
		const stop = new AbortController();
		const running = settle(createClient(context, new Runtime(), stop.signal).listWebhooks());
		await until(
			() => world.service.requests[0]?.status !== undefined || world.requests().length === 1,
		);
		stop.abort();
		const result = await running;
		expect(!result.ok && isCancelled(result.error)).toBe(true);
		// A server waits for its connections when it closes.
		await world.service.close();
	});
});

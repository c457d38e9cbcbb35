/** A response that never ends: the time-out of n8n's HTTP helper measures silence, and this one is never silent. */
import { LoadOptionsContext } from 'n8n-core';

import { CancelledError } from '../../../nodes/OutreachService/api/cancellation';
import {
	createWebhook,
	deleteWebhook,
	listWebhooks,
} from '../../../nodes/OutreachService/api/webhooks';
import { actionExecution } from '../support/action';
import { actionNode, additionalData, makeNode, makeWorkflow } from '../support/n8n';
import { request } from '../support/request';
import { withService } from '../support/webhooks';

const { service, addHook, requests } = withService();

const PATIENCE = { requestMs: 300, totalMs: 10_000 };
const LIST = { method: 'GET', path: '/hooks' } as const;
const until = async (condition: () => boolean) => {
	while (!condition()) await new Promise(setImmediate);
};

describe('A response that drips', () => {
	it('is given up after the time for one request, and asked for again', async () => {
		addHook();
		service().addFault({ kind: 'drip', everyMs: 50 });
		const answer = await request(service(), LIST, { patience: PATIENCE });
		expect(answer).toMatchObject({ status: 200 });
		expect(requests()).toEqual(['GET /hooks', 'GET /hooks']);
	});

	it('again and again is told as a time-out', async () => {
		addHook();
		service().addFault({ kind: 'drip', everyMs: 50, times: 4 });
		await expect(request(service(), LIST, { patience: PATIENCE })).rejects.toMatchObject({
			message: expect.stringMatching(/^127\.0\.0\.1:\d+ did not answer in time$/) as string,
		});
		expect(requests()).toHaveLength(4);
	}, 20_000);

	it('to a create leaves its outcome open', async () => {
		service().addFault({ kind: 'drip', everyMs: 50 });
		const create = {
			method: 'POST',
			path: '/hooks',
			body: { targetUrl: 'https://crm.test/in' },
		} as const;
		expect(await request(service(), create, { patience: PATIENCE })).toEqual({
			uncertain: { kind: 'unreachable', code: 'ETIMEDOUT' },
		});
		expect(service().hooks()).toHaveLength(1);
	});

	it('ends the test of a credential after half a minute', async () => {
		addHook();
		service().addFault({ kind: 'drip', everyMs: 1000 });
		const { baseUrl, apiKey } = service();
		const { context } = actionExecution(service());
		const test = actionNode.methods.credentialTest.outreachServiceApiTest.call(
			{ helpers: context.helpers } as never,
			{ id: '1', name: '', type: 'outreachServiceApi', data: { baseUrl, apiKey } },
		);
		expect(await test).toEqual({
			status: 'Error',
			message: expect.stringMatching(/^127\.0\.0\.1:\d+ did not answer in time\. /) as string,
		});
	});
});

describe('A request that its caller cancels', () => {
	const CONTEXTS = [
		['in an execution', () => actionExecution(service()).context],
		[
			'outside an execution',
			() => {
				const node = makeNode('outreachService', {});
				return new LoadOptionsContext(
					makeWorkflow([node]),
					node,
					additionalData(service()).data,
					'',
				);
			},
		],
	] as const;
	const OPERATIONS = [
		['a list', listWebhooks, undefined],
		[
			'a create',
			async (ctx: Parameters<typeof listWebhooks>[0], where: { signal: AbortSignal }) =>
				await createWebhook(ctx, { targetUrl: 'https://crm.test/in' }, where),
			/^Whether the webhook was created is not known/,
		],
		[
			'a deletion',
			async (ctx: Parameters<typeof listWebhooks>[0], where: { signal: AbortSignal }) =>
				await deleteWebhook(ctx, 'hoo_1', where),
			/^Whether the webhook hoo_1 is deleted is not known/,
		],
	] as const;

	it.each(
		CONTEXTS.flatMap(([place, context]) =>
			OPERATIONS.map(([name, run, unknown]) => [name, place, context, run, unknown] as const),
		),
	)('(%s, %s) ends at once, and is no failed request', async (_n, _p, context, run, unknown) => {
		const stop = new AbortController();
		service().addFault({ kind: 'delay', delayMs: 10_000 });
		const running = run(context(), { signal: stop.signal });
		const seen = expect(running).rejects.toMatchObject({
			constructor: CancelledError,
			mayHaveWorked: true,
			description: unknown ? (expect.stringMatching(unknown) as string) : undefined,
		});
		await until(() => requests().length === 1);
		const began = performance.now();
		stop.abort();
		await seen;
		expect(performance.now() - began).toBeLessThan(1_000);
		expect(requests()).toHaveLength(1);
		await expect(run(context(), { signal: stop.signal })).rejects.toMatchObject({
			constructor: CancelledError,
			mayHaveWorked: false,
		});
		expect(requests()).toHaveLength(1);
	});

	it('ends with the execution too, when it has a signal of its own', async () => {
		const stop = new AbortController();
		service().addFault({ kind: 'delay', delayMs: 10_000 });
		const { context } = actionExecution(service(), {}, { signal: stop.signal });
		const running = listWebhooks(context, { signal: new AbortController().signal });
		const seen = expect(running).rejects.toBeInstanceOf(CancelledError);
		await until(() => requests().length === 1);
		stop.abort();
		await seen;
	});

	it('is closed, so that the service does not go on sending to nobody', async () => {
		addHook();
		service().addFault({ kind: 'drip', everyMs: 1000 });
		const { context } = actionExecution(service());
		const stop = new AbortController();
		const running = listWebhooks(context, { signal: stop.signal });
		const seen = expect(running).rejects.toBeInstanceOf(CancelledError);
		await until(() => service().requests[0]?.status !== undefined || requests().length === 1);
		stop.abort();
		await seen;
		// A server waits for its connections when it closes.
		await service().close();
	});
});

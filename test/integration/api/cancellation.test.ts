/**
 * Executions that a user stops, and the requests that this cancels. The world is a local service, the action node in
 * one process of n8n, and servers at target URLs.
 */
import { LoadOptionsContext } from 'n8n-core';

import { createClient, type Client } from '../../../nodes/OutreachService/api/client';
import { isCancelled } from '../../../nodes/OutreachService/api/errors';
import { Runtime } from '../../../nodes/OutreachService/runtime/runtime';
import { settle } from '../../../nodes/OutreachService/utils/settle';
import { withoutTime } from '../../clock';
import { textLike } from '../support/matchers';
import { additionalData, makeNode } from '../support/n8n';
import { useTargets } from '../support/targets';
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld();
const targets = useTargets();

/** A create for each item sends a request of its own, while all items share a list. */
const CREATE = { targetUrl: '=https://crm.test/{{ $json.number }}', event: '*' };
const asMany = (count: number, signal?: AbortSignal) => ({
	items: Array.from({ length: count }, (_, number) => ({ number })),
	...(signal ? { signal } : {}),
});
/** Stops an execution, which must end with an error and without waiting for anything. */
async function expectToStop(execution: Promise<unknown>, stop: AbortController): Promise<void> {
	await withoutTime(async () => {
		stop.abort();
		await expect(execution).rejects.toThrow('The request was cancelled');
	});
}

describe('An execution that is stopped', () => {
	it('ends while it waits for the rate limiter, and leaves its slot to others', async () => {
		const stop = new AbortController();
		const execution = world.run('create', CREATE, asMany(100, stop.signal));
		// Before the next window begins.
		await withoutTime(async () => await until(() => world.requests().length === 20));
		const other = world.run('getAll');
		await expectToStop(execution, stop);
		await other;
		expect(world.requests()).toHaveLength(21);
		expect(world.service.stats()).toMatchObject({ refused: 0, maxStartsInWindow: 20 });
	});

	it.each([
		['a 429', { status: 429, headers: { 'retry-after': '5' } }],
		['a 500', { status: 500 }],
	])('ends while it waits to retry after %s', async (_, fault) => {
		const stop = new AbortController();
		world.service.addFault({ kind: 'status', times: 3, ...fault });
		const execution = world.run('getAll', {}, { signal: stop.signal });
		await until(() => world.service.requests[0]?.status !== undefined);
		await expectToStop(execution, stop);
		expect(world.requests()).toHaveLength(1);
	});

	it('sends nothing when it is stopped before it starts', async () => {
		const run = world.run('getAll', {}, { signal: AbortSignal.abort() });
		await expect(run).rejects.toThrow('The request was cancelled');
		expect(world.requests()).toEqual([]);
	});

	it('returns no error items for the remaining items, even with continue-on-fail', async () => {
		const stop = new AbortController();
		const execution = world.run('create', CREATE, {
			...asMany(50, stop.signal),
			continueOnFail: true,
		});
		await until(() => world.requests().length === 20);
		await expectToStop(execution, stop);
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
					world.n8n.makeWorkflow([node]),
					node,
					additionalData(world.service).data,
					'',
				);
			},
		],
	] as const;
	const REQUESTS: Array<[string, (client: Client) => Promise<unknown>, string]> = [
		['a list', async (client) => await client.listWebhooks(), 'The execution was stopped'],
		[
			'a deletion',
			async (client) => await client.deleteWebhook('hoo_1', { wasListed: false }),
			'Whether the webhook hoo_1 is deleted is not known',
		],
	];

	it.each(
		CONTEXTS.flatMap(([place, context]) =>
			REQUESTS.map(
				([name, send, description]) => [name, place, context, send, description] as const,
			),
		),
	)(
		'ends immediately, and does not count as a failure of the service: %s, %s',
		async (_n, _p, context, send, description) => {
			const stop = new AbortController();
			world.service.addFault({ kind: 'delay', delayMs: 10_000 });
			const client = createClient(context(), new Runtime(), { signal: stop.signal });
			const running = settle(send(client));
			await until(() => world.requests().length === 1);
			const stopped = await withoutTime(async () => {
				stop.abort();
				return await running;
			});
			expect(stopped).toMatchObject({
				error: { failure: 'cancelled', description: textLike(new RegExp(`^${description}`)) },
			});
			expect(await settle(send(client))).toMatchObject({
				error: {
					failure: 'cancelled',
					description: 'The execution was stopped, or the workflow was deactivated.',
				},
			});
			expect(world.requests()).toHaveLength(1);
		},
	);

	it.each(CONTEXTS)(
		'runs to its end if it is a create that was sent, so that its outcome is known: %s',
		async (_place, context) => {
			world.service.addFault({ kind: 'delay', delayMs: 5_000 });
			const stop = new AbortController();
			const client = createClient(context(), new Runtime(), { signal: stop.signal });
			const running = client.create({ targetUrl: 'https://crm.test/in', event: '*' });
			await until(() => world.requests().length === 1);
			stop.abort();
			expect(await running).toMatchObject({ _id: world.webhookIds[0] });
			expect(world.webhookIds).toHaveLength(1);
		},
	);

	it('has its connection closed, so that the service stops sending', async () => {
		let isClosed = false;
		const api = await targets.start((response) => {
			response.once('close', () => {
				isClosed = true;
			});
			// It never ends.
			response.writeHead(200).write('[');
		});
		const credential = { baseUrl: api.url, apiKey: 'key' };
		const { context } = world.execution({}, { credential });
		const stop = new AbortController();
		const client = createClient(context, new Runtime(), { signal: stop.signal });
		const running = settle(client.listWebhooks());
		await until(() => api.asked.length === 1);
		stop.abort();
		const result = await running;
		expect(!result.ok && isCancelled(result.error)).toBe(true);
		await until(() => isClosed, 5_000);
	});
});

/**
 * Executions that a user stops, and the requests that this cancels. The world is a local service, the action node in
 * one process of n8n, and servers at target URLs.
 */
import { LoadOptionsContext } from 'n8n-core';

import { createClient } from '../../../nodes/OutreachService/api/client';
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

/** Stops an execution, which must end with an error and without waiting for anything. */
async function expectToStop(execution: Promise<unknown>, stop: AbortController): Promise<void> {
	await withoutTime(async () => {
		stop.abort();
		await expect(execution).rejects.toThrow('The request was cancelled');
	});
}

describe('An execution that is stopped', () => {
	it('ends while it waits for the rate limiter, leaves its slot to others, and has no error items, even with continue-on-fail', async () => {
		const stop = new AbortController();
		const create = { targetUrl: '=https://crm.test/{{ $json.number }}', event: '*' };
		const items = Array.from({ length: 100 }, (_, number) => ({ number }));
		const options = { items, signal: stop.signal, continueOnFail: true };
		const execution = world.run('create', create, options);
		// Before the next window begins.
		await withoutTime(async () => await until(() => world.requests().length === 20));
		const other = world.run('getAll');
		await expectToStop(execution, stop);
		await other;
		expect(world.requests()).toHaveLength(21);
		expect(world.service.refused).toEqual([]);
	});

	it('ends while it waits to retry', async () => {
		const stop = new AbortController();
		world.service.addFault({ kind: 'status', status: 500, times: 3 });
		const execution = world.run('getAll', {}, { signal: stop.signal });
		await until(() => world.service.requests[0]?.status !== undefined);
		await expectToStop(execution, stop);
		expect(world.requests()).toHaveLength(1);
	});
});

describe.each([
	['an execution', () => world.execution().context],
	[
		'the editor',
		() => {
			const node = makeNode('outreachService', {});
			const workflow = world.n8n.makeWorkflow([node]);
			return new LoadOptionsContext(workflow, node, additionalData(world.service).data, '');
		},
	],
] as const)('A request in the context of %s', (_, context) => {
	it('ends immediately when it is cancelled, says what is known of its outcome, and no further one is sent', async () => {
		const stop = new AbortController();
		world.service.addFault({ kind: 'delay', delayMs: 10_000 });
		const client = createClient(context(), new Runtime(), { signal: stop.signal });
		const remove = async () => await settle(client.deleteWebhook('hoo_1', { wasListed: false }));
		const running = remove();
		await until(() => world.requests().length === 1);
		const stopped = await withoutTime(async () => {
			stop.abort();
			return await running;
		});
		const description = textLike(/^Whether the webhook hoo_1 is deleted is not known/);
		expect(stopped).toMatchObject({ error: { failure: 'cancelled', description } });
		expect(await remove()).toMatchObject({
			error: {
				failure: 'cancelled',
				description: 'The execution was stopped, or the workflow was deactivated.',
			},
		});
		expect(world.requests()).toHaveLength(1);
	});

	it('runs to its end if it is a create that was sent, so that its outcome is known', async () => {
		world.service.addFault({ kind: 'delay', delayMs: 5_000 });
		const stop = new AbortController();
		const client = createClient(context(), new Runtime(), { signal: stop.signal });
		const running = client.create({ targetUrl: 'https://crm.test/in', event: '*' });
		await until(() => world.requests().length === 1);
		stop.abort();
		expect(await running).toMatchObject({ _id: world.webhookIds[0] });
		expect(world.webhookIds).toHaveLength(1);
	});
});

it('A request that is cancelled has its connection closed, so that the service stops sending', async () => {
	let isClosed = false;
	const api = await targets.start((response) => {
		response.once('close', () => {
			isClosed = true;
		});
		// It never ends.
		response.writeHead(200).write('[');
	});
	const stop = new AbortController();
	const { context } = world.execution({}, { credential: { baseUrl: api.url, apiKey: 'k' } });
	const client = createClient(context, new Runtime(), { signal: stop.signal });
	const running = settle(client.listWebhooks());
	await until(() => api.asked.length === 1);
	stop.abort();
	expect(await running).toMatchObject({ error: { failure: 'cancelled' } });
	await until(() => isClosed, 5_000);
});

/**
 * What happens between two calls of n8n counts: a response that arrives late, and a deactivation while an activation is
 * under way. The world is a local service and one trigger in one process of n8n, and the test says how much time passes.
 */
import { useStoppedClock } from '../../clock';
import { passTime } from '../support/passTime';
import { until } from '../support/until';
import { useWorld } from '../support/world';

useStoppedClock();
const world = useWorld({ switches: { rateLimit: 'off' } });

const POST = { match: { method: 'POST' } } as const;
const DELETE = { match: { method: 'DELETE' } } as const;

const requested = (method: string): number =>
	world.requests().filter((request) => request.startsWith(method)).length;

/** How long an activation waits for the response to a create, in milliseconds. */
const WAITS_MS = 12_000;

describe('The response to a create that arrives between two attempts of n8n to activate', () => {
	it('leaves its webhook for the next attempt: a service that takes 12.5 seconds can be used, too', async () => {
		const host = await world.trigger(['emailsReplied']);
		world.service.addFault({ kind: 'delay', delayMs: WAITS_MS + 500, times: 100, ...POST });
		const attempt = expect(host.call('create')).rejects.toThrow(/did not respond in time/);
		await until(() => requested('POST') === 1);
		await passTime(WAITS_MS);
		await attempt;
		await host.call('delete');
		await passTime(500);
		await until(() => world.n8n.runtime.openCreates.size === 0);
		await host.settled();
		await passTime(500);
		await host.call('create');
		expect([world.webhooks.length, requested('POST')]).toEqual([1, 1]);
		await world.service.emit({ type: 'emailsReplied' });
		expect(host.started).toHaveLength(1);
	});

	it('has its webhook removed if n8n does not try again', async () => {
		const host = await world.trigger(['emailsReplied']);
		world.service.addFault({ kind: 'delay', delayMs: WAITS_MS + 500, times: 100, ...POST });
		const attempt = expect(host.call('create')).rejects.toThrow(/did not respond in time/);
		await until(() => requested('POST') === 1);
		await passTime(WAITS_MS);
		await attempt;
		await host.call('delete');
		await passTime(500);
		await until(() => world.webhooks.length === 1);
		await passTime(3_000);
		await until(() => world.webhooks.length === 0);
	});
});

describe('A deactivation while an activation', () => {
	it('removes what is superfluous makes the activation fail, and nothing stays behind', async () => {
		const host = await world.trigger(['emailsReplied']);
		// It has a target URL of the node, so it is removed once the desired webhook exists.
		world.addWebhook({ targetUrl: `${host.webhookUrl}?event=smsReplied`, type: 'smsReplied' });
		world.service.addFault({ kind: 'delay', delayMs: 5_000, ...DELETE });
		const attempt = expect(host.call('create')).rejects.toThrow('The request was cancelled');
		await until(() => requested('DELETE') === 1);
		await host.call('delete');
		await attempt;
		// Nothing is stored that the next activation could take for registered.
		expect(host.staticData).toEqual({});
		await passTime(5_000);
		await until(() => world.webhooks.length === 0);
		expect(host.isKnownToProcess).toBe(false);
	});

	it('waits for an earlier change of the node makes the activation fail, and sends nothing for it', async () => {
		const host = await world.activeTrigger(['emailsReplied']);
		const { tick } = await host.startTrigger();
		world.useKey(host, 'new-key');
		world.service.addFault({ kind: 'delay', delayMs: 5_000, match: { method: 'GET' }, times: 2 });
		tick();
		await until(() => requested('GET') === 2);
		const attempts = [host.call('create'), host.call('create')].map(
			async (attempt) => await expect(attempt).rejects.toThrow('The request was cancelled'),
		);
		await host.call('delete');
		await passTime(20_000);
		await Promise.all(attempts);
		await until(() => world.webhooks.length === 0);
	});
});

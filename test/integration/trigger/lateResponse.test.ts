/**
 * What happens between two calls of n8n counts: a response that arrives late, and a deactivation while an activation is
 * under way. The world is a local service and one trigger in one process of n8n, and the test says how much time passes.
 */
import { REMOVAL_GRACE_MS } from '../../../tools/host/grace';
import { useStoppedClock } from '../../clock';
import { passTime } from '../support/passTime';
import { until } from '../support/until';
import { useWorld } from '../support/world';

useStoppedClock();
const world = useWorld({ switches: { rateLimit: 'off' } });

const POST = { match: { method: 'POST' } } as const;
const GET = { match: { method: 'GET' } } as const;
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
		await passTime(REMOVAL_GRACE_MS + 1_000);
		await until(() => world.webhooks.length === 0);
	});
});

it('A response that arrives while the next attempt lists the webhooks is its webhook: no second one is created', async () => {
	const host = await world.trigger(['emailsReplied']);
	world.service.addFault({ kind: 'delay', delayMs: WAITS_MS + 1_500, times: 100, ...POST });
	const attempt = expect(host.call('create')).rejects.toThrow(/did not respond in time/);
	await until(() => requested('POST') === 1);
	await passTime(WAITS_MS);
	await attempt;
	await host.call('delete');
	await passTime(500);
	// The list arrives after the response to the create, and is older than that.
	world.service.setSwitches({ listDelayMs: 600_000 });
	world.service.addFault({ kind: 'delay', delayMs: 5_000, ...GET });
	const next = host.call('create');
	await until(() => requested('GET') === 2);
	await passTime(5_000);
	await next;
	expect([world.webhooks.length, requested('POST')]).toEqual([1, 1]);
});

describe('A create that was sent with another API key', () => {
	const slow = { kind: 'delay', delayMs: WAITS_MS + 20_000, ...POST } as const;

	it('does not hold up the next activation, and its webhook is removed', async () => {
		const host = await world.trigger(['emailsReplied']);
		const [earlier, later] = ['tea_one', 'tea_two'];
		world.useKey(host, 'key-one', earlier);
		world.service.addFault(slow);
		const attempt = expect(host.call('create')).rejects.toThrow(/did not respond in time/);
		await until(() => requested('POST') === 1);
		await passTime(WAITS_MS);
		await attempt;
		await host.call('delete');
		world.useKey(host, 'key-two', later);
		await host.call('create');
		expect(world.service.hooks(later)).toHaveLength(1);
		await passTime(20_000);
		await until(() => world.n8n.runtime.openCreates.size === 0);
		await until(() => world.service.hooks(earlier).length === 0);
		expect(world.service.hooks(later)).toHaveLength(1);
		await world.service.emit({ type: 'emailsReplied', teamId: later });
		expect(host.started).toHaveLength(1);
	});
});

it('A webhook that a failed activation has made, and that no list has shown by then, is removed', async () => {
	const host = await world.trigger(['emailsReplied']);
	world.service.setSwitches({ listDelayMs: 600_000 });
	world.service.addFault({ kind: 'cut', when: 'after', times: 2, ...POST });
	await expect(host.call('create')).rejects.toThrow('was cut off');
	expect(world.webhooks).toHaveLength(2);
	await host.call('delete');
	world.service.setSwitches({ listDelayMs: 0 });
	await passTime(REMOVAL_GRACE_MS);
	await until(() => world.webhooks.length === 0);
});

it.each([10_000, 100_000])(
	'A webhook of a failed activation that the list shows only %d ms later is removed, however the create has failed',
	async (listDelayMs) => {
		const host = await world.trigger(['emailsReplied']);
		world.service.setSwitches({ listDelayMs });
		world.service.addFault({ kind: 'cut', when: 'after', times: 2, ...POST });
		await expect(host.call('create')).rejects.toThrow('was cut off');
		await host.call('delete');
		await passTime(REMOVAL_GRACE_MS);
		await host.settled();
		expect(world.webhooks).toHaveLength(2);
		await passTime(200_000);
		await until(() => world.webhooks.length === 0);
		// After ten minutes, nothing is left to wait for.
		await passTime(10 * 60_000);
		await host.settled();
		expect(world.n8n.runtime.stats()).toMatchObject({ triggerNodes: 0, openCreates: 0 });
	},
);

it('A start of n8n stops a removal that has begun: it removes no webhook that works', async () => {
	const host = await world.activeTrigger(['emailsReplied']);
	const before = world.webhookIds;
	// n8n calls it when another node of the workflow fails, and starts the workflow again a moment later.
	await host.call('delete', 'init');
	world.service.addFault({ kind: 'delay', delayMs: 5_000, ...GET });
	await passTime(REMOVAL_GRACE_MS);
	await until(() => requested('GET') === 2);
	const started = host.call('create', 'init');
	await passTime(5_000);
	await started;
	expect(world.webhookIds).toEqual(before);
	expect(requested('DELETE')).toBe(0);
	expect(host.isKnownToProcess).toBe(true);
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

	it('waits, and has another credential, removes the webhooks of the earlier team', async () => {
		const host = await world.activeTrigger(['emailsReplied']);
		const team = world.webhooks[0]!.team;
		const { tick } = await host.startTrigger();
		world.service.addFault({ kind: 'delay', delayMs: 5_000, ...GET });
		tick();
		await passTime(0);
		await host.call('delete');
		world.useKey(host, 'key-of-another-team', 'tea_other');
		const attempt = expect(host.call('create')).rejects.toThrow('The request was cancelled');
		await host.call('delete');
		await attempt;
		await passTime(20_000);
		await until(() => world.service.hooks(team).length === 0);
		expect(world.service.hooks('tea_other')).toEqual([]);
	});

	it('waits for an earlier change of the node makes the activation fail, and sends nothing for it', async () => {
		const host = await world.activeTrigger(['emailsReplied']);
		const { tick } = await host.startTrigger();
		world.useKey(host, 'new-key');
		world.service.addFault({ kind: 'delay', delayMs: 5_000, match: { method: 'GET' }, times: 2 });
		tick();
		await until(() => requested('GET') === 2);
		await host.call('delete');
		const attempts = [host.call('create'), host.call('create')].map(
			async (attempt) => await expect(attempt).rejects.toThrow('The request was cancelled'),
		);
		await host.call('delete');
		await passTime(20_000);
		await Promise.all(attempts);
		await until(() => world.webhooks.length === 0);
	});
});

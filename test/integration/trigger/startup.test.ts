/**
 * A start of n8n during an outage, or after a crash, ends in time, and keeps what works. The world is a local service
 * and triggers in one process of n8n.
 */
import { EVENT_TYPES, type Fault, type HookView } from '../../../tools/service';
import type { TriggerHost } from '../support/trigger';
import { useWorld } from '../support/world';

const world = useWorld();

const TEN_MINUTES_MS = 600_000;

/** After this time, n8n 2 calls a publication failed, and does not start the workflow with the next n8n. */
const N8N_GIVES_UP_MS = 84_000;

const THREE = ['emailsReplied', 'smsReplied', 'networkReplied'];

/** Starts n8n again: loads the workflow as it was saved, and starts its trigger. */
async function restart(
	host: TriggerHost,
	mode: 'init' | 'leadershipChange' = 'init',
	parameters = host.node.parameters,
) {
	host.reload(parameters);
	await host.activate(mode);
	return await host.startTrigger(mode);
}

describe('Starting n8n during an outage', () => {
	it.each(['GET', 'POST'])(
		'ends before n8n gives up on the workflow when the service never responds to a %s',
		async (method) => {
			const host = await world.activeTrigger(THREE);
			world.service.removeHook(world.webhooks[0]!._id);
			world.service.addFault({
				kind: 'delay',
				delayMs: TEN_MINUTES_MS,
				times: 100,
				match: { method },
			});
			const from = performance.now();
			await restart(host);
			expect(performance.now() - from).toBeLessThan(N8N_GIVES_UP_MS);
			await world.service.emit({ type: 'smsReplied' });
			expect(host.started).toHaveLength(1);
		},
	);

	it('does not apply to an activation after a removal that failed: the error is shown', async () => {
		const host = await world.activeTrigger(THREE);
		world.service.addFault({ kind: 'status', status: 401, times: 100 });
		await host.deactivate();
		await expect(host.activate()).rejects.toThrow('The service did not accept the API key');
		world.service.clearFaults();
		await host.activate();
		expect(world.webhookTypes.sort()).toEqual([...THREE].sort());
	});

	it('keeps what works after a crash, too, when n8n activates a workflow with an event that was added', async () => {
		const host = await world.activeTrigger(THREE.slice(0, 2));
		host.moveToNewProcess();
		host.reload({ events: THREE });
		world.service.addFault({ kind: 'status', status: 401 });
		await host.activate('update');
		expect(world.webhookTypes).toEqual(THREE.slice(0, 2));
		await (await host.startTrigger('update')).check();
		expect(world.webhookTypes).toEqual(THREE);
	});

	it('keeps all webhooks when one that is no longer desired cannot be removed', async () => {
		const host = await world.activeTrigger(THREE);
		const before = world.webhooks;
		world.service.addFault({ kind: 'status', status: 503, times: 2, match: { method: 'DELETE' } });
		const { check } = await restart(host, 'init', { events: THREE.slice(0, 2), options: {} });
		expect(world.webhooks).toEqual(before);
		await check();
		expect(world.webhookTypes).toEqual(THREE.slice(0, 2));
	});

	it.each<[string, Fault]>([
		['is down', { kind: 'status', status: 503, times: 2 }],
		['refuses every webhook', { kind: 'status', status: 400, times: 3, match: { method: 'POST' } }],
	])(
		'activates a workflow that has no webhooks yet when the service %s, and registers them later',
		async (_, fault) => {
			const host = await world.trigger(THREE);
			world.service.addFault(fault);
			const { check } = await restart(host);
			expect(world.webhooks).toEqual([]);
			await check();
			expect(world.webhookTypes).toEqual(THREE);
		},
	);

	it('is followed by a check each minute until one succeeds, even with Repair Interval 0', async () => {
		const host = await world.activeTrigger(THREE, { repairMinutes: 0 });
		world.service.removeHook(world.webhooks[0]!._id);
		world.service.addFault({ kind: 'status', status: 503, times: 3, match: { method: 'POST' } });
		const { check } = await restart(host);
		for (const count of [2, 2, 3]) {
			await check();
			expect(world.webhooks).toHaveLength(count);
		}
		world.service.removeHook(world.webhooks[0]!._id);
		await check();
		expect(world.webhooks).toHaveLength(2);
	});
});

describe('A start of n8n', () => {
	it('with all webhooks in place sends one request, and none before the next interval', async () => {
		const host = await world.activeTrigger(THREE, { repairMinutes: 0 });
		host.moveToNewProcess();
		const before = world.service.requests.length;
		await host.activate('init');
		expect(world.requests(before)).toEqual(['GET /hooks']);
		const { check } = await host.startTrigger('init');
		const since = world.service.requests.length;
		await check();
		expect(world.requests(since)).toEqual([]);
	});

	describe('at another URL', () => {
		/** The webhooks at the new URL. */
		const moved = () => world.webhooks.filter(({ targetUrl }) => targetUrl.includes('localhost'));
		/** Starts n8n at another URL. @returns the IDs of the webhooks at the old one */
		async function move(host: TriggerHost, faults: Fault[]): Promise<string[]> {
			const old = world.webhookIds;
			host.moveToNewProcess();
			host.webhookHost = 'localhost';
			for (const fault of faults) world.service.addFault(fault);
			await host.activate('init');
			return old;
		}

		it('does not wait until many webhooks are replaced: the check goes on by itself', async () => {
			const host = await world.activeTrigger(EVENT_TYPES.slice(0, 12));
			const match = { method: 'POST' };
			await move(host, [{ kind: 'delay', delayMs: 8_000, match, times: 12 }]);
			expect(moved().length).toBeLessThan(12);
			const { check } = await host.startTrigger('init');
			await host.settled();
			await check();
			expect([moved().length, world.webhooks.length]).toEqual([12, 12]);
			// Nothing was lost at the new URL, which no webhook had before.
			expect(host.failedExecutions).toEqual([]);
		});

		it('during an outage, removes the webhooks at the old one once the service is back', async () => {
			const host = await world.activeTrigger(THREE);
			const old = await move(host, [{ kind: 'status', status: 503, times: 2 }]);
			expect(world.webhookIds).toEqual(old);
			await (await host.startTrigger('init')).check();
			expect(world.webhookTypes).toEqual(THREE);
			expect(moved()).toHaveLength(THREE.length);
		});

		it('keeps stored what cannot be removed: the deactivation removes it', async () => {
			const host = await world.activeTrigger(THREE);
			await move(host, [{ kind: 'status', status: 403, match: { method: 'DELETE' }, times: 3 }]);
			expect(world.webhooks).toHaveLength(2 * THREE.length);
			// Only the stored IDs show that those at the old URL belong to this node.
			host.moveToNewProcess();
			await host.deactivate();
			expect(world.webhooks).toEqual([]);
		});
	});
});

describe('Activating a workflow', () => {
	it('asks for no further webhooks once one was refused', async () => {
		const host = await world.trigger(EVENT_TYPES.slice(0, 30));
		world.service.addFault({ kind: 'status', status: 400, times: 99, match: { method: 'POST' } });
		await expect(host.call('create')).rejects.toThrow('status 400');
		const creates = world.requests().filter((request) => request.startsWith('POST'));
		expect(creates.length).toBeLessThan(30);
		expect(world.webhooks).toEqual([]);
	});
});

it('A create that appears after its time is adopted by the next minute’s check, even with Repair Interval 0', async () => {
	const host = await world.activeTrigger(['emailsReplied'], { repairMinutes: 0 });
	const [{ _id, targetUrl }] = world.webhooks as [HookView];
	world.service.removeHook(_id);
	world.service.addFault({ kind: 'delay', delayMs: TEN_MINUTES_MS, match: { method: 'POST' } });
	const { check } = await restart(host);
	await host.settled();
	// What the service makes of it when nobody waits for it any more.
	const late = world.addWebhook({ targetUrl, type: 'emailsReplied' });
	await check();
	expect(world.webhookIds).toEqual([late._id]);
	const requests = world.requests().length;
	await check();
	expect(world.requests().slice(requests)).toEqual([]);
});

it('A create whose connection was cut, and which the list shows late, leaves no second webhook after the next check', async () => {
	world.service.addFault({ kind: 'cut', when: 'after', match: { method: 'POST' } });
	const host = await world.trigger(['emailsReplied'], { repairMinutes: 1 });
	for (let count = 0; count < 2; count++) world.respondOnce('GET', []);
	await host.activate();
	const { check } = await host.startTrigger();
	expect(world.webhooks).toHaveLength(2);
	await check();
	expect(world.webhooks).toHaveLength(1);
});

it('An activation that finds the registered webhooks missing is no start, even after a removal that worked', async () => {
	const host = await world.activeTrigger(THREE);
	const saved = JSON.parse(JSON.stringify(host.staticData)) as typeof host.staticData;
	await host.deactivate();
	// As a workflow that is written back with the static data that it had.
	host.reload(undefined, saved);
	world.service.addFault({ kind: 'status', status: 401, times: 100 });
	await expect(host.activate('update')).rejects.toThrow('The service did not accept the API key');
});

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
	it.each<[string, Fault]>([
		['responds with 503', { kind: 'status', status: 503, times: 2 }],
		['closes the connection', { kind: 'cut', times: 2 }],
	])('(the service %s) keeps the stored webhooks and the workflow active', async (_, fault) => {
		const host = await world.activeTrigger(THREE);
		const before = world.webhooks;
		world.service.addFault(fault);
		await restart(host);
		expect(world.webhooks).toEqual(before);
		await world.service.emit({ type: 'smsReplied' });
		expect(host.started).toHaveLength(1);
	});

	it.each(['GET', 'POST'])(
		'(the service never responds to a %s) ends before n8n gives up on the workflow',
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

	it('does not wait until many webhooks are replaced: the check goes on by itself', async () => {
		const host = await world.activeTrigger(EVENT_TYPES.slice(0, 20));
		host.moveToNewProcess();
		host.webhookHost = 'localhost';
		const slow = { kind: 'delay', delayMs: 8_000, match: { method: 'POST' }, times: 20 } as const;
		world.service.addFault(slow);
		const moved = () => world.webhooks.filter(({ targetUrl }) => targetUrl.includes('localhost'));
		await host.activate('init');
		expect(moved().length).toBeLessThan(20);
		const { check } = await host.startTrigger('init');
		await host.settled();
		await check();
		expect(moved()).toHaveLength(20);
		expect(world.webhooks).toHaveLength(20);
		// Nothing was lost at the new URL, which no webhook had before.
		expect(host.failedExecutions).toEqual([]);
	});

	it('does not apply to a change that a user makes after a removal that failed: the error is shown', async () => {
		const host = await world.activeTrigger(THREE);
		world.service.addFault({ kind: 'status', status: 401, times: 100 });
		await expect(host.deactivate()).rejects.toThrow('The service did not accept the API key');
		await expect(host.activate('update')).rejects.toThrow('The service did not accept the API key');
		world.service.clearFaults();
		await host.activate('update');
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

	it.each(['GET', 'POST'])(
		'keeps the working webhooks when n8n activates a workflow again that should be active (no %s works)',
		async (method) => {
			const host = await world.activeTrigger(THREE);
			const [missing, ...working] = world.webhooks;
			world.service.removeHook(missing!._id);
			host.moveToNewProcess();
			world.service.addFault({ kind: 'status', status: 503, times: 100, match: { method } });
			await host.activate('update');
			expect(world.webhooks).toEqual(working);
			await world.service.emit({ type: 'smsReplied' });
			expect(host.started).toHaveLength(1);
		},
	);

	it.each(['init', 'leadershipChange'] as const)(
		'(%s) keeps the working webhooks when a missing one cannot be created',
		async (mode) => {
			const host = await world.activeTrigger(THREE);
			const [missing, ...working] = world.webhooks;
			world.service.removeHook(missing!._id);
			world.service.addFault({ kind: 'status', status: 503, match: { method: 'POST' } });
			const { check } = await restart(host, mode);
			expect(world.webhooks).toEqual(working);
			await check();
			expect(world.webhookTypes.sort()).toEqual([...THREE].sort());
			for (const type of THREE) await world.service.emit({ type });
			expect(host.started).toHaveLength(3);
		},
	);

	it('keeps all webhooks when one that is no longer desired cannot be removed', async () => {
		const host = await world.activeTrigger(THREE);
		const before = world.webhooks;
		world.service.addFault({ kind: 'status', status: 503, times: 2, match: { method: 'DELETE' } });
		const { check } = await restart(host, 'init', { events: THREE.slice(0, 2), options: {} });
		expect(world.webhooks).toEqual(before);
		await check();
		expect(world.webhookTypes).toEqual(THREE.slice(0, 2));
	});

	it('keeps a webhook that is no longer desired stored if it cannot be removed, and the deactivation removes it', async () => {
		const host = await world.activeTrigger(THREE);
		world.service.addFault({ kind: 'status', status: 403, match: { method: 'DELETE' } });
		// With another target URL, only the stored ID shows that the webhook belongs to this node.
		const { targetUrl } = world.webhooks[0]!;
		host.staticData.registration = JSON.parse(
			JSON.stringify(host.staticData.registration).replaceAll(
				new URL(targetUrl).origin,
				'https://old.n8n.test',
			),
		) as never;
		for (const { _id, type, targetUrl: url } of world.webhooks) {
			world.service.removeHook(_id);
			const moved = world.addWebhook({
				type,
				targetUrl: url.replace(new URL(url).origin, 'https://old.n8n.test'),
			});
			host.staticData.registration = JSON.parse(
				JSON.stringify(host.staticData.registration).replaceAll(_id, moved._id),
			) as never;
		}
		host.moveToNewProcess();
		await host.activate('init');
		expect(world.webhooks).toHaveLength(4);
		host.reload();
		await host.deactivate();
		expect(world.webhooks).toEqual([]);
	});

	it('activates the workflow without webhooks when the service is down, and registers them later', async () => {
		const host = await world.trigger(THREE);
		world.service.addFault({ kind: 'status', status: 503, times: 2 });
		const { check } = await restart(host);
		expect(world.webhooks).toEqual([]);
		await check();
		expect(world.webhookTypes).toEqual(THREE);
	});

	it('warns that not everything could be registered, and says why', async () => {
		const host = await world.activeTrigger(THREE);
		world.service.removeHook(world.webhooks[0]!._id);
		world.service.addFault({ kind: 'status', status: 503, match: { method: 'POST' } });
		const warn = world.spyOnWarnings();
		await restart(host);
		expect(warn.mock.calls.map(([message]) => message)).toEqual([
			'The webhooks of "Trigger" could not be checked or restored: The service could not carry out the request (status 503). The next check tries again.',
		]);
	});

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

	it('keeps the webhooks when the service refuses the key for a while', async () => {
		const host = await world.activeTrigger(THREE);
		const before = world.webhooks;
		world.service.addFault({ kind: 'status', status: 401, times: 2 });
		await restart(host);
		expect(world.webhooks).toEqual(before);
		await world.service.emit({ type: 'smsReplied' });
		expect(host.started).toHaveLength(1);
	});

	it('activates the workflow when the service refuses every webhook, and registers them once it accepts them', async () => {
		const host = await world.trigger(THREE);
		world.service.addFault({ kind: 'status', status: 400, times: 3, match: { method: 'POST' } });
		const { check } = await restart(host);
		expect(world.webhooks).toEqual([]);
		await check();
		expect(world.webhookTypes).toEqual(THREE);
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

	it('while the credential cannot be read keeps the stored webhooks', async () => {
		const host = await world.activeTrigger(THREE);
		const before = world.webhooks;
		host.moveToNewProcess();
		host.failCredentialReads(new Error('The database is away'));
		await host.activate('init');
		expect(world.webhooks).toEqual(before);
		expect(host.isKnownToProcess).toBe(true);
	});

	it('while the credential cannot be read goes live, also when nothing is stored', async () => {
		const host = await world.trigger(THREE);
		host.failCredentialReads(new Error('The database is away'));
		await host.activate('init');
		host.failCredentialReads(undefined);
		await (await host.startTrigger('init')).check();
		expect(world.webhookTypes).toEqual(THREE);
	});

	it('at another URL, during an outage, removes the webhooks at the old one once the service is back', async () => {
		const host = await world.activeTrigger(THREE);
		const old = world.webhookIds;
		host.moveToNewProcess();
		host.webhookHost = 'localhost';
		world.service.addFault({ kind: 'status', status: 503, times: 2 });
		await host.activate('init');
		expect(world.webhookIds).toEqual(old);
		const { check } = await host.startTrigger('init');
		await check();
		expect(world.webhookTypes).toEqual(THREE);
		expect(world.webhookIds.filter((id) => old.includes(id))).toEqual([]);
	});

	it('says each reason why not everything could be registered or removed', async () => {
		const host = await world.activeTrigger(THREE);
		world.service.disableHook(world.webhookIds[0]!);
		world.service.addFault({ kind: 'status', status: 400, times: 9, match: { method: 'POST' } });
		world.service.addFault({ kind: 'status', status: 403, times: 9, match: { method: 'DELETE' } });
		const warn = world.spyOnWarnings();
		await restart(host);
		expect(warn.mock.calls.map(([message]) => message)).toEqual([
			expect.stringMatching(
				/could not be checked or restored: The service refused the request with/,
			),
			expect.stringMatching(/could be removed: The service did not accept the API key\./),
		]);
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

	it('succeeds when a leftover cannot be removed, and the next check removes it', async () => {
		const host = await world.activeTrigger(['emailsReplied']);
		const [left] = world.webhooks;
		host.moveToNewProcess({});
		world.service.addFault({ kind: 'status', status: 403, match: { method: 'DELETE' } });
		await host.activate();
		expect(world.webhooks).toHaveLength(2);
		const { check } = await host.startTrigger();
		await check();
		expect(world.webhooks).toHaveLength(1);
		expect(world.webhooks[0]!._id).not.toBe(left!._id);
	});

	it('fails when not all webhooks can be created, and leaves none behind', async () => {
		const host = await world.trigger(THREE);
		world.service.addFault({ kind: 'status', status: 503, skip: 1, match: { method: 'POST' } });
		await expect(host.activate()).rejects.toThrow('could not carry out the request');
		expect(world.webhooks).toEqual([]);
	});
});

it('A create that appears after its time is replaced by the next minute’s check, even with Repair Interval 0', async () => {
	const host = await world.activeTrigger(['emailsReplied'], { repairMinutes: 0 });
	const [{ _id, targetUrl }] = world.webhooks as [HookView];
	world.service.removeHook(_id);
	world.service.addFault({ kind: 'delay', delayMs: TEN_MINUTES_MS, match: { method: 'POST' } });
	const { check } = await restart(host);
	await host.settled();
	// What the service makes of it when nobody waits for it any more.
	const late = world.addWebhook({ targetUrl, type: 'emailsReplied' });
	await check();
	expect(world.webhooks).toHaveLength(1);
	expect(world.webhookIds).not.toContain(late._id);
	const requests = world.requests().length;
	await check();
	expect(world.requests().slice(requests)).toEqual([]);
});

it('A create whose connection was cut, and which the list shows late, leaves no second webhook after the next check', async () => {
	world.service.addFault({ kind: 'cut', when: 'after', match: { method: 'POST' } });
	const host = await world.trigger(['emailsReplied'], { repairMinutes: 1 });
	for (let i = 0; i < 2; i++) world.respondOnce('GET', []);
	await host.activate();
	const { check } = await host.startTrigger();
	expect(world.webhooks).toHaveLength(2);
	await check();
	expect(world.webhooks).toHaveLength(1);
});

it('A change by a user that finds the registered webhooks missing is no start, even after a removal that worked', async () => {
	const host = await world.activeTrigger(THREE);
	const saved = JSON.parse(JSON.stringify(host.staticData)) as typeof host.staticData;
	await host.deactivate();
	// As a workflow that is written back with the static data that it had.
	host.reload(undefined, saved);
	world.service.addFault({ kind: 'status', status: 401, times: 100 });
	await expect(host.activate('update')).rejects.toThrow('The service did not accept the API key');
});

it('A first activation is no start: the error is shown', async () => {
	const host = await world.trigger(THREE);
	world.service.addFault({ kind: 'status', status: 401, times: 100 });
	await expect(host.activate('update')).rejects.toThrow('The service did not accept the API key');
});

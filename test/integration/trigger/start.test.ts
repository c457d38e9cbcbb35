import type { Fault } from '../../../tools/service';
import type { TriggerHost } from '../support/trigger';
import { strike, World } from './world';

let world: World;
beforeEach(async () => {
	world = await World.start();
});
afterEach(async () => {
	jest.restoreAllMocks();
	await world.end();
});

const THREE = ['emailsReplied', 'smsReplied', 'networkReplied'];
const hooks = () => world.service.hooks();
const types = () => hooks().map(({ type }) => type);

/** n8n starts again: the workflow is loaded from what was saved, and its clock runs. */
async function restart(
	host: TriggerHost,
	mode: 'init' | 'leadershipChange' = 'init',
	parameters = host.node.parameters,
) {
	host.reload(parameters);
	await host.activate(mode);
	return await host.startClock(mode);
}

async function active(events = THREE, options = {}): Promise<TriggerHost> {
	const host = await world.trigger(events, options);
	await host.activate();
	return host;
}

describe('Starting n8n during an outage', () => {
	it.each<[string, Fault]>([
		['responds with 503', { kind: 'status', status: 503, times: 4 }],
		['closes the connection', { kind: 'cut', times: 4 }],
	])('(the service %s) keeps the stored webhooks and the workflow active', async (_, fault) => {
		const host = await active();
		const before = hooks();
		world.service.addFault(fault);
		await restart(host);
		expect(hooks()).toEqual(before);
		await world.service.emit({ type: 'smsReplied' });
		expect(host.started).toHaveLength(1);
	});

	it.each(['init', 'leadershipChange'] as const)(
		'(%s) keeps the webhooks that are well when a vanished one cannot be created',
		async (mode) => {
			const host = await active();
			const [vanished, ...well] = hooks();
			world.service.removeHook(vanished!._id);
			world.service.addFault({ kind: 'status', status: 503, match: { method: 'POST' } });
			const clock = await restart(host, mode);
			expect(hooks()).toEqual(well);
			await strike(host, clock);
			expect(types().sort()).toEqual([...THREE].sort());
			for (const type of THREE) await world.service.emit({ type });
			expect(host.started).toHaveLength(3);
		},
	);

	it('keeps the webhooks that are well when a surplus one cannot be removed', async () => {
		const host = await active();
		const before = hooks();
		world.service.addFault({ kind: 'status', status: 503, times: 4, match: { method: 'DELETE' } });
		const clock = await restart(host, 'init', { events: THREE.slice(0, 2), options: {} });
		expect(hooks()).toEqual(before);
		await strike(host, clock);
		expect(types()).toEqual(THREE.slice(0, 2));
	});

	it('removes the surplus webhook at the deactivation if it is still there', async () => {
		const host = await active();
		world.service.addFault({ kind: 'status', status: 403, match: { method: 'DELETE' } });
		// Another address: nothing but the stored ID tells that the surplus webhook is this node's.
		const { targetUrl } = hooks()[0]!;
		host.staticData.registration = JSON.parse(
			JSON.stringify(host.staticData.registration).replaceAll(
				new URL(targetUrl).origin,
				'https://old.n8n.test',
			),
		) as never;
		for (const { _id, type, targetUrl: url } of hooks()) {
			world.service.removeHook(_id);
			const moved = world.service.addHook({
				type,
				targetUrl: url.replace(new URL(url).origin, 'https://old.n8n.test'),
			});
			host.staticData.registration = JSON.parse(
				JSON.stringify(host.staticData.registration).replaceAll(_id, moved._id),
			) as never;
		}
		await restart(host);
		expect(hooks()).toHaveLength(4);
		host.reload();
		await host.deactivate();
		expect(hooks()).toEqual([]);
	});

	it('goes live without any webhook when the service is down, and registers them later', async () => {
		const host = await world.trigger(THREE);
		world.service.addFault({ kind: 'status', status: 503, times: 4 });
		const clock = await restart(host);
		expect(hooks()).toEqual([]);
		await strike(host, clock);
		expect(types()).toEqual(THREE);
	});

	it('warns that not everything could be registered, and why', async () => {
		const host = await active();
		world.service.removeHook(hooks()[0]!._id);
		world.service.addFault({ kind: 'status', status: 503, match: { method: 'POST' } });
		const { context } = await host.startClock('init');
		const warn = jest.spyOn(context.logger, 'warn');
		await restart(host);
		expect(warn.mock.calls.map(([message]) => message)).toEqual([
			'Not all webhooks of "Trigger" could be registered or removed: The service could not carry out the request (status 503). The workflow is active with the others; the next check, in a minute, tries again.',
		]);
	});

	it('tries again each minute until it has worked, also with Repair Interval 0', async () => {
		const host = await active(THREE, { repairMinutes: 0 });
		world.service.removeHook(hooks()[0]!._id);
		world.service.addFault({ kind: 'status', status: 503, times: 3, match: { method: 'POST' } });
		const clock = await restart(host);
		for (const count of [2, 2, 3]) {
			await strike(host, clock);
			expect(hooks()).toHaveLength(count);
		}
		world.service.removeHook(hooks()[0]!._id);
		await strike(host, clock);
		expect(hooks()).toHaveLength(2);
	});

	it('keeps the webhooks when the service refuses the key for a while', async () => {
		const host = await active();
		const before = hooks();
		world.service.addFault({ kind: 'status', status: 401, times: 2 });
		await restart(host);
		expect(hooks()).toEqual(before);
		await world.service.emit({ type: 'smsReplied' });
		expect(host.started).toHaveLength(1);
	});

	it('goes live when the service refuses everything, and registers once it no longer does', async () => {
		const host = await world.trigger(THREE);
		world.service.addFault({ kind: 'status', status: 400, times: 3, match: { method: 'POST' } });
		const clock = await restart(host);
		expect(hooks()).toEqual([]);
		await strike(host, clock);
		expect(types()).toEqual(THREE);
	});

	it('fails when the selection cannot work: that is for the user to change', async () => {
		const host = await world.trigger([]);
		await expect(host.activate('init')).rejects.toThrow('No event is selected');
	});
});

describe('Activating a workflow', () => {
	it('succeeds when a leftover cannot be removed; the next check removes it', async () => {
		const host = await world.trigger(['emailsReplied']);
		await host.activate();
		const [left] = hooks();
		host.reload(undefined, {});
		world.service.addFault({ kind: 'status', status: 403, match: { method: 'DELETE' } });
		await host.activate();
		expect(hooks()).toHaveLength(2);
		await strike(host, await host.startClock());
		expect(hooks()).toHaveLength(1);
		expect(hooks()[0]!._id).not.toBe(left!._id);
	});

	it('during an outage of creates registers nothing, and says so', async () => {
		const host = await world.trigger(THREE);
		world.service.addFault({ kind: 'status', status: 503, skip: 1, match: { method: 'POST' } });
		await expect(host.activate()).rejects.toThrow('could not carry out the request');
		expect(hooks()).toEqual([]);
	});
});

import type { TriggerHost } from '../support/trigger';
import { World } from './world';

let world: World;
beforeEach(async () => {
	world = await World.start();
});
afterEach(async () => {
	await world.end();
});

/** Sends an event for each webhook of the workflow, and says how many of them started it. */
async function deliver(host: TriggerHost): Promise<number> {
	const before = host.started.length;
	await world.service.emit({ type: 'emailsReplied' });
	await world.service.emit({ type: 'smsReplied' });
	return host.started.length - before;
}

/**
 * A workflow of which this process does not know that it is active, as after a start of n8n or in one of its webhook
 * processes: only a test run is never known so.
 */
async function elsewhere(): Promise<TriggerHost> {
	const host = await world.trigger(['emailsReplied', 'smsReplied'], {}, { mode: 'manual' });
	await host.activate('manual');
	return host;
}

describe('A delivery is verified', () => {
	it('by what this process registered, although nothing was saved and no credential can be read', async () => {
		const host = await world.trigger(['emailsReplied', 'smsReplied']);
		await host.activate();
		host.reload(undefined, {});
		host.failCredentialReads(new Error('The database is away'));
		expect(await deliver(host)).toBe(2);
	});

	it('by what was saved, in a process that did not register it and can read no credential', async () => {
		const host = await elsewhere();
		host.failCredentialReads(new Error('The database is away'));
		expect(await deliver(host)).toBe(2);
	});

	it('by what the credential gives, in a process that lost everything else', async () => {
		const host = await elsewhere();
		host.reload(undefined, {});
		expect(await deliver(host)).toBe(2);
	});

	it('not by the secret of a webhook that an earlier API key made and nobody remembers', async () => {
		const host = await elsewhere();
		host.reload(undefined, {});
		world.service.addApiKey('new-key');
		host.credential.apiKey = 'new-key';
		expect(await deliver(host)).toBe(0);
	});
});

describe('Two workflows at once', () => {
	it('are looked after each for itself, and one goes without the other', async () => {
		const hosts = [
			await world.trigger(['emailsReplied'], { repairMinutes: 1 }),
			await world.trigger(['smsReplied'], { repairMinutes: 1 }, { node: { name: 'Second' } }),
		];
		const clocks: Array<Awaited<ReturnType<TriggerHost['startClock']>>> = [];
		for (const host of hosts) {
			await host.activate();
			clocks.push(await host.startClock());
		}
		const [first, second] = hosts;
		const types = () => world.service.hooks().map(({ type }) => type);
		const strike = async () => {
			for (const { clocks: all } of clocks) for (const clock of all) clock.strike();
			await new Promise((resolve) => setTimeout(resolve, 0));
			for (const host of hosts) await host.settled();
		};
		for (const { _id } of world.service.hooks()) world.service.removeHook(_id);
		await strike();
		expect(types().sort()).toEqual(['emailsReplied', 'smsReplied']);
		await first?.deactivate();
		for (const { _id } of world.service.hooks()) world.service.removeHook(_id);
		await strike();
		expect(types()).toEqual(['smsReplied']);
		await second?.deactivate();
		expect(types()).toEqual([]);
	});
});

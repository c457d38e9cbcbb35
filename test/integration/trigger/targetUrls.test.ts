import { strike, World } from './world';

let world: World;
beforeEach(async () => {
	world = await World.start();
});
afterEach(async () => {
	jest.restoreAllMocks();
	await world.end();
});

const hooks = () => world.service.hooks();

describe('A service that writes target URLs its own way', () => {
	it('keeps its webhooks at every check and every start, and they are removed at the end', async () => {
		world.service.setSwitches({ targetUrlForm: 'normalized' });
		const host = await world.trigger(['*'], { repairMinutes: 1 });
		host.webhookHost = 'LOCALHOST';
		await host.activate();
		const [registered, ...others] = hooks();
		expect(others).toEqual([]);
		expect(registered!.targetUrl).toMatch(/^http:\/\/localhost:\d+\/.*\?event=%2A$/);
		await strike(host, await host.startClock());
		host.reload();
		await host.activate('init');
		expect(hooks()).toEqual([registered]);
		await world.service.emit({ type: 'emailsReplied' });
		expect(host.started).toHaveLength(1);
		await host.deactivate();
		expect(hooks()).toEqual([]);
	});

	it('has its webhook found again after a create whose response was lost', async () => {
		world.service.setSwitches({ targetUrlForm: 'normalized' });
		const host = await world.trigger(['*']);
		world.service.addFault({ kind: 'cut', when: 'after', match: { method: 'POST' } });
		await host.activate();
		expect(hooks()).toHaveLength(1);
		expect(world.asked().filter((request) => request.startsWith('POST'))).toHaveLength(1);
	});

	it('has a leftover replaced where it allows a URL only once', async () => {
		world.service.setSwitches({ targetUrlForm: 'normalized', hookUrls: 'oncePerTeam' });
		const host = await world.trigger(['*']);
		await host.activate();
		host.reload(undefined, {});
		await host.activate();
		expect(hooks()).toHaveLength(1);
	});
});

describe('Two workflows with the same webhook address', () => {
	it('leave each other alone, even when the activation of the second fails', async () => {
		const first = await world.trigger(['emailsReplied']);
		await first.activate();
		const registered = hooks();
		const second = await world.trigger(['emailsReplied', 'smsReplied']);
		second.shareAddressOf(first);
		world.service.addFault({ kind: 'status', status: 400, skip: 1, match: { method: 'POST' } });
		await expect(second.activate()).rejects.toThrow();
		expect(hooks()).toEqual(registered);
		await second.activate();
		expect(hooks()).toEqual(expect.arrayContaining(registered));
		await second.deactivate();
		expect(hooks()).toEqual(registered);
	});
});

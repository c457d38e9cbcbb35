import { World } from './world';

let world: World;
beforeEach(async () => {
	world = await World.start();
});
afterEach(async () => {
	await world.end();
});

const ids = () => world.service.hooks().map(({ _id }) => _id);

describe('What is replaced', () => {
	it('a webhook at our address that we do not remember: nobody knows its secret', async () => {
		const host = await world.trigger(['emailsReplied']);
		await host.activate();
		const [left] = ids();
		host.reload(undefined, {});
		await host.activate();
		expect(ids()).toHaveLength(1);
		expect(ids()).not.toContain(left);
		await world.service.emit({ type: 'emailsReplied' });
		expect(host.started).toHaveLength(1);
	});

	it('a fresh one that is just like the one to be made, and is not taken for it when no answer comes', async () => {
		const host = await world.trigger(['emailsReplied']);
		await host.activate();
		const { targetUrl, type } = world.service.hooks()[0]!;
		await host.deactivate();
		const { _id } = world.service.addHook({ targetUrl, type, secret: 'not ours' });
		world.service.addFault({ kind: 'cut', match: { method: 'POST' } });
		await host.activate();
		expect(ids()).toHaveLength(1);
		expect(ids()).not.toContain(_id);
		await world.service.emit({ type: 'emailsReplied' });
		expect(host.started).toHaveLength(1);
	});

	it('a disabled one', async () => {
		const host = await world.trigger(['emailsReplied']);
		await host.activate();
		const [disabled] = ids();
		world.service.disableHook(disabled!);
		await host.activate('init');
		expect(world.service.hooks()).toEqual([expect.objectContaining({ disabled: false })]);
		expect(ids()).not.toContain(disabled);
	});

	it('a second one at the same address', async () => {
		const host = await world.trigger(['emailsReplied']);
		await host.activate();
		const [kept] = ids();
		const { targetUrl } = world.service.hooks()[0]!;
		world.service.addHook({ targetUrl, type: 'emailsReplied', secret: 'whose' });
		await host.activate('init');
		expect(ids()).toEqual([kept]);
	});

	it('what a crash left of an earlier selection', async () => {
		const host = await world.trigger(['emailsReplied']);
		await host.activate();
		// Killed before n8n saved what we remember; then somebody changes the selection.
		host.reload({ events: ['dialerEnded'], options: {} }, {});
		await host.activate();
		expect(world.service.hooks()).toEqual([expect.objectContaining({ type: 'dialerEnded' })]);
	});
});

describe('A deactivation', () => {
	it('removes what a process registered that was killed before n8n could save it, whatever the type', async () => {
		world.service.setSwitches({ unknownTypes: 'accept' });
		const host = await world.trigger(['emailsReplied'], { customEventTypes: 'brandNew' });
		await host.activate();
		const registered = world.service.hooks();
		await host.deactivate();
		for (const { targetUrl, type } of registered) world.service.addHook({ targetUrl, type });
		await host.deactivate();
		expect(ids()).toEqual([]);
	});
});

describe('What is never touched', () => {
	it('webhooks whose address only begins like ours', async () => {
		const host = await world.trigger(['emailsReplied']);
		await host.activate();
		const [ours] = world.service.hooks();
		const base = ours!.targetUrl.replace(/\?.*/, '');
		const foreign = [
			base,
			`${base}?event=emailsReplied&also=this`,
			`${base}?event=`,
			`${base}?other=emailsReplied`,
			`${base}/more?event=emailsReplied`,
			`${base}2?event=emailsReplied`,
			`${base}?event=somethingOfTheirs`,
		].map((targetUrl) => world.service.addHook({ targetUrl, type: 'emailsReplied' })._id);
		await host.activate('init');
		host.reload({ events: ['dialerEnded'], options: {} });
		await host.activate('update');
		await host.deactivate();
		expect(ids()).toEqual(foreign);
	});

	it('those of another trigger in the same workflow', async () => {
		const one = await world.trigger(['emailsReplied'], {}, { id: 'wf' });
		const node = {
			id: 'second',
			name: 'Second',
			webhookId: '00000000-0000-4000-8000-000000000002',
		};
		const two = await world.trigger(['emailsReplied'], {}, { id: 'wf', node });
		await one.activate();
		await two.activate();
		const [, second] = ids();
		await one.deactivate();
		expect(ids()).toEqual([second]);
	});

	it('those of the active workflow, by a test run of the same node, and the other way round', async () => {
		const active = await world.trigger(['emailsReplied'], {}, { id: 'wf' });
		const test = await world.trigger(['emailsReplied'], {}, { id: 'wf', mode: 'manual' });
		await active.activate();
		await test.activate('manual');
		expect(ids()).toHaveLength(2);
		const [first] = ids();
		await test.deactivate();
		expect(ids()).toEqual([first]);

		await test.activate('manual');
		const [, second] = ids();
		await active.deactivate();
		expect(ids()).toEqual([second]);
	});

	it('the watch over the active workflow, by the end of a test run', async () => {
		const active = await world.trigger(['emailsReplied'], { repairMinutes: 1 }, { id: 'wf' });
		const test = await world.trigger(['emailsReplied'], {}, { id: 'wf', mode: 'manual' });
		await active.activate();
		await test.activate('manual');
		await test.deactivate();
		world.service.removeHook(ids()[0]!);
		for (const { strike } of (await active.startClock()).clocks) strike();
		await new Promise((resolve) => setTimeout(resolve, 0));
		await active.settled();
		expect(ids()).toHaveLength(1);
	});

	it('those of the original, by a copy that brought its memory along', async () => {
		const original = await world.trigger(['emailsReplied'], {}, { id: 'original' });
		await original.activate();
		const copy = await world.trigger(['smsSent'], {}, { id: 'copy' });
		copy.reload(undefined, original.savedStaticData);
		await copy.activate();
		await copy.deactivate();
		expect(world.service.hooks()).toEqual([expect.objectContaining({ type: 'emailsReplied' })]);
		await world.service.emit({ type: 'emailsReplied' });
		expect(original.started).toHaveLength(1);
	});
});

describe('An address that the service allows only once', () => {
	it('replaces our own leftover', async () => {
		const host = await world.trigger(['emailsReplied', 'smsSent']);
		await host.activate();
		host.reload(undefined, {});
		world.service.setSwitches({ hookUrls: 'oncePerTeam' });
		await host.activate();
		expect(world.service.hooks().map(({ type }) => type)).toEqual(['emailsReplied', 'smsSent']);
		await world.service.emit({ type: 'smsSent' });
		expect(host.started).toHaveLength(1);
	});

	it.each<[string, (address: string) => string]>([
		['as it is', (address) => address],
		['with a slash and in capitals', (address) => `${address.toUpperCase()}//`],
		['with a query and a fragment', (address) => `${address}/?event=x#y`],
	])("names another's webhook (%s) in the error, and registers nothing", async (_name, written) => {
		const host = await world.trigger(['emailsReplied']);
		await host.activate();
		const { targetUrl } = world.service.hooks()[0]!;
		await host.deactivate();
		const unrelated = world.service.addHook({ targetUrl: 'https://crm.test/in' });
		const other = world.service.addHook({ targetUrl: written(targetUrl.replace(/\?.*/, '')) });
		world.service.addFault({ kind: 'status', status: 409, match: { method: 'POST' } });
		await expect(host.call('create')).rejects.toMatchObject({
			message: `The service refuses the target URL of this workflow: the webhook ${other._id} already has it`,
			description: expect.stringContaining(`${other._id}: ${other.targetUrl}`) as string,
			httpCode: '409',
		});
		expect(ids()).toEqual([unrelated._id, other._id]);
	});

	it('says that another team has it when the list does not show who', async () => {
		const host = await world.trigger(['emailsReplied']);
		world.service.addHook({ targetUrl: 'https://crm.test/in' });
		world.service.addFault({ kind: 'status', status: 409, match: { method: 'POST' } });
		await expect(host.call('create')).rejects.toMatchObject({
			description: expect.stringMatching(
				/not in the list of your team.*new trigger node/,
			) as string,
		});
	});
});

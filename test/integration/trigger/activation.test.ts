import { EVENT_TYPES } from '../../../tools/service';
import { World } from './world';

let world: World;
beforeEach(async () => {
	world = await World.start();
});
afterEach(async () => {
	await world.end();
});

const types = () => world.service.hooks().map(({ type }) => type ?? '*');

describe('Activation', () => {
	it('registers one webhook for each event, with a secret, and removes them on deactivation', async () => {
		const host = await world.trigger(['emailsReplied', 'dialerEnded']);
		await host.activate();
		expect(world.service.hooks()).toEqual([
			expect.objectContaining({ type: 'emailsReplied', hasSecret: true }),
			expect.objectContaining({ type: 'dialerEnded', hasSecret: true }),
		]);
		await host.deactivate();
		expect(world.service.hooks()).toEqual([]);
		expect(host.staticData).toEqual({});
	});

	it('asks once when all is well, and once more for each webhook that it makes or removes', async () => {
		const host = await world.trigger(['emailsReplied', 'dialerEnded']);
		await host.activate();
		expect(world.asked()).toEqual(['GET /hooks', 'POST /hooks', 'POST /hooks']);
		const before = world.service.requests.length;
		await host.activate('init');
		expect(world.asked(before)).toEqual(['GET /hooks']);
		const after = world.service.requests.length;
		await host.deactivate();
		expect(world.asked(after)).toEqual(['GET /hooks', 'DELETE /hooks/:id', 'DELETE /hooks/:id']);
	});

	it('gives each webhook an address of its own, with the event in it', async () => {
		const host = await world.trigger(['emailsReplied', '*']);
		await host.activate();
		expect(world.service.hooks()).toHaveLength(1);
		expect(world.service.hooks()[0]?.targetUrl).toMatch(/\/webhook\/[\w-]+\/webhook\?event=\*$/);
		expect(world.service.hooks()[0]).not.toHaveProperty('type');
	});

	it('takes every event type of the interface', async () => {
		world.service.setSwitches({ rateLimit: 'off' });
		const host = await world.trigger([...EVENT_TYPES]);
		await host.activate();
		expect(types().sort()).toEqual([...EVENT_TYPES].sort());
		await host.deactivate();
		expect(types()).toEqual([]);
	});

	it('passes campaign and first-activity on, in query and body', async () => {
		const host = await world.trigger(['emailsReplied'], { campaignId: ' cam_1 ', isFirst: true });
		await host.activate();
		expect(world.service.hooks()).toEqual([
			expect.objectContaining({ campaignId: 'cam_1', isFirst: true }),
		]);
		const post = world.service.requests.find(({ method }) => method === 'POST');
		expect(post?.query).toEqual({ campaignId: 'cam_1', isFirst: 'true' });
		expect(post?.body).toMatchObject({ campaignId: 'cam_1', isFirst: true });
	});

	it('takes types that the list does not have yet', async () => {
		world.service.setSwitches({ unknownTypes: 'accept' });
		const host = await world.trigger([], { customEventTypes: 'brandNew, otherNew,, brandNew' });
		await host.activate();
		expect(types()).toEqual(['brandNew', 'otherNew']);
		await host.deactivate();
		expect(types()).toEqual([]);
	});

	it('registers one webhook for everything, and one for each lead state, in singleHook mode', async () => {
		const host = await world.trigger(['emailsReplied', 'smsSent', 'warmed'], {
			subscription: 'singleHook',
		});
		await host.activate();
		expect(types()).toEqual(['*', 'warmed']);
	});

	it('needs no webhook for everything when only lead states are wanted in singleHook mode', async () => {
		const host = await world.trigger(['hooked', 'warmed'], { subscription: 'singleHook' });
		await host.activate();
		expect(types()).toEqual(['hooked', 'warmed']);
	});
});

describe('A selection that cannot work', () => {
	it.each([
		[[], {}, 'No event is selected'],
		[[' '], { customEventTypes: ' , ' }, 'No event is selected'],
		[['skipped'], {}, "no longer has the event type 'skipped'"],
		[
			['emailsSent'],
			{ customEventTypes: 'emailsSendFailed' },
			"'emailsSendFailed'. Use 'emailsFailed' ('Email: Failed') instead.",
		],
		[['opportunitiesDone'], {}, "'opportunitiesDone'"],
		[['emailsSent'], { subscription: 'sometimes' }, "'Subscription' cannot be used"],
		[['emailsSent'], { repairMinutes: -1 }, "'Repair Interval (Minutes)' cannot be used"],
		[['emailsSent'], { output: 'everything' }, "'Output' cannot be used"],
	])('%j with %j is refused before anything is sent', async (events, options, message) => {
		const host = await world.trigger(events, options);
		await expect(host.call('checkExists')).rejects.toMatchObject({
			message: expect.stringContaining(message) as string,
			description: expect.stringMatching(/.{20}/) as string,
		});
		expect(world.asked()).toEqual([]);
	});
});

describe('A changed setting', () => {
	it.each([
		['another event', ['dialerEnded'], {}],
		['a campaign', ['emailsReplied'], { campaignId: 'cam_2' }],
		['only the first', ['emailsReplied'], { isFirst: true }],
		['one for everything', ['emailsReplied'], { subscription: 'singleHook' }],
	])('(%s) leaves exactly what is wanted now', async (_name, events, options) => {
		const host = await world.trigger(['emailsReplied', 'smsSent']);
		await host.activate();
		const before = world.service.hooks().map(({ _id }) => _id);
		host.reload({ events, options });
		await host.activate('update');
		const [hook, ...others] = world.service.hooks();
		expect(others).toEqual([]);
		expect(before).not.toContain(hook?._id);
		await world.service.emit({ type: 'emailsReplied', campaignId: 'cam_2', leadId: 'lea_1' });
		await world.service.emit({ type: 'dialerEnded' });
		expect(host.started).toHaveLength(1);
	});

	it('keeps what is still wanted, without a gap', async () => {
		const host = await world.trigger(['emailsReplied', 'smsSent']);
		await host.activate();
		const kept = world.service.hooks().find(({ type }) => type === 'smsSent')?._id;
		host.reload({ events: ['smsSent', 'dialerEnded'], options: {} });
		await host.activate('update');
		expect(types()).toEqual(['smsSent', 'dialerEnded']);
		expect(world.service.hooks()[0]?._id).toBe(kept);
	});
});

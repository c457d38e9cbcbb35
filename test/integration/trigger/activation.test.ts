/**
 * What an activation registers, in how many requests, and what a deactivation removes. The world is a local service and
 * one trigger in one process of n8n.
 */
import { useWorld } from '../support/world';

const world = useWorld();

describe('Activation', () => {
	it('registers one webhook for each event, with a secret, and removes them on deactivation', async () => {
		const host = await world.activeTrigger(['emailsReplied', 'dialerEnded']);
		expect(world.webhooks).toEqual([
			expect.objectContaining({ type: 'emailsReplied', hasSecret: true }),
			expect.objectContaining({ type: 'dialerEnded', hasSecret: true }),
		]);
		await host.deactivate();
		expect(world.webhooks).toEqual([]);
		const leaving: unknown = expect.objectContaining({ evidence: 'leaving' });
		expect(host.staticData).toMatchObject({ registration: { hooks: [leaving, leaving] } });
	});

	it('sends one request when nothing needs to change, and one more for each webhook that it creates or removes', async () => {
		const host = await world.activeTrigger(['emailsReplied', 'dialerEnded']);
		expect(world.requests()).toEqual(['GET /hooks', 'POST /hooks', 'POST /hooks']);
		const before = world.service.requests.length;
		await host.activate('init');
		expect(world.requests(before)).toEqual(['GET /hooks']);
		const after = world.service.requests.length;
		await host.deactivate();
		expect(world.requests(after)).toEqual(['GET /hooks', 'DELETE /hooks/:id', 'DELETE /hooks/:id']);
	});

	it('registers one webhook without an event for all events, whatever else is selected', async () => {
		await world.activeTrigger(['emailsReplied', '*']);
		expect(world.webhooks).toHaveLength(1);
		expect(world.webhooks[0]?.targetUrl).toMatch(/\/webhook\?event=\*$/);
		expect(world.webhooks[0]).not.toHaveProperty('type');
	});

	it('sends the campaign and First Event Only in the query and the body', async () => {
		await world.activeTrigger(['emailsReplied'], {
			campaignId: ' cam_1 ',
			isFirst: true,
		});
		expect(world.webhooks).toEqual([
			expect.objectContaining({ campaignId: 'cam_1', isFirst: true }),
		]);
		const post = world.service.requests.find(({ method }) => method === 'POST');
		expect(post?.query).toEqual({ campaignId: 'cam_1', isFirst: 'true' });
		expect(post?.body).toMatchObject({ campaignId: 'cam_1', isFirst: true });
	});

	it('registers custom event types that the list does not have yet', async () => {
		world.service.setSwitches({ unknownTypes: 'accept' });
		const host = await world.activeTrigger([], {
			customEventTypes: 'brandNew, otherNew,, brandNew',
		});
		expect(world.webhookTypes).toEqual(['brandNew', 'otherNew']);
		await host.deactivate();
		expect(world.webhookTypes).toEqual([]);
	});

	it('registers one webhook for all events and one for each lead state in singleHook mode', async () => {
		await world.activeTrigger(['emailsReplied', 'smsSent', 'warmed'], {
			subscription: 'singleHook',
		});
		expect(world.webhookTypes).toEqual(['*', 'warmed']);
	});
});

describe('An invalid selection', () => {
	it.each([
		[[' '], { customEventTypes: ' , ' }, 'No event is selected'],
		[
			['emailsSent'],
			{ customEventTypes: 'emailsSendFailed' },
			"'emailsSendFailed'. Use 'emailsFailed' ('Email: Failed') instead",
		],
		[[], { customEventTypes: 'emailReplied' }, "'emailReplied'. Did you mean 'emailsReplied'?"],
		[['emailsSent'], { repairMinutes: -1 }, "'Webhooks: Repair Interval' cannot be used"],
	])('(%j with %j) is rejected before anything is sent', async (events, options, message) => {
		const host = await world.trigger(events, options);
		await expect(host.call('create')).rejects.toMatchObject({
			message: expect.stringContaining(message) as string,
			description: expect.stringMatching(/.{20}/) as string,
		});
		expect(world.requests()).toEqual([]);
	});
});

describe('Activation after a changed setting', () => {
	it('keeps the webhooks that are still desired, without a gap', async () => {
		const host = await world.activeTrigger(['emailsReplied', 'smsSent']);
		const kept = world.webhooks.find(({ type }) => type === 'smsSent')?._id;
		host.reload({ events: ['smsSent', 'dialerEnded'], options: {} });
		await host.activate('update');
		expect(world.webhookTypes).toEqual(['smsSent', 'dialerEnded']);
		expect(world.webhooks[0]?._id).toBe(kept);
	});
});

it('An activation that n8n repeats at another URL leaves the webhooks there to the last one', async () => {
	const host = await world.trigger(['emailsReplied']);
	world.service.addFault({ kind: 'delay', delayMs: 1_000, times: 3, match: { method: 'GET' } });
	const first = host.call('create').catch(() => 'cancelled');
	const second = host.call('create').catch(() => 'cancelled');
	host.webhookHost = 'LOCALHOST';
	await host.call('create');
	expect(await Promise.all([first, second])).toEqual(['cancelled', 'cancelled']);
	expect(world.requests().filter((request) => request.startsWith('POST'))).toHaveLength(1);
	expect(world.webhooks).toHaveLength(1);
});

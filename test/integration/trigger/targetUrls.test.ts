/**
 * Target URLs that the service stores in another form, or that two workflows share. The world is a local service and
 * triggers in one process of n8n.
 */
import { useWorld } from '../support/world';

const world = useWorld();

it.each([
	['*', {}, /^http:\/\/localhost:\d+\/.*\?event=%2A&keyId=\w+$/],
	['smsReplied', { campaignId: 'cam_1' }, /\?campaign=cam_1&event=smsReplied&keyId=\w+$/],
])(
	'When the service normalizes target URLs, the node keeps its webhook at every check and start, and removes it at the deactivation (%s %j)',
	async (event, options, form) => {
		world.service.setSwitches({ targetUrlForm: 'normalized' });
		const host = await world.trigger([event], { repairMinutes: 1, ...options });
		host.webhookHost = 'LOCALHOST';
		// The webhook is found although the response to its create is lost.
		world.service.addFault({ kind: 'cut', when: 'after', match: { method: 'POST' } });
		await host.activate();
		const [registered, ...others] = world.webhooks;
		expect(others).toEqual([]);
		expect(registered!.targetUrl).toMatch(form);
		await host.check();
		host.reload();
		await host.activate('init');
		expect(world.webhooks).toEqual([registered]);
		const type = event === '*' ? 'emailsReplied' : event;
		await world.service.emit({ type, campaignId: 'cam_1' });
		expect(host.started).toHaveLength(1);
		await host.deactivate();
		expect(world.webhooks).toEqual([]);
	},
);

describe('A workflow whose trigger was pasted from another active one, with its webhook URL', () => {
	async function pasted() {
		const first = await world.activeTrigger(['emailsReplied']);
		const second = await world.trigger(['smsReplied'], { repairMinutes: 1 });
		second.moveBelow('', first);
		return { first, second, registered: world.webhooks };
	}

	it('cannot be activated, and nothing of the other changes', async () => {
		const { first, second, registered } = await pasted();
		await expect(second.activate()).rejects.toThrow(
			'"Test · Trigger" is active with the same webhook URL: delete the node "Trigger" in this workflow, and add it again',
		);
		expect(world.webhooks).toEqual(registered);
		await first.deactivate();
		await second.activate();
		expect(world.webhookTypes).toEqual(['smsReplied']);
	});

	it('is refused, and the other is not, if both are activated at the same moment', async () => {
		const first = await world.trigger(['emailsReplied']);
		const second = await world.trigger(['smsReplied']);
		second.moveBelow('', first);
		const outcomes = await Promise.allSettled([first.activate(), second.activate()]);
		expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
		expect(world.webhookTypes).toEqual(['emailsReplied']);
	});

	it('does not take the URL while a change of the other one is published', async () => {
		const { first, second, registered } = await pasted();
		await second.activate('init');
		await first.call('delete', 'update');
		await second.check();
		await first.call('create', 'update');
		await first.removal();
		expect([world.webhooks, first.isKnownToProcess]).toEqual([registered, true]);
		await first.deactivate();
		await second.check();
		expect(world.webhookTypes).toEqual(['smsReplied']);
	});

	it('stays without webhooks when n8n starts it, reports it, and leaves those of the other at its end', async () => {
		const { second, registered } = await pasted();
		await second.activate('init');
		await second.check(3);
		await second.deactivate();
		expect(world.webhooks).toEqual(registered);
		expect(second.failedExecutions.map(({ description }) => description)).toEqual([
			expect.stringContaining('unpublish (deactivate) the other workflow: Test · Trigger'),
		]);
	});
});

it('A service that responds to a create with the webhook that exists keeps none with a secret of its own', async () => {
	const host = await world.activeTrigger(['emailsReplied']);
	const [old] = world.webhooks;
	host.moveToNewProcess();
	world.respondOnce('POST', old!);
	await host.activate();
	expect(world.webhooks).toHaveLength(1);
	expect(world.webhookIds).not.toEqual([old!._id]);
	await world.service.emit({ type: 'emailsReplied' });
	expect(host.started).toHaveLength(1);
});

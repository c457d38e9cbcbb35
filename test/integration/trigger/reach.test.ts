/**
 * An n8n that only its own machine can reach says so, instead of registering webhooks that never deliver. The world is
 * a local service, which may seem to be elsewhere, and one trigger in one process of n8n.
 */
import { textLike } from '../support/matchers';
import type { TriggerHost } from '../support/trigger';
import { useWorld } from '../support/world';

const world = useWorld();

/** A trigger in an n8n at this host, for a service that is elsewhere. */
async function triggerAt(host: string, more = {}): Promise<TriggerHost> {
	const trigger = await world.trigger(['emailsReplied'], {}, more);
	trigger.webhookHost = host;
	trigger.credential.baseUrl = world.serviceElsewhere();
	return trigger;
}

describe('An n8n that only its own machine can reach', () => {
	it('refuses to activate a workflow, and names WEBHOOK_URL', async () => {
		const trigger = await triggerAt('127.0.0.1');
		await expect(trigger.call('create')).rejects.toMatchObject({
			message: textLike(
				/^The service cannot reach this n8n at http:\/\/.+: set WEBHOOK_URL to its public URL$/,
			),
			description: textLike(/restart n8n/),
		});
		expect(world.webhooks).toEqual([]);
	});

	it('refuses a test run as well', async () => {
		const trigger = await triggerAt('localhost', { mode: 'manual' });
		await expect(trigger.call('create', 'manual')).rejects.toThrow('set WEBHOOK_URL');
	});

	it('activates workflows for a service on the same machine, and says nothing', async () => {
		const warn = world.spyOnWarnings();
		const trigger = await world.trigger(['emailsReplied']);
		trigger.webhookHost = 'localhost';
		await trigger.activate();
		expect(world.webhooks).toHaveLength(1);
		expect(warn).not.toHaveBeenCalled();
	});
});

it('A copy of an n8n, at its own address, leaves the webhooks of the original where they are', async () => {
	const original = await world.trigger(['emailsReplied'], { repairMinutes: 1 });
	original.webhookHost = 'n8n.example.com';
	await original.activate();
	const before = world.webhooks;
	original.moveToNewProcess();
	original.webhookHost = '192.168.1.5';
	await original.activate('init');
	const { check, close } = await original.startTrigger('init');
	await check();
	expect(world.webhooks).toHaveLength(2);
	await close();
	await original.deactivate();
	expect(world.webhooks).toEqual(before);
});

it('An n8n that the service no longer reaches removes its webhooks at a deactivation, and says nothing', async () => {
	const trigger = await world.activeTrigger(['emailsReplied', 'smsReplied']);
	trigger.credential.baseUrl = world.serviceElsewhere();
	const warn = world.spyOnWarnings();
	await trigger.deactivate();
	expect(world.webhooks).toEqual([]);
	expect(warn).not.toHaveBeenCalled();
});

it.each(['192.168.1.5', '[fd00::1]'])(
	'An n8n at the private address %s can activate workflows',
	async (address) => {
		const trigger = await triggerAt(address);
		await trigger.activate();
		expect(world.webhooks).toHaveLength(1);
	},
);

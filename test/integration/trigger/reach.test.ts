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

describe('A copy of an n8n that only its own machine can reach', () => {
	it('leaves the webhooks of the original at the service, and keeps them stored', async () => {
		const original = await world.trigger(['emailsReplied']);
		original.webhookHost = 'n8n.example.com';
		await original.activate();
		const before = world.webhookIds;
		original.moveToNewProcess();
		original.webhookHost = '127.0.0.1';
		const warn = world.spyOnWarnings();
		original.credential.baseUrl = world.serviceElsewhere();
		await original.activate('init');
		await original.deactivate();
		expect(world.webhookIds).toEqual(before);
		expect(JSON.stringify(original.staticData)).toContain(before[0]);
		expect(warn.mock.calls).toEqual([
			[
				expect.stringContaining('The service cannot reach this n8n at'),
				{ workflowId: original.workflow.id },
			],
			[
				expect.stringContaining('seem to belong to another n8n'),
				{ workflowId: original.workflow.id },
			],
		]);
	});

	it('removes the webhooks at its own address, and says nothing when there are no others', async () => {
		const trigger = await world.activeTrigger(['emailsReplied', 'smsReplied']);
		trigger.credential.baseUrl = world.serviceElsewhere();
		const warn = world.spyOnWarnings();
		await trigger.deactivate();
		expect(world.webhooks).toEqual([]);
		expect(warn).not.toHaveBeenCalled();
	});
});

describe.each([
	'192.168.1.5',
	'10.0.0.7',
	'172.20.1.1',
	'169.254.3.4',
	'[fd00::1]',
	'[::ffff:10.0.0.1]',
])('An n8n at the private address %s', (address) => {
	it('removes nothing at a public address at a start or a check: the webhooks are those of another n8n', async () => {
		const original = await world.trigger(['emailsReplied'], { repairMinutes: 1 });
		original.credential.baseUrl = world.serviceElsewhere();
		original.webhookHost = 'n8n.example.com';
		await original.activate();
		const before = world.webhookIds;
		original.moveToNewProcess();
		original.webhookHost = address;
		await original.activate('init');
		await (await original.startTrigger('init')).check();
		expect(world.webhookIds).toEqual(expect.arrayContaining(before));
		await original.deactivate();
		expect(world.webhookIds).toEqual(before);
	});

	it('is not refused an activation', async () => {
		const trigger = await triggerAt(address);
		await trigger.activate();
		expect(world.webhooks).toHaveLength(1);
		await trigger.deactivate();
		expect(world.webhooks).toEqual([]);
	});
});

it('An n8n at a private address removes webhooks anywhere if the service is in a private network, too', async () => {
	const trigger = await world.trigger(['emailsReplied']);
	trigger.webhookHost = 'n8n.example.com';
	await trigger.activate();
	trigger.moveToNewProcess();
	trigger.webhookHost = '192.168.1.5';
	await trigger.activate('init');
	expect(world.webhooks).toEqual([
		expect.objectContaining({ targetUrl: textLike(/192\.168\.1\.5/) }),
	]);
});

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

	it('refuses a published change of an active workflow as well', async () => {
		const trigger = await world.activeTrigger(['emailsReplied']);
		await trigger.call('delete', 'update');
		trigger.credential.baseUrl = world.serviceElsewhere();
		await expect(trigger.call('create', 'update')).rejects.toThrow('set WEBHOOK_URL');
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

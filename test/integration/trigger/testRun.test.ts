/**
 * The end of a test run removes its webhooks, and holds up nothing. The world is a local service and triggers in one
 * process of n8n.
 */
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld();

describe('The end of a test run', () => {
	it('removes a webhook that was just created, although the service does not list it yet', async () => {
		world.service.setSwitches({ listDelayMs: 600_000 });
		const host = await world.activeTrigger(['emailsReplied'], {}, { mode: 'manual' });
		const warnings = world.warnings();
		await host.deactivate();
		expect([world.webhooks, warnings()]).toEqual([[], []]);
	});

	it('makes a registration fail that is under way: otherwise, n8n would begin to listen when that has ended', async () => {
		const host = await world.trigger(['emailsReplied'], {}, { mode: 'manual' });
		world.delay('POST', 5_000);
		const registration = expect(host.call('create')).rejects.toThrow('The request was cancelled');
		await until(() => world.requests().some((one) => one.startsWith('POST')));
		await host.call('delete');
		await registration;
	});

	it('leaves the active workflow as it is, also after a start at which its parameters could not be used', async () => {
		const active = await world.activeTrigger(['emailsReplied']);
		active.reload({ events: [], options: {} });
		await active.activate('init');
		const more = { mode: 'manual', id: active.workflow.id } as const;
		const test = await world.activeTrigger(['smsReplied'], {}, more);
		await test.deactivate();
		expect(world.webhookTypes).toEqual(['emailsReplied']);
		expect(active.isKnownToProcess).toBe(true);
	});
});

it('What a test run has left that listened when n8n was killed goes with the next one', async () => {
	const host = await world.activeTrigger(['emailsReplied'], {}, { mode: 'manual' });
	host.moveToNewProcess({});
	host.reload({ events: ['smsReplied'] });
	await host.activate('manual');
	expect(world.webhookTypes).toEqual(['smsReplied']);
	await host.deactivate();
	expect(world.webhooks).toEqual([]);
});

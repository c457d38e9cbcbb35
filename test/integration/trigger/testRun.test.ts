/**
 * The end of a test run removes its webhooks, and holds up nothing. The world is a local service and triggers in one
 * process of n8n.
 */

import { useWorld } from '../support/world';

const world = useWorld();

/** A test run that listens, and the warnings that its node writes into n8n's log from now on. */
async function listening(events = ['emailsReplied']) {
	const host = await world.activeTrigger(events, {}, { mode: 'manual' });
	const warn = world.spyOnWarnings();
	return { host, warn, warnings: () => warn.mock.calls.map(([text]) => text) };
}

describe('The end of a test run', () => {
	it('removes a webhook that was just created, although the service does not list it yet', async () => {
		world.service.setSwitches({ listDelayMs: 600_000 });
		const { host, warnings } = await listening();
		await host.deactivate();
		expect([world.webhooks, warnings()]).toEqual([[], []]);
	});

	it('leaves the active workflow as it is, also after a start at which its parameters could not be used', async () => {
		const active = await world.activeTrigger(['emailsReplied']);
		active.reload({ events: [], options: {} });
		await active.activate('init');
		const { id } = active.workflow;
		const test = await world.activeTrigger(['smsReplied'], {}, { mode: 'manual', id });
		await test.deactivate();
		await test.settled();
		expect(world.webhookTypes).toEqual(['emailsReplied']);
		expect(active.isKnownToProcess).toBe(true);
	});
});

describe('No webhook of a test run stays behind', () => {
	it('when n8n is killed while it listens: the next test run removes it', async () => {
		const { host } = await listening();
		host.moveToNewProcess({});
		host.reload({ ...host.node.parameters, events: ['smsReplied'] });
		await host.activate('manual');
		expect(world.webhookTypes).toEqual(['smsReplied']);
		await host.deactivate();
		expect(world.webhooks).toEqual([]);
	});
});

/**
 * The end of a test run removes its webhooks, and holds up nothing. The world is a local service and triggers in one
 * process of n8n.
 */
import fc from 'fast-check';

import { tries } from '../../propertyRuns';
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

	it('never fails and leaves nothing behind, in whatever order test runs and failures come', async () => {
		const fault = fc.record({
			kind: fc.constant('status' as const),
			status: fc.constantFrom(400, 403, 404, 429, 503),
			match: fc.record({ method: fc.constantFrom('GET', 'POST', 'DELETE') }),
			skip: fc.nat(2),
			times: fc.integer({ min: 1, max: 5 }),
		});
		const step = fc.oneof(fc.constantFrom('begin' as const, 'end' as const), fault);
		await fc.assert(
			fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
				for (const id of world.webhookIds) world.service.removeHook(id);
				world.service.clearFaults();
				const host = await world.trigger(
					['emailsReplied', 'smsReplied'],
					{},
					{ mode: 'manual', id: 'tested' },
				);
				const end = async () => {
					await expect(host.deactivate()).resolves.toBeUndefined();
					host.reload(undefined, {});
				};
				for (const one of steps) {
					if (typeof one === 'object') world.service.addFault(one);
					else if (one === 'end') await end();
					else await host.activate('manual').catch(() => undefined);
				}
				world.service.clearFaults();
				await end();
				await host.activate('manual');
				expect(world.webhookTypes.sort()).toEqual(['emailsReplied', 'smsReplied']);
				await end();
				await host.settled();
				expect(world.webhooks).toEqual([]);
			}),
			{ numRuns: tries(4) },
		);
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

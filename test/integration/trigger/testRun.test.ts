/**
 * The end of a test run removes its webhooks, and holds up nothing. The world is a local service and triggers in one
 * process of n8n.
 */
import fc from 'fast-check';

import type { Fault } from '../../../tools/service';
import { tries } from '../../propertyRuns';
import { passTime } from '../support/passTime';
import { SLOW_MS } from '../support/slowMs';
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld();

const POST = { match: { method: 'POST' } } as const;
const DELETE = { match: { method: 'DELETE' } } as const;

const keyIdIn = ({ targetUrl }: { targetUrl: string }): string =>
	new URL(targetUrl).searchParams.get('keyId') ?? '';

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

	it('does not hold up the next test run while the service hangs', async () => {
		const { host } = await listening();
		const sent = world.requests().length;
		world.service.addFault({ kind: 'delay', delayMs: 600_000, match: { method: 'GET' } });
		await host.call('delete');
		await until(() => world.requests().length > sent);
		const since = performance.now();
		await host.activate('manual');
		expect(performance.now() - since).toBeLessThan(5_000);
		expect(world.webhooks).toHaveLength(1);
	});

	it.each<[string, Fault]>([
		['the list', { kind: 'delay', delayMs: 8_000, match: { method: 'GET' } }],
		['a removal', { kind: 'delay', delayMs: 8_000, times: 2, ...DELETE }],
	])('does not wait for a response to %s, and removes its webhooks', async (_request, fault) => {
		const { host, warnings } = await listening(['emailsReplied', 'smsReplied']);
		world.service.addFault(fault);
		await host.call('delete');
		expect(world.webhooks).toHaveLength(2);
		await host.removal();
		expect(world.webhooks).toEqual([]);
		expect(warnings()).toEqual([]);
	});

	it('says once in the log what could not be removed, tries again each minute, and the next test run removes it, too', async () => {
		const { host, warn, warnings } = await listening();
		world.service.addFault({ kind: 'status', status: 403, times: 2, ...DELETE });
		await host.deactivate();
		await passTime(60_000);
		expect(world.webhooks).toHaveLength(1);
		expect(warnings()).toEqual([
			`The webhooks of "Trigger" could not be removed after the workflow was deactivated: The service refused the request with status 403. n8n tries again each minute while it runs.`,
		]);
		expect(warn.mock.calls[0]?.[1]).toEqual({ workflowId: host.workflow.id });
		await passTime(60_000);
		await until(() => world.webhooks.length === 0);
	});

	it('cancels a create that is under way, and leaves nothing behind', async () => {
		const host = await world.trigger(['emailsReplied'], {}, { mode: 'manual' });
		world.service.addFault({ kind: 'delay', delayMs: 300, ...POST });
		const create = expect(host.call('create', 'manual')).rejects.toThrow('was cancelled');
		await until(() => world.requests().some((one) => one.startsWith('POST')));
		await host.deactivate();
		await create;
		expect(world.webhooks).toEqual([]);
	});

	it.each<[string, number]>([
		['while the create is under way', 2_000],
		['whose create got no response in time', SLOW_MS],
	])('leaves no webhook behind if a test run with a sample follows one %s', async (_, delayMs) => {
		const host = await world.trigger(['emailsReplied'], {}, { mode: 'manual' });
		world.service.addFault({ kind: 'delay', delayMs, ...POST });
		const created = host.call('create', 'manual').catch(() => undefined);
		await until(() => world.requests().some((one) => one.startsWith('POST')));
		if (delayMs === SLOW_MS) await created;
		await host.call('delete');
		host.reload({ events: ['emailsReplied'], options: { testWith: 'sampleEvent' } });
		await host.call('create', 'manual');
		await host.call('delete');
		await created;
		await passTime(120_000);
		await until(() => world.webhooks.length === 0);
		expect(host.started).toHaveLength(1);
	});

	it('removes its webhook also if somebody else has begun a test run with a sample meanwhile', async () => {
		const { host } = await listening();
		host.reload({ events: ['emailsReplied'], options: { testWith: 'sampleEvent' } });
		await host.call('create', 'manual');
		await until(() => host.started.length === 1);
		// n8n calls it once, because both test runs have the same URL.
		await host.deactivate();
		expect(world.webhooks).toEqual([]);
	});

	it('is the end of the test run alone, where n8n gives its test URLs another path and another main process has begun it', async () => {
		const active = await world.activeTrigger(['emailsReplied']);
		const { id } = active.workflow;
		const test = await world.trigger(['smsReplied'], {}, { mode: 'manual', id });
		test.shareUrlsOf(active);
		test.testPath = 'try';
		const targetUrl = `${test.testUrl}?event=smsReplied&keyId=${keyIdIn(world.webhooks[0]!)}`;
		world.addWebhook({ targetUrl, type: 'smsReplied' });
		active.hasLostListener = true;
		test.hasLostListener = true;
		await test.deactivate();
		await passTime(60_000);
		await until(() => world.webhooks.length === 1);
		expect(world.webhookTypes).toEqual(['emailsReplied']);
		expect(active.isKnownToProcess).toBe(true);
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
	it('when the response to its create is an error that arrives after the test run', async () => {
		const host = await world.trigger(['emailsReplied'], {}, { mode: 'manual' });
		world.service.addFault({ kind: 'delay', delayMs: SLOW_MS, ...POST });
		world.service.addFault({ kind: 'status', status: 502, when: 'after', ...POST });
		await host.activate('manual');
		await host.call('delete');
		await passTime(120_000);
		await until(() => world.webhooks.length === 0);
	});

	it('when it fails with its second create, and the list does not show the first webhook yet', async () => {
		const host = await world.trigger(['emailsReplied', 'smsReplied'], {}, { mode: 'manual' });
		world.service.setSwitches({ listDelayMs: 20_000 });
		world.service.addFault({ kind: 'status', status: 400, times: 9, skip: 1, ...POST });
		await expect(host.activate('manual')).rejects.toThrow('status 400');
		await passTime(61_000);
		await until(() => world.webhooks.length === 0);
	});

	it('when n8n is killed while it listens: the next test run removes it', async () => {
		const { host } = await listening();
		host.moveToNewProcess({});
		host.reload({ ...host.node.parameters, events: ['smsReplied'] });
		await host.activate('manual');
		expect(world.webhookTypes).toEqual(['smsReplied']);
		await host.deactivate();
		expect(world.webhooks).toEqual([]);
	});

	it('when the webhook ID of the node changes before the next one, and the active workflow keeps its own', async () => {
		const active = await world.activeTrigger(['emailsReplied']);
		const test = await world.trigger(
			['smsReplied'],
			{},
			{ mode: 'manual', id: active.workflow.id },
		);
		test.shareUrlsOf(active);
		await test.activate('manual');
		world.service.addFault({ kind: 'delay', delayMs: 5_000, match: { method: 'GET' } });
		await test.call('delete');
		test.node = { ...test.node, webhookId: '00000000-0000-4000-8000-000000000002' };
		test.reload();
		await test.activate('manual');
		await test.deactivate();
		await passTime(60_000);
		await until(() => world.webhooks.length === 1);
		expect(world.webhookTypes).toEqual(['emailsReplied']);
	});
});

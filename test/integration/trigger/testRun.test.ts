/**
 * The end of a test run removes its webhooks, and holds up nothing. The world is a local service and triggers in one
 * process of n8n.
 */
import fc from 'fast-check';

import type { Fault } from '../../../tools/service';
import { tries } from '../../propertyRuns';
import type { TriggerHost } from '../support/trigger';
import { passTime } from '../support/passTime';
import { SLOW_MS } from '../support/slowMs';
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld();

const DELETE = { match: { method: 'DELETE' } } as const;

/** A test run that listens, and the warnings that its node writes into n8n's log from now on. */
async function listening(events = ['emailsReplied']) {
	const host = await world.activeTrigger(events, {}, { mode: 'manual' });
	const warn = world.spyOnWarnings();
	return { host, warn, warnings: () => warn.mock.calls.map(([text]) => text) };
}

describe('The end of a test run', () => {
	it('removes a webhook that was just created, although the service does not list it yet', async () => {
		const { host, warnings } = await listening();
		world.respondOnce('GET', []);
		await host.deactivate();
		await host.settled();
		expect(world.webhooks).toEqual([]);
		expect(warnings()).toEqual([]);
	});

	it('gives up on a service that hangs before n8n gives up on what the user does next', async () => {
		const { host } = await listening();
		world.service.addFault({ kind: 'delay', delayMs: 600_000, match: { method: 'GET' }, times: 9 });
		const since = performance.now();
		await host.deactivate();
		await host.settled();
		expect(performance.now() - since).toBeLessThan(30_000);
	});

	it.each<[string, Fault]>([
		['the list', { kind: 'delay', delayMs: 8_000, match: { method: 'GET' } }],
		['a removal', { kind: 'delay', delayMs: 8_000, times: 2, ...DELETE }],
	])('does not wait for a response to %s, and removes its webhooks', async (_request, fault) => {
		const { host, warnings } = await listening(['emailsReplied', 'smsReplied']);
		world.service.addFault(fault);
		await host.deactivate();
		expect(world.webhooks).toHaveLength(2);
		await host.settled();
		expect(world.webhooks).toEqual([]);
		expect(warnings()).toEqual([]);
	});

	it('says in the log what could not be removed, and the next test run removes it', async () => {
		const { host, warn, warnings } = await listening();
		world.service.addFault({ kind: 'status', status: 403, ...DELETE });
		await host.deactivate();
		await until(() => warnings().length > 0);
		expect(world.webhooks).toHaveLength(1);
		expect(warnings()).toEqual([
			`The webhooks of a test run of "Trigger" could not be removed: The service refused the request with status 403. The next test run of the node removes them, and so does a start or a check that is more than two minutes later; or delete them at the service.`,
		]);
		expect(warn.mock.calls[0]?.[1]).toEqual({ workflowId: host.workflow.id });
		host.reload(undefined, {});
		await host.activate('manual');
		await host.deactivate();
		await host.settled();
		expect(world.webhooks).toEqual([]);
	});

	it('waits for a create that is under way, after which n8n listens again', async () => {
		const host = await world.trigger(['emailsReplied'], {}, { mode: 'manual' });
		world.service.addFault({ kind: 'delay', delayMs: 300, match: { method: 'POST' } });
		const order: string[] = [];
		const create = host.call('create', 'manual').then(() => order.push('create'));
		await host.deactivate();
		order.push('delete');
		await create;
		expect(order).toEqual(['create', 'delete']);
		expect(world.webhooks).toEqual([]);
	});

	it.each<[string, number, (host: TriggerHost) => Promise<unknown>]>([
		[
			'while the create is under way',
			2_000,
			async (host) => {
				const create = host.call('create', 'manual');
				await until(() => world.n8n.runtime.openCreates.size === 1);
				return [create, host.call('delete')];
			},
		],
		[
			'because the create got no response in time',
			SLOW_MS,
			async (host) => {
				await expect(host.activate('manual')).rejects.toThrow('did not respond in time');
				await host.settled();
			},
		],
	])(
		'leaves no webhook behind if a test run with a sample begins: %s',
		async (_, delayMs, endEarly) => {
			const host = await world.trigger(['emailsReplied'], {}, { mode: 'manual' });
			world.service.addFault({ kind: 'delay', delayMs, match: { method: 'POST', path: '/hooks' } });
			await endEarly(host);
			host.reload({ events: ['emailsReplied'], options: { testWith: 'sampleEvent' } });
			await host.call('create', 'manual');
			await until(() => world.n8n.runtime.openCreates.size === 0);
			await host.call('delete');
			await host.settled();
			expect(host.started).toHaveLength(1);
			expect(world.webhooks).toEqual([]);
		},
	);

	it('removes its webhook also if somebody else has begun a test run with a sample meanwhile', async () => {
		const { host } = await listening();
		host.reload({ events: ['emailsReplied'], options: { testWith: 'sampleEvent' } });
		await host.call('create', 'manual');
		await until(() => host.started.length === 1);
		// n8n calls it once, because both test runs have the same URL.
		await host.call('delete');
		await host.settled();
		expect(world.webhooks).toEqual([]);
	});

	it('is recognized where n8n gives its test URLs another path', async () => {
		const host = await world.trigger(['emailsReplied'], {}, { mode: 'manual' });
		host.testPath = 'try';
		await host.activate('manual');
		expect(world.webhooks[0]!.targetUrl).toContain('/try/');
		world.service.addFault({ kind: 'status', status: 403, ...DELETE });
		await expect(host.deactivate()).resolves.toBeUndefined();
		// The removal goes on in the background, and its warning would be counted by the next test.
		await host.settled();
	});

	it.each([
		['is active', false],
		['was active until n8n ended its trigger', true],
	])(
		'leaves a workflow as it is that %s, where another main process began it at a test URL with another path',
		async (_, isClosed) => {
			const active = await world.activeTrigger(['emailsReplied']);
			const { close } = await active.startTrigger();
			if (isClosed) await close();
			// n8n cannot tell the node that the workflow is active.
			active.hasLostListener = isClosed;
			const { id } = active.workflow;
			const test = await world.trigger(['smsReplied'], {}, { mode: 'manual', id });
			test.shareUrlsOf(active);
			test.testPath = 'try';
			await test.call('delete');
			await active.removal();
			expect(world.webhookTypes).toEqual(['emailsReplied']);
			expect(active.isKnownToProcess).toBe(!isClosed);
		},
	);

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
	const POST = { match: { method: 'POST' } } as const;

	it('when the response to its create is an error that arrives after the test run', async () => {
		const host = await world.trigger(['emailsReplied'], {}, { mode: 'manual' });
		world.service.addFault({ kind: 'delay', delayMs: SLOW_MS, ...POST });
		world.service.addFault({ kind: 'status', status: 502, when: 'after', ...POST });
		await expect(host.call('create', 'manual')).rejects.toThrow('did not respond in time');
		await host.call('delete');
		await until(() => world.webhooks.length === 1);
		await until(() => world.webhooks.length === 0);
	});

	it('but those of another main process that listens stay when the response arrives', async () => {
		const host = await world.trigger(['emailsReplied'], {}, { mode: 'manual' });
		world.service.addFault({ kind: 'delay', delayMs: SLOW_MS, ...POST });
		world.service.addFault({ kind: 'status', status: 502, when: 'after', ...POST });
		await expect(host.call('create', 'manual')).rejects.toThrow('did not respond in time');
		await host.call('delete');
		await host.settled();
		host.moveToNewProcess({}, world.otherProcess());
		await host.call('create', 'manual');
		const ofOther = world.webhookIds;
		await passTime(60_000);
		expect(world.webhookIds).toEqual(expect.arrayContaining(ofOther));
		await world.service.emit({ type: 'emailsReplied' });
		expect(host.statuses).toContain(200);
		await host.call('delete');
		await host.settled();
		expect(world.webhooks).toEqual([]);
	});

	it('when it fails with its second create, and the list does not show the first webhook yet', async () => {
		const host = await world.trigger(['emailsReplied', 'smsReplied'], {}, { mode: 'manual' });
		world.service.setSwitches({ listDelayMs: 20_000 });
		world.service.addFault({ kind: 'status', status: 400, skip: 1, ...POST });
		await expect(host.call('create', 'manual')).rejects.toThrow('status 400');
		expect(world.webhooks).toHaveLength(1);
		await host.call('delete');
		await host.settled();
		expect(world.webhooks).toEqual([]);
	});
});

describe('A node whose webhook ID has changed between two test runs', () => {
	/** The test runs of an active workflow, with the ID that the active one has. */
	async function testOf(active: TriggerHost): Promise<TriggerHost> {
		const { id } = active.workflow;
		const test = await world.trigger(['smsReplied'], {}, { mode: 'manual', id });
		test.shareUrlsOf(active);
		return test;
	}

	function changeWebhookId(test: TriggerHost, options = {}): void {
		test.node = { ...test.node, webhookId: '00000000-0000-4000-8000-000000000002' };
		test.reload({ ...test.node.parameters, options }, {});
	}

	/** A test run whose `create` waits until the webhooks of an earlier one are removed, and which is over by then. */
	async function overBeforeItRegisters(test: TriggerHost): Promise<{ created: Promise<unknown> }> {
		await test.activate('manual');
		world.service.addFault({ kind: 'delay', delayMs: 4_000, match: { method: 'GET' } });
		await test.call('delete');
		const created = test.call('create', 'manual');
		void test.call('delete');
		return { created };
	}

	it('keeps the webhooks of the active workflow if a sample run begins while the earlier test run ends', async () => {
		const active = await world.activeTrigger(['emailsReplied']);
		const test = await testOf(active);
		await test.activate('manual');
		world.service.addFault({ kind: 'delay', delayMs: 5_000, match: { method: 'GET' } });
		await test.call('delete');
		changeWebhookId(test, { testWith: 'sampleEvent' });
		await test.call('create', 'manual');
		await until(() => world.webhooks.length < 2);
		await active.settled();
		expect(world.webhookTypes).toEqual(['emailsReplied']);
	});

	it('accepts a delivery of the active workflow whose webhook is just being registered', async () => {
		const active = await world.activeTrigger(['emailsReplied'], { repairMinutes: 1 });
		const { tick } = await active.startTrigger();
		const [before] = world.webhookIds;
		const test = await testOf(active);
		const { created } = await overBeforeItRegisters(test);
		changeWebhookId(test);
		await test.call('create', 'manual');
		world.useKey(active, 'new-key');
		world.service.addFault({ kind: 'drip', everyMs: 300, match: { method: 'POST' } });
		const known = new Set(world.webhookIds);
		tick();
		await until(() => world.webhookIds.some((id) => !known.has(id)));
		world.service.removeHook(before!);
		await created;
		await world.service.emit({ type: 'emailsReplied' });
		expect(active.statuses).toEqual([200]);
	});

	it('leaves no webhook of either test run behind', async () => {
		const test = await world.trigger(['emailsReplied'], {}, { mode: 'manual' });
		const { created } = await overBeforeItRegisters(test);
		const ofFirst = test.testUrl;
		changeWebhookId(test);
		await test.call('create', 'manual');
		await created;
		await until(() => !world.webhooks.some(({ targetUrl }) => targetUrl.startsWith(ofFirst)));
		expect(world.webhooks).toHaveLength(1);
		await test.call('delete');
		await test.settled();
		expect(world.webhooks).toEqual([]);
	});
});

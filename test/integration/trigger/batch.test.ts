/**
 * Batch Events: which events share an execution, and what their senders are told; see `unit/runtime/batches.test.ts` for whatever may
 * happen meanwhile. The world is a local service and one trigger in one process of n8n.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { withoutTime } from '../../clock';
import type { TriggerHost } from '../support/trigger';
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld();

const batchOf = (maxEvents: number, more = {}) => ({
	batch: { values: { maxEvents, maxSeconds: 8, ...more } },
});

/** The IDs of the events with which each execution of a host starts, in order. */
function executionsOf(host: TriggerHost): unknown[][] {
	const executions: unknown[][] = [];
	host.respond = (_item, items) => {
		executions.push(items.map(({ _id }) => _id));
		return 200;
	};
	return executions;
}

const EVENT = { type: 'emailsReplied' };

const emit = async (ids: readonly string[]) =>
	await world.service.emitMany(ids.map((_id) => ({ ...EVENT, _id })));

it('A batch starts one execution of as many events as it may have, and the rest when its time is over', async () => {
	const host = await world.activeTrigger(['emailsReplied'], batchOf(3));
	const executions = executionsOf(host);
	expect(await emit(['act_1', 'act_2', 'act_3', 'act_4'])).toEqual({ 200: 4 });
	expect(executions.map(({ length }) => length)).toEqual([3, 1]);
});

it('A batch that n8n refuses gets the same error for each event, and runs when they are sent again', async () => {
	const host = await world.activeTrigger(['emailsReplied'], batchOf(2));
	host.respond = () => 500;
	expect(await emit(['act_1', 'act_2'])).toEqual({ 500: 2 });
	const executions = executionsOf(host);
	expect(await emit(['act_1', 'act_2'])).toEqual({ 200: 2 });
	expect(executions).toHaveLength(1);
});

it('A batch by lead has the events of one lead, recognized by ID or else by email address; an event of none runs by itself', async () => {
	const host = await world.activeTrigger(['emailsReplied'], batchOf(2, { groupBy: 'lead' }));
	const executions = executionsOf(host);
	const leads = [
		['lea_1', 'ada@example.com'],
		['lea_2', 'ada@example.com'],
		['', 'Ada@Example.com'],
		['', ' ada@example.com'],
		['lea_1', ''],
		['', ''],
		['', ' '],
	];
	const outcomes = await world.service.emitMany(
		leads.map(([leadId, leadEmail], n) => ({ ...EVENT, leadId, leadEmail, _id: `${n}` })),
	);
	expect(outcomes).toEqual({ 200: leads.length });
	expect(executions.sort()).toEqual([['0', '4'], ['1'], ['2', '3'], ['5'], ['6']]);
});

it('An event that waits in a batch does not keep the context of n8n, with its copy of the workflow, in memory', async () => {
	const host = await world.activeTrigger(['emailsReplied'], batchOf(100));
	const delivered = emit(Array.from({ length: 20 }, (_, n) => `act_${n}`));
	await until(() => world.n8n.runtime.stats().heldDeliveries === 20);
	setFlagsFromString('--expose-gc');
	const collectGarbage = runInNewContext('gc') as () => void;
	await until(() => {
		collectGarbage();
		// The first delivery starts the workflow.
		return host.contexts.filter((context) => context.deref() !== undefined).length <= 1;
	});
	void host.close();
	expect(await delivered).toEqual({ 200: 20 });
});

it('An open batch is handed over at once when n8n ends the trigger, and its senders get their response', async () => {
	const host = await world.activeTrigger(['emailsReplied'], batchOf(100));
	const executions = executionsOf(host);
	const responses = await withoutTime(async () => {
		const delivered = emit(['act_1', 'act_2']);
		await until(() => world.n8n.runtime.batches.size === 2);
		await host.close();
		// n8n may exit now, so it has stored them.
		expect(world.n8n.runtime.batches.size).toBe(0);
		return await delivered;
	});
	expect(responses).toEqual({ 200: 2 });
	expect(executions.map(({ length }) => length)).toEqual([2]);
});

it.each<[string, object, object]>([
	['parameters', {}, { outputs: 'perEvent' }],
	['settings', { retryOnFail: true }, {}],
])(
	'Events before and after a change of the %s share no batch, also in a webhook process, which is not told of it',
	async (_, settings, options) => {
		const host = await world.activeTrigger(['emailsReplied'], batchOf(3));
		host.moveToNewProcess();
		const executions = executionsOf(host);
		const first = emit(['act_1', 'act_2']);
		await until(() => host.bodies.length === 2);
		host.node = { ...host.node, ...settings };
		host.reload({ events: ['emailsReplied'], options: { ...batchOf(2), ...options } });
		expect([await emit(['act_3', 'act_4']), await first]).toEqual([{ 200: 2 }, { 200: 2 }]);
		expect(executions.map((ids) => ids.sort())).toEqual([
			['act_1', 'act_2'],
			['act_3', 'act_4'],
		]);
	},
);

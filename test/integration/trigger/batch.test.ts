/**
 * Batch Events: which events share an execution, and what their senders are told. The world is a local
 * service and one trigger in one process of n8n.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { deriveSecret } from '../../../tools/load/deriveSecret';
import { withoutTime } from '../../clock';
import { post } from '../support/post';
import type { TriggerHost } from '../support/trigger';
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld();

const batchOf = (maxEvents: number) => ({ batch: { values: { maxEvents, maxSeconds: 8 } } });

/** How many items each execution of a host starts with, in order. */
function executionsOf(host: TriggerHost): number[] {
	const sizes: number[] = [];
	host.respond = (_item, items) => {
		sizes.push(items.length);
		return 200;
	};
	return sizes;
}

const emit = async (ids: readonly string[], fields: object = {}) =>
	await world.service.emitMany(ids.map((_id) => ({ type: 'emailsReplied', _id, ...fields })));

describe('A batch by lead', () => {
	it('has the events of one lead, recognized by ID or else by email address', async () => {
		const values = { maxEvents: 2, maxSeconds: 8, groupBy: 'lead' };
		const host = await world.activeTrigger(['emailsOpened', 'emailsClicked'], {
			batch: { values },
		});
		const runs: unknown[][] = [];
		host.respond = (_item, items) => {
			runs.push(items.map(({ _id }) => _id));
			return 200;
		};
		const byLead = [
			{ leadId: 'lea_1', leadEmail: 'ada@example.com' },
			{ leadId: 'lea_2', leadEmail: 'ada@example.com' },
			{ leadId: '', leadEmail: 'Ada@Example.com' },
			{ leadId: '', leadEmail: ' ada@example.com' },
			{ leadId: 'lea_1' },
			{ leadId: '', leadEmail: '' },
			{ leadId: '', leadEmail: ' ' },
		];
		const outcomes = await world.service.emitMany(
			byLead.map((lead, index) => ({
				type: index % 2 === 0 ? 'emailsOpened' : 'emailsClicked',
				...lead,
				_id: String(index),
			})),
		);
		expect(outcomes).toEqual({ 200: byLead.length });
		expect(runs.sort()).toEqual([['0', '4'], ['1'], ['2', '3'], ['5'], ['6']]);
	});
});

describe('A batch', () => {
	it('starts one execution of as many events as it may have, and the rest when its time is over', async () => {
		const host = await world.activeTrigger(['emailsReplied'], batchOf(3));
		const executions = executionsOf(host);
		const outcomes = await emit(['act_1', 'act_2', 'act_3', 'act_4']);
		expect(outcomes).toEqual({ 200: 4 });
		expect(executions).toEqual([3, 1]);
	});

	it('that n8n refuses gets the same error for each event, and runs when they are sent again', async () => {
		const host = await world.activeTrigger(['emailsReplied'], batchOf(2));
		host.respond = () => 500;
		const ids = ['act_1', 'act_2'];
		expect(await emit(ids)).toEqual({ 500: 2 });
		const executions = executionsOf(host);
		expect(await emit(ids)).toEqual({ 200: 2 });
		expect(executions).toEqual([2]);
	});

	it('leaves out an event with an ID whose sender disconnects, when duplicates are not ignored', async () => {
		const options = { ...batchOf(10), verifySecret: false, duplicateMemory: 'off' };
		const host = await world.activeTrigger(['*'], options);
		const executions = executionsOf(host);
		const impatient = new AbortController();
		const send = async (_id: string, signal?: AbortSignal) =>
			await post(world.webhooks[0]!.targetUrl, { type: 'paused', _id }, signal).then(
				({ status }) => status,
				() => undefined,
			);
		const sent = [send('act_1')];
		await until(() => host.bodies.length === 1);
		sent.push(send('act_2', impatient.signal));
		await until(() => host.bodies.length === 2);
		impatient.abort();
		expect(await Promise.all(sent)).toEqual([200, undefined]);
		expect(executions).toEqual([1]);
	});
});

it('An event that waits in a batch does not keep the context of n8n, with its copy of the workflow, in memory', async () => {
	const host = await world.activeTrigger(['emailsReplied'], batchOf(100));
	const { close } = await host.startTrigger();
	const delivered = emit(Array.from({ length: 20 }, (_, n) => `act_${n}`));
	await until(() => world.n8n.runtime.stats().heldDeliveries === 20);
	setFlagsFromString('--expose-gc');
	const collectGarbage = runInNewContext('gc') as () => void;
	await until(() => {
		collectGarbage();
		// The first delivery starts the workflow.
		return host.contexts.filter((context) => context.deref() !== undefined).length <= 1;
	});
	void close();
	expect(await delivered).toEqual({ 200: 20 });
});

it('An open batch is handed over at once when n8n ends the trigger, and its senders get their response', async () => {
	const host = await world.activeTrigger(['emailsReplied'], batchOf(100));
	const { close } = await host.startTrigger('activate');
	const executions = executionsOf(host);
	const responses = await withoutTime(async () => {
		const delivered = emit(['act_1', 'act_2']);
		await until(() => world.n8n.runtime.batches.size === 2);
		await close();
		return await delivered;
	});
	expect(responses).toEqual({ 200: 2 });
	expect(executions).toEqual([2]);
});

it.each<[string, (host: TriggerHost) => void]>([
	[
		'parameters',
		(host) =>
			host.reload({
				events: ['smsReplied', 'emailsReplied'],
				options: { ...batchOf(2), outputs: 'perEvent' },
			}),
	],
	[
		'settings',
		(host) => {
			host.node = { ...host.node, retryOnFail: true };
			host.reload();
		},
	],
])(
	'Events before and after a change of the %s share no batch, also in a webhook process, which is not told of it',
	async (_, change) => {
		const host = await world.activeTrigger(['emailsReplied'], batchOf(3));
		const { targetUrl } = world.webhooks[0]!;
		host.moveToNewProcess();
		const runs: unknown[][] = [];
		host.respond = (_item, items) => {
			runs.push(items.map(({ _id }) => _id));
			return 200;
		};
		const secret = deriveSecret(world.service.apiKey, targetUrl);
		const send = async (_id: string) =>
			await post(targetUrl, { _id, type: 'emailsReplied', secret });
		const first = [send('act_1'), send('act_2')];
		await until(() => host.bodies.length === 2);
		change(host);
		const later = [send('act_3'), send('act_4')];
		const responses = await Promise.all([...first, ...later]);
		expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
		expect(runs).toEqual([
			['act_1', 'act_2'],
			['act_3', 'act_4'],
		]);
	},
);

/**
 * An activity that is delivered again runs once, unless n8n could not start it or an option says otherwise; with *In Database*, also
 * across processes and restarts. The world is a local service, one trigger, and a table that stands in for n8n's record of processed
 * items. See `unit/runtime/duplicates.test.ts` and `unit/trigger/recordedActivities.test.ts` for whatever may happen meanwhile.
 */
import { DataDeduplicationService } from 'n8n-core';
import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { withoutTime } from '../../clock';
import { DeduplicationHelper, ProcessedData } from '../../processedData';
import { post } from '../support/post';
import type { TriggerHost, TriggerHostOptions } from '../support/trigger';
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld();

const activity = { type: 'emailsReplied', _id: 'act_1' };

describe('An activity that is delivered again', () => {
	it('runs again for another subscription, another workflow, and in a test run', async () => {
		const host = await world.activeTrigger(['emailsReplied', 'warmed']);
		const other = await world.activeTrigger(['emailsReplied']);
		const test = await world.activeTrigger(['emailsReplied'], {}, { mode: 'manual' });
		await world.service.emit(activity);
		await world.service.emit(activity);
		expect([host, other, test].map(({ started }) => started.length)).toEqual([2, 1, 2]);
	});

	it('runs each time with Ignore Duplicates off', async () => {
		const host = await world.activeTrigger(['emailsReplied'], { duplicateMemory: 'off' });
		await world.service.emit(activity);
		await world.service.emit(activity);
		expect(host.started).toHaveLength(2);
	});

	it('waits while n8n queues the execution of the first copy: 20 copies do, and the senders of the others are asked to retry later', async () => {
		const host = await world.activeTrigger(['emailsReplied'], { verifySecret: false });
		const respond = host.queueExecutions();
		const { targetUrl } = world.webhooks[0]!;
		const copies: Array<Promise<Response>> = [];
		await withoutTime(async () => {
			for (let copy = 0; copy < 25; copy++) copies.push(post(targetUrl, activity));
			const { status, headers } = await Promise.race(copies);
			expect([status, headers.get('retry-after')]).toEqual([503, '10']);
			await until(() => host.statuses.length === 4);
		});
		const waiting = { claimedActivities: 1, waitingDuplicates: 20 };
		expect(world.n8n.runtime.stats()).toMatchObject(waiting);
		respond(200);
		const statuses = (await Promise.all(copies)).map(({ status }) => status).sort();
		expect(statuses).toEqual([...Array<number>(21).fill(200), ...Array<number>(4).fill(503)]);
		expect(host.started).toHaveLength(1);
	});

	it('starts nothing if its sender disconnects while it waits', async () => {
		const host = await world.activeTrigger(['emailsReplied'], { verifySecret: false });
		const respond = host.queueExecutions();
		const { targetUrl } = world.webhooks[0]!;
		const first = post(targetUrl, activity);
		await until(() => world.n8n.runtime.stats().claimedActivities === 1);
		const impatient = new AbortController();
		const copy = post(targetUrl, activity, impatient.signal);
		await until(() => world.n8n.runtime.stats().waitingDuplicates === 1);
		impatient.abort();
		await expect(copy).rejects.toMatchObject({ name: 'AbortError' });
		await until(() => world.n8n.runtime.stats().waitingDuplicates === 0);
		respond(200);
		expect((await first).status).toBe(200);
		expect(host.started).toHaveLength(1);
	});
});

describe('Ignore Duplicates: In Database', () => {
	const DATABASE = { duplicateMemory: 'database' };

	/** n8n's database, which outlives its processes. */
	let table: ProcessedData;
	beforeEach(() => {
		table = new ProcessedData();
		const helper = new DeduplicationHelper(table);
		jest.spyOn(DataDeduplicationService, 'getInstance').mockReturnValue(helper as never);
	});

	/** Delivers an activity. @returns the items of the execution that it starts */
	async function deliver(host: TriggerHost, fields: object = {}): Promise<INodeExecutionData[]> {
		await world.service.emit({ ...activity, ...fields });
		expect(host.statuses.at(-1)).toBe(200);
		return host.started.splice(0);
	}

	const idsOf = (items: INodeExecutionData[]): unknown[] => items.map(({ json }) => json._id);

	it('passes an activity on once for each node, across restarts, and again when its execution is retried', async () => {
		const nodes = ['one', 'other'].map((id) => ({ id, name: id, webhookId: id }));
		const passedOn: INodeExecutionData[][] = [];
		for (const node of nodes) {
			const more = { id: 'workflow', node };
			const host = await world.activeTrigger(['emailsReplied'], DATABASE, more);
			const first = await deliver(host);
			host.moveToNewProcess();
			// The process knows nothing of it, so an execution starts; it ends at the trigger, without an item.
			const copy = await deliver(host);
			for (const [items, mode] of [[first], [copy], [first, 'retry'], [copy, 'retry']] as const) {
				passedOn.push(await host.execute(items, mode ? { mode } : {}));
			}
			await host.deactivate();
		}
		expect(passedOn.map(idsOf)).toEqual(nodes.flatMap(() => [['act_1'], [], ['act_1'], []]));
	});

	it('passes the retry of an execution that ended before the trigger had run only if no copy has run in between', async () => {
		const host = await world.activeTrigger(['emailsReplied'], DATABASE);
		const neverRan = await deliver(host);
		host.moveToNewProcess();
		expect(await host.execute(await deliver(host))).toHaveLength(1);
		expect(await host.execute(neverRan, { mode: 'retry' })).toEqual([]);
	});

	it.each<
		[string, INodeParameters, 'manual' | 'evaluation' | 'webhook', object, TriggerHostOptions]
	>([
		['in a test run', DATABASE, 'manual', {}, { mode: 'manual' }],
		['when a user executes the workflow with a delivered event', DATABASE, 'manual', {}, {}],
		['in an evaluation', DATABASE, 'evaluation', {}, {}],
		['for an event without an ID', DATABASE, 'webhook', { _id: undefined }, {}],
		['by default', {}, 'webhook', {}, {}],
	])('is not used %s', async (_, options, mode, fields, more) => {
		const host = await world.activeTrigger(['emailsReplied'], options, more);
		for (let copy = 0; copy < 2; copy += 1) {
			const items = await host.execute(await deliver(host, fields), { mode });
			expect(items.map(Object.keys)).toEqual([['json']]);
			host.moveToNewProcess();
		}
		expect(table.rows.size).toBe(0);
	});

	it('loses no event when the database fails: it runs without the check, and the log says so', async () => {
		const host = await world.activeTrigger(['emailsReplied'], DATABASE);
		const items = await deliver(host);
		table.beforeWrite = () => {
			throw new Error('SQLITE_BUSY: database is locked');
		};
		const warnings = world.warnings();
		expect(idsOf(await host.execute(items))).toEqual(['act_1']);
		expect(warnings()).toEqual([
			'Events of "Trigger" run without a check for duplicates, because n8n\'s database could not be used: SQLITE_BUSY: database is locked',
		]);
	});

	it('keeps no more than it may', async () => {
		const host = await world.activeTrigger(['emailsReplied'], DATABASE);
		for (let batch = 0; batch < 7; batch += 1) {
			const deliveries = Array.from({ length: 1_000 }, (_, index) => `${batch}/${index}@`);
			const items = deliveries.map((delivery) => ({ json: {}, delivery }));
			expect(await host.execute(items)).toHaveLength(1_000);
		}
		expect([...table.rows.values()].map(({ length }) => length)).toEqual([11_000]);
	});
});

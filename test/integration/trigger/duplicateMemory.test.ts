/**
 * Ignore Duplicates: In Database passes an activity on once, across processes and restarts. The world is a local
 * service, one trigger, and a table that stands in for n8n's record of processed items.
 */
import { DataDeduplicationService } from 'n8n-core';
import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { DeduplicationHelper, ProcessedData } from '../../processedData';
import type { TriggerHost } from '../support/trigger';
import { useWorld } from '../support/world';

const world = useWorld();

const DATABASE = { duplicateMemory: 'database' };
const activity = { type: 'emailsReplied', _id: 'act_1' };

/** n8n's database, which outlives its processes. */
let table: ProcessedData;
beforeEach(() => {
	table = new ProcessedData();
	useHelper(new DeduplicationHelper(table));
});

function useHelper(helper: DeduplicationHelper): void {
	jest.spyOn(DataDeduplicationService, 'getInstance').mockReturnValue(helper as never);
}

/** The items of the executions that a host started since the last call. */
const taken = ({ started }: TriggerHost): INodeExecutionData[] => started.splice(0, started.length);

/** Delivers an activity, and runs the execution that it starts. @returns the items that the next node gets */
async function deliver(
	host: TriggerHost,
	fields: object = activity,
	options: Parameters<TriggerHost['execute']>[1] = {},
): Promise<INodeExecutionData[]> {
	const attempts = await world.service.emit({ ...activity, ...fields });
	expect(new Set(attempts.map(({ status }) => status))).toEqual(new Set([200]));
	const items = taken(host);
	return items.length === 0 ? [] : await host.execute(items, options);
}

const idsOf = (items: INodeExecutionData[]): unknown[] => items.map(({ json }) => json._id);

describe('Ignore Duplicates: In Database', () => {
	it('passes an activity on once, across restarts', async () => {
		const host = await world.activeTrigger(['emailsReplied'], DATABASE);
		expect(idsOf(await deliver(host))).toEqual(['act_1']);
		for (let restart = 0; restart < 3; restart += 1) {
			host.moveToNewProcess();
			const [attempt] = await world.service.emit(activity);
			expect(attempt?.status).toBe(200);
			// The process knows nothing of it, so a run starts; it ends at the trigger, without an item.
			const items = taken(host);
			expect(items).toHaveLength(1);
			expect(await host.execute(items)).toEqual([]);
		}
		expect(idsOf(await deliver(host, { _id: 'act_2' }))).toEqual(['act_2']);
	});

	it('is separate for each node of a workflow', async () => {
		for (const id of ['one', 'other']) {
			const node = { id, name: id, webhookId: id };
			const host = await world.activeTrigger(['emailsReplied'], DATABASE, { id: 'workflow', node });
			await world.service.emit(activity);
			expect(idsOf(await host.execute(taken(host)))).toEqual(['act_1']);
		}
	});

	it('passes a retried execution on, unless another delivery of its activity has been', async () => {
		const host = await world.activeTrigger(['emailsReplied'], DATABASE);
		await world.service.emit(activity);
		const crashed = taken(host);
		expect(await host.execute(crashed)).toHaveLength(1);
		for (let retry = 0; retry < 2; retry += 1) {
			expect(await host.execute(crashed, { mode: 'retry' })).toHaveLength(1);
		}
		// This one ended before the trigger had run, and a copy has run in between.
		await world.service.emit({ ...activity, _id: 'act_2' });
		const neverRan = taken(host);
		host.moveToNewProcess();
		await world.service.emit({ ...activity, _id: 'act_2' });
		const copy = taken(host);
		expect(await host.execute(copy)).toHaveLength(1);
		expect(await host.execute(neverRan, { mode: 'retry' })).toEqual([]);
		expect(await host.execute(copy, { mode: 'retry' })).toHaveLength(1);
	});

	it.each(['manual', 'evaluation'] as const)('has no effect in mode %s', async (mode) => {
		const host = await world.activeTrigger(['emailsReplied'], DATABASE);
		await world.service.emit(activity);
		const items = taken(host);
		for (let run = 0; run < 2; run += 1) {
			const [item] = await host.execute(items, { mode });
			expect(item).not.toHaveProperty('delivery');
		}
		expect(table.rows.size).toBe(0);
	});

	it.each<[string, INodeParameters, 'trigger' | 'manual', object]>([
		['in a test run', DATABASE, 'manual', activity],
		['for an event without an ID', DATABASE, 'trigger', { type: 'emailsReplied', _id: undefined }],
		['by default', {}, 'trigger', activity],
	])('is not used %s', async (_, options, mode, sent) => {
		const host = await world.activeTrigger(['emailsReplied'], options, { mode });
		for (let copy = 0; copy < 2; copy += 1) {
			const [item] = await deliver(host, sent);
			expect(Object.keys(item ?? {})).toEqual(['json']);
			host.moveToNewProcess();
		}
		expect(table.rows.size).toBe(0);
	});
});

describe("n8n's database", () => {
	it('that fails loses no event: it runs without the check, and the log says so', async () => {
		const host = await world.activeTrigger(['emailsReplied'], DATABASE);
		await world.service.emit(activity);
		const items = taken(host);
		table.beforeWrite = () => {
			throw new Error('SQLITE_BUSY: database is locked');
		};
		const warn = world.spyOnWarnings();
		expect(idsOf(await host.execute(items))).toEqual(['act_1']);
		expect(warn.mock.calls).toEqual([
			[
				'Events of "Trigger" run without a check for duplicates, because n8n\'s database could not be used: SQLITE_BUSY: database is locked',
			],
		]);
	});

	it('keeps no more than it may', async () => {
		const host = await world.activeTrigger(['emailsReplied'], DATABASE);
		for (let batch = 0; batch < 7; batch += 1) {
			const items = Array.from({ length: 1_000 }, (_, index) => ({
				json: {},
				delivery: `${batch}/${index}@`,
			}));
			expect(await host.execute(items)).toHaveLength(1_000);
		}
		expect([...table.rows.values()].map(({ length }) => length)).toEqual([11_000]);
	});
});

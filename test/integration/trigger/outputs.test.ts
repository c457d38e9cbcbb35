/**
 * With an output for each event, an event comes out at its own, in every kind of execution. The world is a local
 * service and triggers in one process of n8n.
 */
import { DataDeduplicationService } from 'n8n-core';
import fc from 'fast-check';
import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { z } from 'zod';

import { canBeThirdParty } from '../../../nodes/OutreachService/domain/eventTypes';
import { groupCovers } from '../../../tools/service/model/eventTypes';
import { DeduplicationHelper, ProcessedData } from '../../processedData';
import { tries } from '../../propertyRuns';
import { onlyWhen } from '../support/conditions';
import { textLike } from '../support/matchers';
import { N8n } from '../support/n8n';
import { until } from '../support/until';
import { World, useWorld } from '../support/world';

const PER_EVENT = { outputs: 'perEvent' };

/** Two lead states, whose activities have other types, and types that a lead state sums up. */
const EVENTS = ['emailsReplied', 'smsReplied', 'warmed', 'emailsOpened', 'hooked', 'paused'];
const TYPES = ['emailsReplied', 'smsReplied', 'emailsOpened', 'paused', 'brandNew'];

const groupedSchema = z.object({
	event: z.object({ id: z.string().nullable(), key: z.string(), subscription: z.string() }),
	lead: z.object({ id: z.string().nullable(), email: z.string().nullable() }),
});

const activity = fc.record({
	type: fc.constantFrom(...TYPES),
	leadId: fc.constantFrom('lea_1', 'lea_2', undefined),
	leadEmail: fc.constantFrom('Ada@Example.com', ' ada@example.com', 'grace@example.com', undefined),
	isThirdPartyReply: fc.boolean(),
	/** How often it is delivered. */
	copies: fc.integer({ min: 1, max: 2 }),
});

const situation = fc.record({
	events: fc.oneof(
		fc.uniqueArray(fc.constantFrom(...EVENTS, '*'), { minLength: 1, maxLength: 4 }),
		fc.constant(['*'] as string[]),
	),
	customEventTypes: fc.constantFrom(undefined, 'brandNew'),
	subscription: fc.constantFrom('hookPerEvent', 'singleHook'),
	groupBy: fc.constantFrom(undefined, 'none', 'lead'),
	duplicateMemory: fc.constantFrom('process', 'database'),
	thirdPartyReplies: fc.constantFrom('include', 'exclude', 'only'),
	/** Whether *Only When* lets only the events of one lead through. */
	isConditional: fc.boolean(),
	/** Where the executions run: here, in a worker, and when they are retried. */
	place: fc.constantFrom('here', 'worker', 'retry'),
	activities: fc.array(activity, { minLength: 1, maxLength: 6 }),
});

/** The options that are set. */
const set = (options: Record<string, unknown>) =>
	JSON.parse(JSON.stringify(options)) as INodeParameters;

/** Whom an item is about, as *Group By* tells leads apart. */
function leadOf({ json }: INodeExecutionData): string {
	const { lead, event } = groupedSchema.parse(json);
	return lead.id ?? lead.email?.trim().toLowerCase() ?? event.key;
}

const world = new World();

it('Whatever else is set, each event comes out once, at the output of its subscription, and with Group By among events of its lead', async () => {
	await fc.assert(
		fc.asyncProperty(situation, async (given) => {
			await world.start();
			world.service.setSwitches({ unknownTypes: 'accept' });
			const table = new ProcessedData();
			const helper = new DeduplicationHelper(table);
			jest.spyOn(DataDeduplicationService, 'getInstance').mockReturnValue(helper as never);
			const runs: INodeExecutionData[][] = [];
			const chosen = [...given.events, given.customEventTypes ?? 'paused'];
			// Otherwise it could never start (D80).
			const isRefused = given.thirdPartyReplies === 'only' && !chosen.some(canBeThirdParty);
			const thirdPartyReplies = isRefused ? 'include' : given.thirdPartyReplies;
			const host = await world.activeTrigger(
				given.events,
				set({
					...PER_EVENT,
					output: 'grouped',
					customEventTypes: given.customEventTypes,
					subscription: given.subscription,
					duplicateMemory: given.duplicateMemory,
					thirdPartyReplies,
					batch: given.groupBy && {
						values: { maxEvents: 3, maxSeconds: 0.1, groupBy: given.groupBy },
					},
					onlyWhen: given.isConditional ? onlyWhen('leadId', 'lea_1') : undefined,
				}),
			);
			host.respond = (_item, items) => {
				runs.push(items.map((json) => ({ json })));
				return 200;
			};
			const sent = given.activities.map(({ copies, ...fields }, index) => ({
				copies,
				fields: { ...set(fields), type: fields.type, _id: `act_${index}` },
			}));
			// The copies of an activity come one after the other, and those of others meanwhile.
			await Promise.all(
				sent.map(async ({ fields, copies }) => {
					for (let copy = 0; copy < copies; copy += 1) await world.service.emit(fields);
				}),
			);

			const outputs = await host.outputs(host.started, {
				mode: given.place === 'retry' ? 'retry' : 'webhook',
				...(given.place === 'worker' ? { inWorker: new N8n() } : {}),
			});
			const custom = given.customEventTypes === undefined ? [] : [given.customEventTypes];
			const named = [...given.events.filter((event) => event !== '*'), ...custom];
			const selected = [...named, ...given.events.filter((event) => event === '*')];
			const isWanted = ({ leadId, isThirdPartyReply }: INodeParameters): boolean =>
				(!given.isConditional || leadId === 'lea_1') &&
				(thirdPartyReplies === 'include' || isThirdPartyReply === (thirdPartyReplies === 'only'));
			// At the outputs of its type and of its lead state, and at everything else if its type has no output (D8).
			const isAt = (event: string, type: string): boolean =>
				event === '*' ? !named.includes(type) : event === type || groupCovers(event, type);
			const expected = selected.map((event) =>
				sent.flatMap(({ fields }) =>
					isWanted(fields) && isAt(event, fields.type) ? [fields._id] : [],
				),
			);
			const actual = outputs.map((items) =>
				items.map(({ json }) => groupedSchema.parse(json).event.id).sort(),
			);
			expect(actual).toEqual(expected);
			for (const [index, items] of outputs.entries()) {
				for (const { json, ...others } of items) {
					expect(groupedSchema.parse(json).event.subscription).toBe(selected[index]);
					// What n8n adds is the pairing; nothing of ours stays beside the JSON.
					expect(others).toEqual({});
				}
			}
			// Each event of each subscription has a key of its own.
			const keys = outputs.flat().map(({ json }) => groupedSchema.parse(json).event.key);
			expect(new Set(keys).size).toBe(keys.length);
			if (given.groupBy === 'lead') {
				for (const items of runs) expect(new Set(items.map(leadOf)).size).toBe(1);
			}
			if (given.groupBy === undefined) expect(runs.every(({ length }) => length === 1)).toBe(true);
		}),
		{
			numRuns: tries(10),
			plugins: [
				fc.afterEach(async () => {
					await world.end();
				}),
			],
		},
	);
}, 120_000);

describe('With an output for each event', () => {
	const world = useWorld();

	it('an execution that is retried after the events were put into another order still comes out at its event', async () => {
		const host = await world.activeTrigger(['emailsReplied', 'smsReplied'], PER_EVENT);
		await world.service.emit({ type: 'smsReplied' });
		const items = host.started;
		const sizes = async () => (await host.outputs(items)).map(({ length }) => length);
		expect(await sizes()).toEqual([0, 1]);
		host.reload({ events: ['smsReplied', 'paused', 'emailsReplied'], options: PER_EVENT });
		expect(await sizes()).toEqual([1, 0, 0]);
		host.reload({ events: ['*'], options: PER_EVENT });
		expect(await sizes()).toEqual([1]);
		host.reload({ events: ['paused', 'smsReplied'], options: {} });
		expect(await sizes()).toEqual([1]);
		host.reload({ events: ['paused'], options: PER_EVENT });
		await expect(host.outputs(items)).rejects.toMatchObject({
			message: "The event 'smsReplied' is no longer selected, so it has no output",
			description: textLike(/^Retry the execution with the original workflow, or add the event/),
		});
	});

	it('a test run has a sample of each event that meets the conditions at its output, also when the first one does not', async () => {
		const options = {
			...PER_EVENT,
			testWith: 'sampleEvent',
			onlyWhen: onlyWhen('type', 'Replied', { type: 'string', operation: 'endsWith' }),
		};
		const events = ['paused', 'smsReplied', '*'];
		const host = await world.activeTrigger(events, options, { mode: 'manual' });
		await until(() => host.started.length > 0);
		const outputs = await host.outputs(host.started, { mode: 'manual' });
		expect(outputs.map((items) => items.map(({ json }) => json.type))).toEqual([
			[],
			['smsReplied'],
			['emailsReplied'],
		]);
	});
});

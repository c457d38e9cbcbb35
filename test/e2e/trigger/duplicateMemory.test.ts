import { z } from 'zod';

import { itemsOf, type N8nWorkflow } from '../../../tools/host';
import { deactivate, restart } from '../../../tools/host/publishing';
import {
	activateNewWorkflow,
	createServiceCredential,
	TRIGGER_NAME,
	triggerWorkflow,
} from '../../../tools/host/workflows';
import { DEFAULT_SWITCHES } from '../../../tools/service';
import { seededPick } from '../../../tools/service/support/random';
import { TEST_TIMEOUT_MS, useOutreachHost } from '../outreachHost';
import { CAN, testWhere } from '../underTest';
import {
	executionsOf,
	idsAfterTrigger,
	MARK_AS_CRASHED,
	NEXT_NODE,
	retryCrashed,
} from './everyExecution';

/** The long form takes 2,000 events and ten restarts: `DUPLICATE_EVENTS=2000 DUPLICATE_RESTARTS=10`. */
const { DUPLICATE_EVENTS: EVENTS, DUPLICATE_RESTARTS: RESTARTS } = z
	.object({
		DUPLICATE_EVENTS: z.coerce.number().int().positive().default(60),
		DUPLICATE_RESTARTS: z.coerce.number().int().positive().default(2),
	})
	.parse(process.env);

jest.setTimeout(TEST_TIMEOUT_MS + EVENTS * 300 + RESTARTS * 30_000);

const host = useOutreachHost({
	env: {
		...MARK_AS_CRASHED,
		// Without this, n8n spends most of the time on its expression engine, which these deliveries do not need.
		N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true',
	},
});

beforeEach(() => {
	host().service.setSwitches({ ...DEFAULT_SWITCHES, deliveryTimeoutMs: 30_000 });
});

type Activity = { type: string; _id: string };

async function activate(options: Record<string, unknown>): Promise<N8nWorkflow> {
	const credential = await createServiceCredential(host());
	const draft = triggerWorkflow(credential, { events: ['*'], options });
	return await activateNewWorkflow(host(), draft, 1);
}

/** Two to four deliveries of each activity, each in some part of the run; some are in the same part. */
function spread(activities: readonly Activity[], parts: number): Activity[][] {
	const pick = seededPick(1);
	const deliveries: Activity[][] = Array.from({ length: parts }, () => []);
	for (const activity of activities) {
		const copies = 2 + pick(3);
		for (let copy = 0; copy < copies; copy += 1) deliveries[pick(parts)]?.push(activity);
	}
	return deliveries;
}

async function restartOrKill(isKill: boolean): Promise<void> {
	if (isKill) await host().server.kill();
	await restart(host());
}

testWhere(
	CAN.storeBeforeResponse,
	'an execution that crashes before it is stored cannot be retried',
)(
	`${EVENTS} events, each delivered two to four times around ${RESTARTS} restarts, reach the next node once`,
	async () => {
		const { service } = host();
		const workflow = await activate({ duplicateMemory: 'database' });
		const activities = Array.from({ length: EVENTS }, (_, n) => ({
			type: 'emailsReplied',
			_id: `act_memory_${n}`,
		}));
		let deliveries = 0;
		for (const [part, batch] of spread(activities, RESTARTS + 1).entries()) {
			if (part > 0) await restartOrKill(part % 2 === 0);
			const summary = await service.emitMany(batch, { order: 'shuffled', seed: part + 1 });
			expect(Object.keys(summary.outcomes)).toEqual(['200']);
			deliveries += summary.deliveries;
		}
		const retried = await retryCrashed(host(), workflow);
		const executions = await executionsOf(host(), workflow);
		const ended = executions.filter(
			(one) => one.status === 'success' && itemsOf(one, TRIGGER_NAME).length === 0,
		);
		process.stdout.write(
			`${deliveries} deliveries, ${executions.length} executions, of which ${ended.length} ended at the trigger; ${retried} crashed and were retried\n`,
		);
		// Not counting retries: one repeats a run that n8n was killed in after the next node, and the retry of a duplicate
		// passes if n8n was killed between its two writes.
		const once = executions.filter(({ mode }) => mode === 'webhook');
		const ids = idsAfterTrigger(once);
		expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
		// Nothing is lost, whenever n8n was killed.
		const reached = new Set(idsAfterTrigger(executions));
		expect([...reached].sort()).toEqual(activities.map(({ _id }) => _id).sort());
		// Without the database, these would have run again.
		expect(ended.length).toBeGreaterThan(EVENTS / 4);
		for (const one of ended) expect(itemsOf(one, NEXT_NODE)).toEqual([]);
		await deactivate(host(), workflow.id);
	},
);

test('Of a batch, only the events that are new since the restart reach the next node', async () => {
	const { service } = host();
	const batch = { values: { maxEvents: 4, maxSeconds: 5 } };
	const workflow = await activate({ duplicateMemory: 'database', output: 'grouped', batch });
	const send = async (...numbers: number[]) =>
		await service.emitMany(numbers.map((n) => ({ type: 'paused', _id: `act_batch_${n}` })));
	await send(1, 2, 3, 4);
	await restartOrKill(false);
	await send(3, 4, 5, 6);
	await restartOrKill(false);
	await send(1, 2, 5, 6);
	const passed = (await executionsOf(host(), workflow)).map((execution) => [
		execution.status,
		...itemsOf(execution, NEXT_NODE).map(
			({ event }) => z.object({ id: z.string() }).parse(event).id,
		),
	]);
	expect(passed.map((one) => one.sort())).toEqual([
		['act_batch_1', 'act_batch_2', 'act_batch_3', 'act_batch_4', 'success'],
		['act_batch_5', 'act_batch_6', 'success'],
		['success'],
	]);
	await deactivate(host(), workflow.id);
});

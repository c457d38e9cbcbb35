/**
 * Ignore Duplicates: In Database runs each event once, around restarts and kills of n8n. The world is a real n8n with
 * the package and a local service.
 */
import { z } from 'zod';

import type { N8nWorkflow } from '../../../tools/host';
import { deactivate, restart } from '../../../tools/host/publishing';
import {
	activateNewWorkflow,
	createServiceCredential,
	NEXT_NODE,
	TRIGGER_NAME,
	triggerWorkflow,
} from '../../../tools/host/workflows';
import type { Delivery } from '../../../tools/load/events';
import { judge, type Allowed } from '../../../tools/load/judge';
import { deliveredBy } from './deliveriesAndRuns';
import { send, type Attempt } from '../../../tools/load/send';
import { DEFAULT_SWITCHES } from '../../../tools/service';
import { TEST_TIMEOUT_MS, useOutreachHost } from '../outreachHost';
import { CAN, testWhere } from '../underTest';
import {
	executionsOf,
	MARK_AS_CRASHED,
	retryCrashed,
	runsAfterTrigger,
	withoutRetries,
} from './everyExecution';

/** The long form takes 2,000 events and ten restarts: `DUPLICATE_EVENTS=2000 DUPLICATE_RESTARTS=10`. */
const { DUPLICATE_EVENTS: EVENTS, DUPLICATE_RESTARTS: RESTARTS } = z
	.object({
		DUPLICATE_EVENTS: z.coerce.number().int().positive().default(60),
		DUPLICATE_RESTARTS: z.coerce.number().int().positive().default(2),
	})
	.parse(process.env);

const host = useOutreachHost(
	{
		env: {
			...MARK_AS_CRASHED,
			// Without this, n8n spends most of the time on its expression engine, which these deliveries do not need.
			N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true',
		},
	},
	TEST_TIMEOUT_MS + EVENTS * 300 + RESTARTS * 30_000,
);

beforeEach(() => {
	host().service.setSwitches({ ...DEFAULT_SWITCHES, deliveryTimeoutMs: 30_000 });
});

async function activate(options: Record<string, unknown>): Promise<N8nWorkflow> {
	const credential = await createServiceCredential(host());
	const draft = triggerWorkflow(credential, { events: ['*'], options });
	return await activateNewWorkflow(host(), draft, 1);
}

const CONCURRENCY = 32;

/** Two to four deliveries of each activity, each in some part of the run; some are in the same part. */
function spread(ids: readonly string[], parts: number): Delivery[][] {
	const deliveries: Delivery[][] = Array.from({ length: parts }, () => []);
	for (const [index, id] of ids.entries()) {
		const copies = 2 + (index % 3);
		for (let copy = 0; copy < copies; copy += 1) {
			deliveries[(index + copy * Math.floor(index / 3)) % parts]?.push({ id });
		}
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
		const workflow = await activate({ duplicateMemory: 'database' });
		const ids = Array.from({ length: EVENTS }, (_, n) => `act_memory_${n}`);
		const attempts: Attempt[] = [];
		for (const [part, deliveries] of spread(ids, RESTARTS + 1).entries()) {
			if (part > 0) await restartOrKill(part % 2 === 0);
			const deliver = deliveredBy(host());
			attempts.push(...(await send(deliveries, deliver, { concurrency: CONCURRENCY })));
		}
		expect(new Set(attempts.map(({ status }) => status))).toEqual(new Set([200]));
		const retried = await retryCrashed(host(), workflow);
		const executions = await executionsOf(host(), workflow);
		const ended = executions.filter(
			({ status, outputs }) => status === 'success' && outputs.get(TRIGGER_NAME)?.length === 0,
		);
		process.stdout.write(
			`${attempts.length} deliveries, ${executions.length} executions, of which ${ended.length} ended at the trigger; ${retried} crashed and were retried\n`,
		);
		const { repeated } = judge(attempts, runsAfterTrigger(withoutRetries(executions)));
		expect(repeated).toEqual([]);
		// Nothing is lost, whenever n8n was killed.
		const allowed: Allowed<Attempt> = { memories: () => [] };
		expect(judge(attempts, runsAfterTrigger(executions), allowed).problems).toEqual([]);
		// Without the database, these would have run again.
		expect(ended.length).toBeGreaterThan(EVENTS / 4);
		for (const { outputs } of ended) expect(outputs.get(NEXT_NODE) ?? []).toEqual([]);
		await deactivate(host(), workflow.id);
	},
);

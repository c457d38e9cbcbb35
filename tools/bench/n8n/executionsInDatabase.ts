import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { databaseFile } from '../../host';
import type { Sent } from '../load/job';
import type { BenchHost } from './benchHost';
import { LAST_NODE } from './workflows';

const run = promisify(execFile);

const outcomeSchema = z.object({
	/** Distinct activities that reached the workflow's last node in successful executions. */
	ran: z.number(),
	/** Their IDs. */
	ids: z.array(z.string()),
	/** The items of these executions: more than `ran` if an activity ran several times. */
	items: z.number(),
	/** `succeeded` and `failed` count executions. */
	succeeded: z.number(),
	failed: z.number(),
	/** Milliseconds since 1970; null if there were no executions. */
	lastStoppedAt: z.number().nullable(),
});

/** The outcome of a round's activities. */
export type Outcome = z.infer<typeof outcomeSchema>;

/** Room for the IDs of a long round. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** The number of accepted activities that did not run. */
export function lostOf({ activities, notAccepted }: Sent, { ids }: Outcome): number {
	const ran = new Set(ids);
	// An activity that runs although its sender got no 2xx must not make up for one that is lost.
	for (const id of notAccepted) ran.delete(id);
	return activities - notAccepted.length - ran.size;
}

/** @param prefix of the activity IDs of a round */
export async function readOutcome(
	{ server, installation }: BenchHost,
	workflowId: string,
	prefix: string,
): Promise<Outcome> {
	const database = databaseFile(server.userFolder);
	const { stdout } = await run(
		installation.node,
		[
			...['--disable-warning=ExperimentalWarning', join(__dirname, 'readExecutions.mjs')],
			...[database, workflowId, prefix, LAST_NODE],
		],
		{ maxBuffer: MAX_OUTPUT_BYTES },
	);
	return outcomeSchema.parse(JSON.parse(stdout));
}

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { databaseFile, waitFor } from '../../host';
import type { BenchHost } from './benchHost';
import { LAST_NODE } from './workflows';

const run = promisify(execFile);

const fateSchema = z.object({
	/** Different activities with which the workflow's last node ran, in executions that succeeded. */
	ran: z.number(),
	/** Executions. */
	succeeded: z.number(),
	failed: z.number(),
	/** Milliseconds since 1970; null when there were none. */
	lastStoppedAt: z.number().nullable(),
});

/** The outcome of the activities of one round. */
export type Fate = z.infer<typeof fateSchema>;

/** How long n8n may take over what it has accepted. */
const DRAIN_MS = 60_000;

/** Waits until nothing of a workflow is under way any more. */
export async function drained({ server }: BenchHost, workflowId: string): Promise<void> {
	const { executions } = server.client;
	let quiet = 0;
	await waitFor(
		'all executions to end',
		() => executions.list({ workflowId, status: ['new', 'running'] }),
		// Twice, because n8n answers the sender before the execution is in its list.
		(underWay) => (quiet = underWay.length === 0 ? quiet + 1 : 0) >= 2,
		{ timeoutMs: DRAIN_MS, everyMs: 250 },
	);
}

/** @param prefix of the IDs of a round's activities. */
export async function fateOf(
	{ server, installation }: BenchHost,
	workflowId: string,
	prefix: string,
): Promise<Fate> {
	const database = databaseFile(server.userFolder);
	const { stdout } = await run(installation.node, [
		...['--disable-warning=ExperimentalWarning', join(__dirname, 'readExecutions.mjs')],
		...[database, workflowId, prefix, LAST_NODE],
	]);
	return fateSchema.parse(JSON.parse(stdout));
}

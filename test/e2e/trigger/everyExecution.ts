import type { N8nWorkflow } from '../../../tools/host';
import { NEXT_NODE } from '../../../tools/host/workflows';
import type { Run } from '../../../tools/load/judge';
import { inSqlite, readExecutions, runsAt, type Execution } from '../../../tools/load/runs';
import { TEST_TIMEOUT_MS, type OutreachHost } from '../outreachHost';

/**
 * Has n8n mark each execution that it was killed in as crashed when it starts again. By default, it leaves some on
 * running that had hardly begun (`interruptedRuns.test.ts`), which never finish.
 */
export const MARK_AS_CRASHED = { N8N_EVENTBUS_RECOVERY_MODE: 'simple' };

const untilIdle = ({ server }: OutreachHost, { id }: N8nWorkflow): Promise<void> =>
	server.client.executions.untilIdle(id, { timeoutMs: TEST_TIMEOUT_MS });

/** All executions of a workflow once none is in progress, oldest first. */
export async function executionsOf(
	host: OutreachHost,
	workflow: N8nWorkflow,
): Promise<Execution[]> {
	await untilIdle(host, workflow);
	const executions: Execution[] = [];
	for await (const one of readExecutions(inSqlite(host), [workflow.id])) executions.push(one);
	return executions;
}

/** Retries the executions that ended with the process. @returns how many */
export async function retryCrashed(host: OutreachHost, workflow: N8nWorkflow): Promise<number> {
	await untilIdle(host, workflow);
	const { executions } = host.server.client;
	const crashed = await executions.list({ workflowId: workflow.id, status: ['crashed'] });
	for (const { id } of crashed) await executions.retry(id);
	return crashed.length;
}

/** The runs of the node after the trigger. */
export const runsAfterTrigger = (executions: readonly Execution[]): Run[] =>
	executions.flatMap((execution) => runsAt(NEXT_NODE, execution));

/**
 * Those that are no retry: a retry repeats a run that n8n was killed in after the next node, and the retry of a duplicate
 * passes if n8n was killed between its two writes.
 */
export const withoutRetries = (executions: readonly Execution[]): Execution[] =>
	executions.filter(({ mode }) => mode === 'webhook');

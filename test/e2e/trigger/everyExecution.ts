import { itemsOf, type N8nExecution, type N8nWorkflow } from '../../../tools/host';
import { TEST_TIMEOUT_MS, type OutreachHost } from '../outreachHost';

/** The node after the trigger, in workflows of `triggerWorkflow`. */
export const NEXT_NODE = 'No Operation';

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
): Promise<N8nExecution[]> {
	await untilIdle(host, workflow);
	return await host.server.client.executions.waitForFinished(workflow.id, 0);
}

/** Retries the executions that ended with the process. @returns how many */
export async function retryCrashed(host: OutreachHost, workflow: N8nWorkflow): Promise<number> {
	await untilIdle(host, workflow);
	const { executions } = host.server.client;
	const crashed = await executions.list({ workflowId: workflow.id, status: ['crashed'] });
	for (const { id } of crashed) await executions.retry(id);
	return crashed.length;
}

/** The IDs with which the node after the trigger ran, once for each time. */
export const idsAfterTrigger = (executions: readonly N8nExecution[]): string[] =>
	executions.flatMap((execution) => itemsOf(execution, NEXT_NODE).map(({ _id }) => String(_id)));

import { setTimeout as pause } from 'node:timers/promises';
import { errorOf, itemsOf, N8nRequestError } from '../host';
import { ACTION_NAME, actionWorkflow, START_NAME } from '../host/workflows';
import type { World } from './world';

export interface ActionRun {
	/** Whether the execution finished without an error. */
	isSuccess: boolean;
	isCancelled: boolean;
	error: string | undefined;
	/** The output of the action node. */
	items: Array<Record<string, unknown>>;
}

/** Longer than an action takes to give up on a request: two minutes. */
const LONGEST_ACTION_MS = 300_000;
/** A cancelled action has ended once it has sent no request for this many milliseconds. */
const QUIET_MS = 3_000;

/**
 * Runs a webhook operation once for each input item, as _Execute workflow_ in the editor does.
 *
 * @param cancelAfterMs when to stop the execution; omit to let it finish
 */
export async function runAction(
	world: World,
	operation: string,
	parameters: Record<string, unknown>,
	input: Array<Record<string, unknown>>,
	cancelAfterMs?: number,
): Promise<ActionRun> {
	const { client } = world.host.server;
	const { credential } = world;
	const workflow = await client.createWorkflow({
		...actionWorkflow(credential, { resource: 'webhook', operation, ...parameters }),
		pinData: { [START_NAME]: input.map((json) => ({ json })) },
	});
	world.helperWorkflows.push(workflow.id);
	const { executionId } = await client.runWorkflow(workflow.id, START_NAME);
	if (cancelAfterMs !== undefined && executionId !== undefined) {
		await pause(cancelAfterMs);
		await client.executions.stop(executionId).catch((error: unknown) => {
			// It has already finished.
			if (!(error instanceof N8nRequestError)) throw error;
		});
	}
	const [execution] = await client.executions.waitForFinished(workflow.id, 1, {
		timeoutMs: LONGEST_ACTION_MS,
	});
	if (execution === undefined) throw new Error('The action has no execution');
	const isCancelled = execution.status === 'canceled';
	if (isCancelled) await waitForSilence(world);
	return {
		isSuccess: execution.status === 'success',
		isCancelled,
		error: errorOf(execution),
		items: itemsOf(execution, ACTION_NAME),
	};
}

/** Waits until n8n sends no more requests: an operation may continue for a while after it is cancelled. */
async function waitForSilence(world: World): Promise<void> {
	const deadline = Date.now() + 30_000;
	while (Date.now() < deadline && performance.now() - (world.requests.at(-1)?.at ?? 0) < QUIET_MS) {
		await pause(200);
	}
}

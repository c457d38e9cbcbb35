import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { errorOf, itemsOf, N8nRequestError } from '../host';
import type { World } from './world';

export interface ActionRun {
	/** Whether the execution came to its end, and without an error. */
	isSuccess: boolean;
	isCancelled: boolean;
	error: string | undefined;
	/** What the action node put out. */
	items: Array<Record<string, unknown>>;
}

const START = 'Start';
const ACTION = 'Outreach Service';
/** An action gives a request up after two minutes. */
const LONGEST_ACTION_MS = 300_000;
/** How long the service must have heard nothing until a cancelled action has ended, in milliseconds. */
const QUIET_MS = 3_000;

/**
 * Runs an operation of the webhooks once for each input item, as the button in the editor does.
 *
 * @param cancelAfterMs when to stop the execution; never without it
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
	const node = (name: string, type: string, more: object) => ({
		id: randomUUID(),
		name,
		type,
		typeVersion: 1,
		position: [0, 0] as [number, number],
		parameters: {},
		...more,
	});
	const workflow = await client.createWorkflow({
		name: operation,
		nodes: [
			node(START, 'n8n-nodes-base.manualTrigger', {}),
			node(ACTION, 'n8n-nodes-outreach-service.outreachService', {
				parameters: { resource: 'webhook', operation, ...parameters },
				credentials: { outreachServiceApi: { id: credential.id, name: credential.name } },
			}),
		],
		connections: { [START]: { main: [[{ node: ACTION, type: 'main', index: 0 }]] } },
		pinData: { [START]: input.map((json) => ({ json })) },
	});
	world.helpers.push(workflow.id);
	const { executionId } = await client.runWorkflow(workflow.id, START);
	if (cancelAfterMs !== undefined && executionId !== undefined) {
		await pause(cancelAfterMs);
		await client.executions.stop(executionId).catch((error: unknown) => {
			// It has ended before.
			if (!(error instanceof N8nRequestError)) throw error;
		});
	}
	const [execution] = await client.executions.waitForFinished(workflow.id, 1, {
		timeoutMs: LONGEST_ACTION_MS,
	});
	if (execution === undefined) throw new Error('The action has left no execution');
	const isCancelled = execution.status === 'canceled';
	if (isCancelled) await quiet(world);
	return {
		isSuccess: execution.status === 'success',
		isCancelled,
		error: errorOf(execution),
		items: itemsOf(execution, ACTION),
	};
}

/** Waits until nothing is sent to the service any more: an operation may go on for a while after it was cancelled. */
async function quiet(world: World): Promise<void> {
	const deadline = Date.now() + 30_000;
	while (Date.now() < deadline && performance.now() - (world.requests.at(-1)?.at ?? 0) < QUIET_MS) {
		await pause(200);
	}
}

import type { IExecuteFunctions, INodeExecutionData, WorkflowExecuteMode } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { nodeKey } from '../../runtime/nodeKey';
import { MAX_VALUES, type RecordedValues, type Run } from '../../runtime/recordedActivities';
import type { Runtime } from '../../runtime/runtime';
import { settle } from '../../utils/settle';

/** Executions that deliveries start, and their retries. In all others, such as test runs, every item passes (D25). */
const RECORDED_MODES: readonly WorkflowExecuteMode[] = ['webhook', 'retry'];

const keysOf = (items: readonly INodeExecutionData[]): string[] =>
	items.flatMap(({ activityKey }) => (typeof activityKey === 'string' ? [activityKey] : []));

/**
 * Passes the items of the webhook on: n8n's `execute()`. With *Duplicate Memory: Database*, items of activities that an
 * earlier execution passed on are dropped (D34); without any item left, n8n ends the execution here, successfully.
 * @throws NodeOperationError when n8n's database cannot be used: the execution fails, and can be retried
 */
export async function passOn(
	ctx: IExecuteFunctions,
	runtime: Runtime,
): Promise<INodeExecutionData[][]> {
	const items = ctx.getInputData();
	const keys = keysOf(items);
	if (keys.length === 0) return [items];
	const own = RECORDED_MODES.includes(ctx.getMode()) ? await claim(ctx, runtime, keys) : keys;
	const passed = items.filter(isFirstOf(new Set(own)));
	return [passed.map(withoutKey)];
}

const withoutKey = (item: INodeExecutionData): INodeExecutionData => {
	const copy = { ...item };
	delete copy.activityKey;
	return copy;
};

/** Whether an item is the first of an activity that may pass, or has none. */
const isFirstOf =
	(own: Set<string>) =>
	({ activityKey }: INodeExecutionData): boolean =>
		typeof activityKey !== 'string' || own.delete(activityKey);

/** @returns the keys of the activities that this execution passes on */
async function claim(
	ctx: IExecuteFunctions,
	runtime: Runtime,
	keys: readonly string[],
): Promise<Iterable<string>> {
	const values = recordedValues(ctx);
	if (values === undefined) {
		warnOnce(ctx, runtime);
		return keys;
	}
	const run: Run = {
		node: nodeKey(ctx),
		executionId: ctx.getExecutionId(),
		values,
		// Only the main process knows active triggers, and it runs executions itself unless n8n is in queue mode.
		isOnlyProcess: runtime.activeNodes.get(ctx) !== undefined,
	};
	const { recordedActivities } = runtime;
	const result = await settle(
		// The user wants a retry to run; a copy that arrives later must not.
		ctx.getMode() === 'retry'
			? recordedActivities.record(run, keys)
			: recordedActivities.claim(run, keys),
	);
	if (result.ok) return result.value;
	throw new NodeOperationError(ctx.getNode(), 'The events could not be checked for duplicates', {
		description: `n8n's database could not be used: ${result.error.message}. Retry the execution when the database works: the events are in it, and then run without the check.`,
	});
}

/** n8n's deduplication helper, for this node; undefined in a version of n8n without it. */
function recordedValues({ helpers }: IExecuteFunctions): RecordedValues | undefined {
	if (!('checkProcessedAndRecord' in helpers)) return undefined;
	const options = { mode: 'entries', maxEntries: MAX_VALUES } as const;
	return {
		record: async (values) =>
			(await helpers.checkProcessedAndRecord(values, 'node', options)).new.map(String),
	};
}

function warnOnce(ctx: IExecuteFunctions, { helperWarnings }: Runtime): void {
	if (!helperWarnings.isFirst(nodeKey(ctx))) return;
	ctx.logger.warn(
		`"${ctx.getNode().name}" remembers activities only in the memory of each process, although 'Duplicate Memory' is set to the database: this version of n8n has no deduplication helper.`,
	);
}

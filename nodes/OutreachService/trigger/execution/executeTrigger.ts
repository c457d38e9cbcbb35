/** n8n's `execute()` of the trigger: drops duplicates that the database recognizes, and sends each event to its output. */
import type {
	IExecuteFunctions,
	INode,
	INodeExecutionData,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { ALL_EVENTS } from '../../domain/eventTypes';
import { eventsOfOutputs, outputOf } from '../../parameters/chosenEvents';
import { nodeKey } from '../../runtime/triggerNodes';
import type { Runtime } from '../../runtime/runtime';
import { settle } from '../../utils/settle';
import { readItem } from '../delivery/item';
import { MAX_VALUES, recordDeliveries, type RecordedValues } from './recordedActivities';

/**
 * n8n's context in an execution, without parameters: here, n8n would evaluate their expressions again, also in a worker (D64). What
 * `execute()` needs of the options comes with the item.
 */
type RunContext = Omit<IExecuteFunctions, 'getNodeParameter'>;

/** Executions that deliveries start, and their retries. In all others, such as test runs, every item passes (D25). */
const RECORDED_MODES: readonly WorkflowExecuteMode[] = ['webhook', 'retry'];

/**
 * Passes on the items of `webhook()`. With *Ignore Duplicates: In Database*, an item is dropped if another delivery of its
 * activity was passed on (D34); if no item is left, n8n ends the execution here, successfully. With an output for each
 * event, an item comes out at the output of its event (D75).
 * @returns the items of each output
 * @throws NodeOperationError when the node has no output for an event any more: the execution fails, and can be retried
 */
export async function executeTrigger(
	ctx: RunContext,
	runtime: Runtime,
): Promise<INodeExecutionData[][]> {
	const input = ctx.getInputData();
	if (ctx.getMode() === 'retry' && isWithoutEvent(input)) throw noEventError(ctx);
	const items = input.map(readItem);
	const names = items.flatMap(({ deliveryName }) => deliveryName ?? []);
	const isRecorded = names.length > 0 && RECORDED_MODES.includes(ctx.getMode());
	const passedOn = isRecorded ? await namesToPassOn(ctx, runtime, names) : new Set(names);
	const node = ctx.getNode();
	const events = eventsOfOutputs(node.parameters) ?? [ALL_EVENTS];
	const outputs = events.map((): INodeExecutionData[] => []);
	for (const { item, event, deliveryName } of items) {
		if (deliveryName !== undefined && !passedOn.has(deliveryName)) continue;
		outputs[outputFor(node, event, events)]?.push(item);
	}
	return outputs;
}

/** The index of an event's output. An item without an event comes out at the first: the node had one output at that time. */
function outputFor(node: INode, event: string | undefined, events: readonly string[]): number {
	const output = event === undefined ? 0 : outputOf(events, event);
	if (output !== undefined) return output;
	throw new NodeOperationError(
		node,
		`The event '${event}' is no longer selected, so it has no output`,
		{
			description:
				"Retry the execution with the original workflow, or add the event to 'Trigger On'.",
		},
	);
}

/** Whether there is only the empty item with which n8n retries an execution that never had an event. */
const isWithoutEvent = (items: readonly INodeExecutionData[]): boolean =>
	items.length === 1 && items.every(({ json }) => Object.keys(json).length === 0);

/** The error for the retry of an execution that failed in `webhook()` or reports a problem (D32): it has no event. */
const noEventError = (ctx: RunContext): NodeOperationError =>
	new NodeOperationError(ctx.getNode(), 'This execution has no event to retry', {
		description:
			'It reports a problem, or failed before the trigger had read an event. The service got an error response for such an event, and may deliver it again.',
	});

/** The names of the deliveries that this execution passes on: all, if n8n's database cannot be used, because no event may be lost. */
async function namesToPassOn(
	ctx: RunContext,
	runtime: Runtime,
	names: readonly string[],
): Promise<ReadonlySet<string>> {
	const recording = recordDeliveries(runtime.mutex, nodeKey(ctx), recordedValues(ctx), names);
	const result = await settle(recording);
	if (result.ok) return result.value;
	ctx.logger.warn(
		`Events of "${ctx.getNode().name}" run without a check for duplicates, because n8n's database could not be used: ${result.error.message}`,
	);
	return new Set(names);
}

/** n8n's deduplication helper, for this node. */
function recordedValues({ helpers }: RunContext): RecordedValues {
	const options = { mode: 'entries', maxEntries: MAX_VALUES } as const;
	return {
		record: async (values) =>
			(await helpers.checkProcessedAndRecord(values, 'node', options)).new.map(String),
		remove: async (values) => await helpers.removeProcessed(values, 'node', options),
	};
}

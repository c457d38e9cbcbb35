/** How the trigger reads its parameters, for a registration and for a delivery. */
import type { INode } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { conditionsSchema, isKeptInCondition } from '../parameters/onlyWhen';
import { ParameterReader } from '../parameters/reader';
import { selectionSchema, type Selection } from '../parameters/selection';
import { isExpression } from '../parameters/values';
import { isJsonObject } from '../utils/json';
import { triggerProperties } from './description/properties';

type ParameterContext = {
	getNode(): INode;
	getNodeParameter(name: string, fallback?: unknown): unknown;
};

/** A parameter as the workflow stores it; an expression is a text that begins with an equals sign. */
const storedAt = (ctx: ParameterContext, path: string): unknown =>
	path
		.split('.')
		.reduce<unknown>(
			(at, name) => (isJsonObject(at) ? at[name] : undefined),
			ctx.getNode().parameters,
		);

const readerOf = (ctx: ParameterContext): ParameterReader =>
	new ParameterReader({
		properties: triggerProperties,
		stored: (path) => storedAt(ctx, path),
		evaluate: (path) => ctx.getNodeParameter(path, null),
		isKeptAsStored: isKeptInCondition,
		problemWithExpression: (expression) =>
			/\$(json|input|item)\b/.test(expression)
				? 'Its expression cannot use the event. Enter a value, or use an If node after the trigger'
				: undefined,
		parameterError: (label, reason) =>
			// When an activation fails, n8n 2 shows the message alone and n8n 1 the description alone: the reason is in both.
			new NodeOperationError(ctx.getNode(), `The value of '${label}' cannot be used. ${reason}`, {
				description: `Correct '${label}' in the trigger: ${reason}${/[.?]$/.test(reason) ? '' : '.'} If it is an expression, check what the expression returns.`,
			}),
	});

/**
 * Reads the trigger's parameters, with what their expressions return.
 * @throws NodeOperationError that names the parameter when a value cannot be used or could never work, or an expression
 *   returns nothing
 */
export function readSelection(ctx: ParameterContext): Selection {
	const reader = readerOf(ctx);
	const events = reader.valueAt('events');
	const options = reader.valueAt('options');
	const parameters = isJsonObject(options) ? { ...options, events } : { events };
	const selection = reader.parse('options', selectionSchema, parameters);
	if (selection.outputs === 'perEvent') refuseEventsFromExpressions(ctx, reader);
	return selection;
}

/**
 * Refuses an expression among the events. The canvas knows only the stored events, and shows an output for each: the event
 * that an expression returns would come out where nothing is connected.
 * @throws NodeOperationError that names the parameter
 */
function refuseEventsFromExpressions(ctx: ParameterContext, reader: ParameterReader): void {
	const paths = { events: 'events', customEventTypes: 'options.customEventTypes' };
	for (const [name, path] of Object.entries(paths)) {
		if (![storedAt(ctx, path)].flat().some(isExpression)) continue;
		throw reader.parameterError(
			name,
			"With an output for each event, n8n must know the events while you build the workflow. Enter a fixed value instead of the expression, or remove the option 'Separate Outputs'",
		);
	}
}

/**
 * The selection that a delivery must meet: the one with which the webhooks were registered. Only the expressions on the right
 * side of conditions, such as `{{ $now }}`, are evaluated for each delivery.
 * @param registered the selection of the active node; undefined in a test run, in a process that does not know the node as
 *   active, such as a webhook process, and if the parameters could not be used when the node became active
 * @throws NodeOperationError as {@link readSelection}
 */
export function selectionForDelivery(
	ctx: ParameterContext,
	registered: Selection | undefined,
): Selection {
	if (registered === undefined) return readSelection(ctx);
	const onlyWhen = readerOf(ctx).read('options.onlyWhen', conditionsSchema.optional());
	return { ...registered, onlyWhen };
}

/** How the trigger reads its parameters, for a registration and for a delivery. */
import type { INode } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { conditionsSchema, isKeptInCondition } from '../parameters/onlyWhen';
import { ParameterReader } from '../parameters/reader';
import { selectionSchema, type Selection } from '../parameters/selection';
import { isExpression } from '../parameters/values';
import { isJsonObject } from '../utils/json';
import { options as optionProperties } from './description/options';
import { triggerProperties } from './description/properties';

const OPTION_NAMES: ReadonlySet<string> = new Set(optionProperties.map(({ name }) => name));

type ParameterContext = {
	getNode(): INode;
	getNodeParameter(name: string, fallback?: unknown): unknown;
};

/** The parameters as the workflow stores them, by their paths: an expression is a text that begins with an equals sign. */
type StoredParameters = Readonly<Record<string, unknown>>;

/** The stored parameters. Options that this version does not have, such as withdrawn ones, are ignored. */
function storedParameters(ctx: ParameterContext): StoredParameters {
	const { events, options } = ctx.getNode().parameters;
	if (!isJsonObject(options)) return { events, options };
	const known = Object.entries(options).filter(([name]) => OPTION_NAMES.has(name));
	const byPath = known.map(([name, value]) => [`options.${name}`, value] as const);
	return { events, options: Object.fromEntries(known), ...Object.fromEntries(byPath) };
}

const readerOf = (ctx: ParameterContext, stored: StoredParameters): ParameterReader =>
	new ParameterReader({
		properties: triggerProperties,
		stored: (path) => stored[path],
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
	const stored = storedParameters(ctx);
	const reader = readerOf(ctx, stored);
	const events = reader.valueAt('events');
	const options = reader.valueAt('options');
	const parameters = isJsonObject(options) ? { ...options, events } : { events };
	const selection = reader.parse('options', selectionSchema, parameters);
	if (selection.outputs === 'perEvent') refuseEventsFromExpressions(stored, reader);
	return selection;
}

/**
 * Refuses an expression among the events. The canvas knows only the stored events, and shows an output for each: the event
 * that an expression returns would come out where nothing is connected.
 * @throws NodeOperationError that names the parameter
 */
function refuseEventsFromExpressions(stored: StoredParameters, reader: ParameterReader): void {
	const paths = { events: 'events', customEventTypes: 'options.customEventTypes' };
	for (const [name, path] of Object.entries(paths)) {
		if (![stored[path]].flat().some(isExpression)) continue;
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
	const stored = storedParameters(ctx);
	const conditions = stored['options.onlyWhen'];
	if (!isJsonObject(conditions) || !hasExpression(conditions)) return registered;
	const reader = readerOf(ctx, stored);
	return { ...registered, onlyWhen: reader.read('options.onlyWhen', conditionsSchema) };
}

/** Whether something is to be evaluated: in what a workflow stores, an expression is a text that begins with an equals sign. */
const hasExpression = (stored: object): boolean => JSON.stringify(stored).includes('"=');

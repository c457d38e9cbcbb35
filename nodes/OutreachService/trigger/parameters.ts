import type { INode } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import type { z } from 'zod';

import { conditionsSchema } from '../model/conditions';
import { labelsOf } from '../model/labels';
import { selectionSchema, type Selection } from '../model/selection';
import { isExpression, isNothing } from '../model/written';
import { isRecord } from '../utils/json';
import { options as optionProperties } from './description/options';
import { triggerProperties } from './description/properties';

const LABELS = labelsOf(triggerProperties);
const OPTION_NAMES: ReadonlySet<string> = new Set(optionProperties.map(({ name }) => name));

type ParameterReader = {
	getNode(): INode;
	getNodeParameter(name: string, fallback?: unknown): unknown;
};

/**
 * The error for a parameter that cannot be used. Of a failed activation, n8n 2 shows the message alone and n8n 1 the
 * description alone: the reason is in both.
 * @param reason sentences, without a full stop at the end
 */
function refusal(ctx: ParameterReader, name: string, reason: string): NodeOperationError {
	const label = LABELS.get(name) ?? name;
	const description = `Correct '${label}' in the trigger: ${reason}${/[.?]$/.test(reason) ? '' : '.'} If it is an expression, check what the expression returns.`;
	return new NodeOperationError(
		ctx.getNode(),
		`The value of '${label}' cannot be used. ${reason}`,
		{ description },
	);
}

/**
 * A parameter, with what its expressions return in their place. One that returns nothing is refused: left out, it would
 * select more than what was meant, such as the events of all campaigns (D66).
 * @param stored as the workflow has it
 * @param path where n8n finds it
 * @param name of the innermost parameter that the editor shows around it
 */
function evaluated(ctx: ParameterReader, stored: unknown, path: string, name: string): unknown {
	if (isExpression(stored)) {
		if (/\$(json|input|item)\b/.test(stored)) {
			throw refusal(
				ctx,
				name,
				'Its expression cannot use the event. Enter a value, or use an If node after the trigger',
			);
		}
		const value = ctx.getNodeParameter(path, null);
		if (isNothing(value)) throw refusal(ctx, name, 'Its expression returns nothing');
		return value;
	}
	if (Array.isArray(stored)) {
		return stored.map((one, index) => evaluated(ctx, one, `${path}[${index}]`, name));
	}
	if (!isRecord(stored)) return stored;
	// An operator such as 'exists' has no right side.
	if (isRecord(stored.operator) && stored.operator.singleValue === true) return stored;
	return Object.fromEntries(
		Object.entries(stored)
			.filter(([, inner]) => inner !== null)
			.map(([key, inner]) => [
				key,
				// The left side of a condition is the name of a field: before an execution there is no item.
				key === 'leftValue'
					? inner
					: evaluated(ctx, inner, `${path}.${key}`, LABELS.has(key) ? key : name),
			]),
	);
}

/** @throws NodeOperationError that names the innermost parameter that the editor shows: 'Max Events' rather than 'Batch' */
function checked<T>(
	ctx: ParameterReader,
	schema: z.ZodType<T, z.ZodTypeDef, unknown>,
	name: string,
	value: unknown,
): T {
	const { data, error } = schema.safeParse(value);
	if (error === undefined) return data;
	const [issue] = error.issues;
	const label = issue?.path.findLast((part) => typeof part === 'string' && LABELS.has(part));
	throw refusal(ctx, String(label ?? name), issue?.message ?? 'It has the wrong type');
}

/**
 * Reads the trigger's parameters.
 * @throws NodeOperationError that names the parameter when a value cannot be used or could never work, or an expression
 *   returns nothing
 */
export function readSelection(ctx: ParameterReader): Selection {
	const stored = ctx.getNode().parameters;
	const events = evaluated(ctx, stored.events, 'events', 'events');
	const options = evaluated(ctx, knownOptions(stored.options), 'options', 'options');
	const given = { ...(isRecord(options) ? options : {}), events };
	const selection = checked(ctx, selectionSchema, 'options', given);
	if (selection.outputs === 'perEvent') checkOutputs(ctx, stored.events, stored.options);
	return selection;
}

/** The options without those that this version does not have, such as withdrawn ones: their values are ignored. */
function knownOptions(stored: unknown): unknown {
	if (!isRecord(stored) || Array.isArray(stored)) return stored;
	return Object.fromEntries(Object.entries(stored).filter(([name]) => OPTION_NAMES.has(name)));
}

/** The canvas shows the outputs of what is written: an event from an expression would come out where nothing is connected. */
function checkOutputs(ctx: ParameterReader, events: unknown, options: unknown): void {
	const { customEventTypes } = isRecord(options) ? options : {};
	for (const [name, written] of Object.entries({ events, customEventTypes })) {
		if (![written].flat().some(isExpression)) continue;
		throw refusal(
			ctx,
			name,
			"With an output for each event, n8n must know the events while you build the workflow. Enter a fixed value instead of the expression, or remove the option 'Separate Outputs'",
		);
	}
}

/**
 * What a delivery is judged by: what the webhooks were registered with. Only the values that conditions compare with are
 * evaluated for each delivery, such as `{{ $now }}`.
 * @param registered undefined in a process that does not know it, such as a webhook process, and in a test run
 * @throws NodeOperationError as {@link readSelection}
 */
export function selectionForDelivery(
	ctx: ParameterReader,
	registered: Selection | undefined,
): Selection {
	if (registered === undefined) return readSelection(ctx);
	const options: unknown = ctx.getNode().parameters.options;
	const stored = isRecord(options) ? options.onlyWhen : undefined;
	// Without a text that begins with an equals sign, there is no expression.
	if (!isRecord(stored) || !JSON.stringify(stored).includes('"=')) return registered;
	const onlyWhen = evaluated(ctx, stored, 'options.onlyWhen', 'onlyWhen');
	return { ...registered, onlyWhen: checked(ctx, conditionsSchema, 'onlyWhen', onlyWhen) };
}

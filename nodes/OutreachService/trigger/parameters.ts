import type { INode } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import type { z } from 'zod';

import { conditionsSchema } from '../model/conditions';
import { labelsOf } from '../model/labels';
import { selectionSchema, type Selection } from '../model/selection';
import { isExpression, isNothing } from '../model/written';
import { isRecord } from '../utils/json';
import { triggerProperties } from './description/properties';

const LABELS = labelsOf(triggerProperties);

type ParameterReader = {
	getNode(): INode;
	getNodeParameter(name: string, fallback?: unknown): unknown;
};

/** @param message for the user, instead of one that says only which parameter it is */
const refusal = (
	ctx: ParameterReader,
	name: string,
	description: string,
	message?: string,
): NodeOperationError =>
	message === undefined
		? new NodeOperationError(
				ctx.getNode(),
				`The value of '${LABELS.get(name) ?? name}' cannot be used`,
				{ description },
			)
		: new NodeOperationError(ctx.getNode(), message, { description });

/** A field of the activity, which is never evaluated: before an execution there is no item. */
const FIELD_NAME = 'leftValue';

/** Whether anything in a parameter is an expression, so that its value may differ from one delivery to the next. */
function hasExpression(parameters: unknown): boolean {
	if (!isRecord(parameters)) return isExpression(parameters);
	return Object.entries(parameters).some(
		([name, value]) => name !== FIELD_NAME && hasExpression(value),
	);
}

/** The conditions as they are stored, and what their right sides are evaluated to. */
function readConditions(ctx: ParameterReader, stored: Record<string, unknown>): unknown {
	const { conditions } = stored;
	if (!Array.isArray(conditions)) return stored;
	const evaluated = conditions.map((condition: unknown, index) => {
		if (!isRecord(condition) || !isExpression(condition.rightValue)) return condition;
		if (/\$(json|input|item)\b/.test(condition.rightValue)) {
			throw refusal(
				ctx,
				'onlyWhen',
				'The right side of a condition cannot use the event, which it is compared with. Enter a value, or use an If node after the trigger.',
			);
		}
		const path = `options.onlyWhen.conditions[${index}].rightValue`;
		return { ...condition, rightValue: ctx.getNodeParameter(path, '') };
	});
	return { ...stored, conditions: evaluated };
}

function readOptions(ctx: ParameterReader, stored: unknown): unknown {
	if (!isRecord(stored)) return ctx.getNodeParameter('options', {});
	return Object.fromEntries(
		Object.entries(stored).map(([name, value]) => [
			name,
			name === 'onlyWhen' && isRecord(value)
				? readConditions(ctx, value)
				: ctx.getNodeParameter(`options.${name}`, null),
		]),
	);
}

/**
 * The parameter whose expression returns nothing, if one does. Left out, it would select more than what was meant: the
 * events of all campaigns, or no condition (D66).
 * @param stored as the workflow has it, with its expressions
 * @param name of the parameter, as the editor knows it
 */
function blankExpression(stored: unknown, value: unknown, name: string): string | undefined {
	if (isExpression(stored)) return isNothing(value) ? name : undefined;
	if (!isRecord(stored)) return undefined;
	// An operator such as 'exists' has no right side.
	if (isRecord(stored.operator) && stored.operator.singleValue === true) return undefined;
	for (const [key, inner] of Object.entries(stored)) {
		if (key === FIELD_NAME) continue;
		const found = blankExpression(
			inner,
			isRecord(value) ? value[key] : undefined,
			LABELS.has(key) ? key : name,
		);
		if (found !== undefined) return found;
	}
	return undefined;
}

/** @throws NodeOperationError that names the parameter */
function checked<T>(
	ctx: ParameterReader,
	schema: z.ZodType<T, z.ZodTypeDef, unknown>,
	name: string,
	stored: unknown,
	value: unknown,
): T {
	const blank = blankExpression(stored, value, name);
	if (blank !== undefined) {
		throw refusal(
			ctx,
			blank,
			'Its expression returns nothing. Correct the expression, or remove it: only what is left out is no filter.',
		);
	}
	const parsed = schema.safeParse(value);
	if (parsed.success) return parsed.data;
	const [issue] = parsed.error.issues;
	const reason = issue?.message ?? 'It has the wrong type';
	// The innermost that the editor shows: 'Max Events' rather than 'Batch'.
	const label = issue?.path.findLast((part) => typeof part === 'string' && LABELS.has(part));
	const message: unknown = issue?.code === 'custom' ? issue.params?.message : undefined;
	throw refusal(
		ctx,
		String(label ?? name),
		reason.endsWith('.')
			? reason
			: `${reason}. If it comes from an expression, check what the expression returns.`,
		typeof message === 'string' ? message : undefined,
	);
}

/**
 * Reads the trigger's parameters.
 * @throws NodeOperationError that names the parameter when a value cannot be used or could never work, or an expression
 *   returns nothing
 */
export function readSelection(ctx: ParameterReader): Selection {
	const { events, options = {} } = ctx.getNode().parameters;
	const evaluated = readOptions(ctx, options);
	const selection = checked(
		ctx,
		selectionSchema,
		'options',
		{ ...(isRecord(options) ? options : {}), events },
		{ ...(isRecord(evaluated) ? evaluated : {}), events: ctx.getNodeParameter('events', []) },
	);
	if (selection.outputs === 'perEvent') checkOutputs(ctx, events, options);
	return selection;
}

/** The canvas shows the outputs of what is written: an event from an expression would come out where nothing is connected. */
function checkOutputs(ctx: ParameterReader, events: unknown, options: unknown): void {
	const { customEventTypes } = isRecord(options) ? options : {};
	const [name] =
		Object.entries({ events, customEventTypes }).find(([, written]) => hasExpression(written)) ??
		[];
	if (name === undefined) return;
	throw refusal(
		ctx,
		name,
		"With an output for each event, n8n must know the events while you build the workflow. Enter a fixed value instead of the expression, or set 'Outputs' to 'Single'.",
	);
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
	if (!isRecord(stored) || !hasExpression(stored)) return registered;
	const evaluated = readConditions(ctx, stored);
	return { ...registered, onlyWhen: checked(ctx, conditionsSchema, 'onlyWhen', stored, evaluated) };
}

import type { INode } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { z } from 'zod';

import { ALL_EVENTS, LEAD_STATES } from '../model/eventTypes';
import { labelsOf } from '../model/labels';
import { selectionSchema, type Selection } from '../model/selection';
import { triggerProperties } from './description/properties';

const LABELS = labelsOf(triggerProperties);

type ParameterReader = {
	getNode(): INode;
	getNodeParameter(name: string, fallback?: unknown): unknown;
};

/** The error for a parameter that cannot be used. @param description what is wrong with it, and what to do */
export const parameterError = (
	node: INode,
	name: string,
	description: string,
): NodeOperationError =>
	new NodeOperationError(node, `The value of '${LABELS.get(name) ?? name}' cannot be used`, {
		description,
	});

const storedSchema = z.object({
	options: z
		.object({
			onlyWhen: z.object({ conditions: z.array(z.record(z.string(), z.unknown())) }).passthrough(),
		})
		.passthrough(),
});

/** The conditions as they are stored, without any expression evaluated. */
export const storedConditions = ({ parameters }: INode): Array<Record<string, unknown>> =>
	storedSchema.safeParse(parameters).data?.options.onlyWhen.conditions ?? [];

const isExpression = (value: unknown): boolean =>
	typeof value === 'string' && value.startsWith('=');

/**
 * The options with their expressions evaluated, except those that name a field in a condition: n8n would evaluate them
 * for each delivery, without an item.
 */
function readOptions(ctx: ParameterReader): unknown {
	const stored = storedSchema.safeParse(ctx.getNode().parameters).data?.options;
	const conditions = stored?.onlyWhen.conditions ?? [];
	if (!conditions.some(({ leftValue }) => isExpression(leftValue))) {
		return ctx.getNodeParameter('options', {});
	}
	const names = Object.keys(stored ?? {}).filter((name) => name !== 'onlyWhen');
	const others = names.map((name) => [name, ctx.getNodeParameter(`options.${name}`)]);
	const evaluated = conditions.map((condition, index) => ({
		...condition,
		rightValue: ctx.getNodeParameter(`options.onlyWhen.conditions[${index}].rightValue`, ''),
	}));
	const onlyWhen = { ...stored?.onlyWhen, conditions: evaluated };
	return { ...Object.fromEntries(others), onlyWhen };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null;

/** What a list separated by commas may also be made of. */
const isNothing = (value: unknown): boolean =>
	value === undefined ||
	value === null ||
	(typeof value === 'string' && /^[\s,]*$/.test(value)) ||
	(Array.isArray(value) && value.every(isNothing));

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
		// A field of the activity, which is never evaluated.
		if (key === 'leftValue') continue;
		const found = blankExpression(
			inner,
			isRecord(value) ? value[key] : undefined,
			LABELS.has(key) ? key : name,
		);
		if (found !== undefined) return found;
	}
	return undefined;
}

/**
 * Reads the trigger's parameters.
 * @throws NodeOperationError that names the parameter when a value cannot be used, or an expression returns nothing
 */
export function readSelection(ctx: ParameterReader): Selection {
	const options = readOptions(ctx);
	const events = ctx.getNodeParameter('events', []);
	const { parameters } = ctx.getNode();
	const blank =
		blankExpression(parameters.events, events, 'events') ??
		blankExpression(parameters.options, options, 'options');
	if (blank !== undefined) {
		throw parameterError(
			ctx.getNode(),
			blank,
			'Its expression returns nothing. Correct the expression, or remove it: only what is left out is no filter.',
		);
	}
	const parsed = selectionSchema.safeParse({
		...(typeof options === 'object' ? options : {}),
		events,
	});
	if (parsed.success) return parsed.data;
	const [issue] = parsed.error.issues;
	const reason = issue?.message ?? 'It has the wrong type';
	// The innermost that the editor shows: 'Max Events' rather than 'Batch'.
	const name = issue?.path.findLast((part) => typeof part === 'string' && LABELS.has(part));
	throw parameterError(
		ctx.getNode(),
		String(name ?? issue?.path[0] ?? 'options'),
		`${reason}. If it comes from an expression, check what the expression returns.`,
	);
}

/**
 * The events for which a webhook is registered. In `singleHook` mode one webhook delivers everything, but a lead state
 * keeps its own: nothing in an activity tells that it belongs to one (§6.1, D8).
 */
export function subscribedEvents({ events, subscription }: Selection): string[] {
	if (subscription === 'hookPerEvent') return events;
	const states = events.filter((type) => LEAD_STATES.has(type));
	return states.length === events.length ? events : [ALL_EVENTS, ...states];
}

import type { INode } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { z } from 'zod';

import { ALL_EVENTS, LEAD_STATES } from '../model/eventTypes';
import { fieldOf } from '../model/conditions';
import { labelsOf } from '../model/labels';
import { selectionSchema, type Selection } from '../model/selection';
import { misspelled } from '../utils/nearest';
import { activityFieldsSchema, grouped } from './delivery/output';
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

/** The fields that the API spec documents (§2.3). An activity may have others. */
const FIELDS = Object.keys(activityFieldsSchema.shape);

/** Where the grouped output has a field, and the field. */
const GROUPED_PATHS: ReadonlyMap<string, string> = new Map([
	['id', '_id'],
	['sequence.step', 'sequenceStep'],
	...Object.entries(
		grouped(Object.fromEntries(FIELDS.map((field) => [field, field])), undefined),
	).flatMap(([group, values]) =>
		Object.entries(values ?? {}).flatMap(
			([name, field]): Array<[string, string]> =>
				group !== 'activity' && typeof field === 'string' && FIELDS.includes(field)
					? [[`${group}.${name}`, field]]
					: [],
		),
	),
]);

/** Shorter names are too near to each other for a guess. */
const SHORTEST_GUESS = 5;

/** The field that somebody meant who named one that no activity has; undefined for one that it may have. */
function meantField(field: string): string | undefined {
	if (FIELDS.includes(field.split('.')[0] ?? '')) return undefined;
	if (field.startsWith('activity.')) return field.slice('activity.'.length);
	const isLong = field.length >= SHORTEST_GUESS;
	return GROUPED_PATHS.get(field) ?? (isLong ? misspelled(field, FIELDS) : undefined);
}

/**
 * Refuses conditions that could never be evaluated or met: before an execution there is no item that an expression could
 * read, and a condition reads the activity as the service delivers it, whatever the output.
 * @throws NodeOperationError
 */
function checkConditions(node: INode): void {
	for (const { leftValue, rightValue } of storedConditions(node)) {
		if (typeof rightValue === 'string' && /^=.*\$(json|input|item)\b/s.test(rightValue)) {
			throw parameterError(
				node,
				'onlyWhen',
				'The right side of a condition cannot use the event, which it is compared with. Enter a value, or use an If node after the trigger.',
			);
		}
		if (typeof leftValue !== 'string') continue;
		const field = fieldOf(leftValue);
		if (field === undefined) {
			throw parameterError(
				node,
				'onlyWhen',
				'The left side of a condition must be a field, such as sequenceStep or {{ $json.sequenceStep }}. Other expressions cannot be evaluated before the workflow starts.',
			);
		}
		const meant = meantField(field);
		if (meant === undefined) continue;
		throw parameterError(
			node,
			'onlyWhen',
			`No event has the field on the left side of a condition. Did you mean '${meant}'? Conditions read the activity as the service delivers it.`,
		);
	}
}

/**
 * The options with their expressions evaluated, except those that name a field in a condition: n8n would evaluate them
 * for each delivery, without an item.
 */
function readOptions(ctx: ParameterReader): unknown {
	checkConditions(ctx.getNode());
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

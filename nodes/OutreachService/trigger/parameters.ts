import type { INode } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { z } from 'zod';

import { campaignIdsSchema } from '../model/campaignId';
import { ALL_EVENTS, LEAD_STATES } from '../model/eventTypes';
import { labelsOf } from '../model/labels';
import { conditionsSchema } from './conditionsSchema';
import {
	DEFAULT_BATCH,
	MAX_BATCH_EVENTS,
	MAX_BATCH_SECONDS,
	MIN_BATCH_SECONDS,
} from './description/batch';
import { triggerProperties } from './description/properties';

const listed = (types: string): string[] => types.split(',');

/** An option that is not set, or set to nothing by an expression, has its default. */
const option = <S extends z.ZodTypeAny>(schema: S, whenUnset: z.output<S>) =>
	schema.nullish().transform((value: z.output<S> | null | undefined) => value ?? whenUnset);

const batchSchema = z.object({
	maxEvents: option(
		z.number().int('It must be a whole number').min(1).max(MAX_BATCH_EVENTS),
		DEFAULT_BATCH.maxEvents,
	),
	maxSeconds: option(
		z.number().min(MIN_BATCH_SECONDS).max(MAX_BATCH_SECONDS),
		DEFAULT_BATCH.maxSeconds,
	),
});

/** The parameters of the trigger; an expression may have made them anything. */
const selectionSchema = z
	.object({
		events: z.union([z.array(z.string()), z.string().transform(listed)]).nullish(),
		customEventTypes: option(z.string(), ''),
		campaignId: option(campaignIdsSchema, []),
		isFirst: option(z.boolean(), false),
		subscription: option(z.enum(['hookPerEvent', 'singleHook']), 'hookPerEvent'),
		verifySecret: option(z.boolean(), true),
		ignoreDuplicates: option(z.boolean(), true),
		duplicateMemory: option(z.enum(['process', 'database']), 'process'),
		thirdPartyReplies: option(z.enum(['include', 'exclude', 'only']), 'include'),
		repairMinutes: option(z.number().min(0).max(10_080), 15),
		reportProblems: option(z.boolean(), true),
		output: option(z.enum(['activity', 'grouped']), 'activity'),
		highlightData: option(z.boolean(), false),
		testWith: option(z.enum(['realEvent', 'sampleEvent']), 'realEvent'),
		onlyWhen: conditionsSchema.nullish().transform((conditions) => conditions ?? undefined),
		// A batch that is added and left as it is has the defaults; n8n may store it as an empty object.
		batch: z
			.object({ values: option(batchSchema, DEFAULT_BATCH) })
			.nullish()
			.transform((batch) => batch?.values),
	})
	.transform(({ events, customEventTypes, campaignId: campaignIds, ...options }) => ({
		...options,
		campaignIds,
		events: distinct([...(events ?? []), ...listed(customEventTypes)]),
	}));

/**
 * What the user selected. `events` holds each chosen event type once, and only `*` when all events are selected;
 * `campaignIds` is empty when no campaign is.
 */
export type Selection = z.output<typeof selectionSchema>;

function distinct(given: readonly string[]): string[] {
	const types = given.map((type) => type.trim()).filter((type) => type !== '');
	return types.includes(ALL_EVENTS) ? [ALL_EVENTS] : [...new Set(types)];
}

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

/**
 * Reads the trigger's parameters.
 * @throws NodeOperationError that names the parameter when a value cannot be used
 */
export function readSelection(ctx: ParameterReader): Selection {
	const options = readOptions(ctx);
	const parsed = selectionSchema.safeParse({
		...(typeof options === 'object' ? options : {}),
		events: ctx.getNodeParameter('events', []),
	});
	if (parsed.success) return parsed.data;
	const [issue] = parsed.error.issues;
	const reason = issue?.message ?? 'It has the wrong type';
	throw parameterError(
		ctx.getNode(),
		String(issue?.path[0] ?? 'options'),
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

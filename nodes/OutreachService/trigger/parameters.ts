import type { INode } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { z } from 'zod';

import { campaignIdsSchema } from '../model/campaignId';
import { ALL_EVENTS, LEAD_STATES, replacementOf } from '../model/eventTypes';
import { labelsOf } from '../model/labels';
import { conditionsSchema } from './conditionsSchema';
import { MAX_BATCH_EVENTS, MAX_BATCH_SECONDS, MIN_BATCH_SECONDS } from './description/batch';
import { triggerProperties } from './description/properties';

const listed = (types: string): string[] => types.split(',');

/** An option that is not set, or set to nothing by an expression, has its default. */
const option = <S extends z.ZodTypeAny>(schema: S, whenUnset: z.output<S>) =>
	schema.nullish().transform((value: z.output<S> | null | undefined) => value ?? whenUnset);

/** A batch that is added and left as it is has the defaults of the editor. */
const batchSchema = z.object({
	values: z
		.object({
			maxEvents: option(
				z.number().int('It must be a whole number').min(1).max(MAX_BATCH_EVENTS),
				100,
			),
			maxSeconds: option(z.number().min(MIN_BATCH_SECONDS).max(MAX_BATCH_SECONDS), 2),
		})
		.optional(),
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
		thirdPartyReplies: option(z.enum(['include', 'exclude', 'only']), 'include'),
		repairMinutes: option(z.number().min(0).max(10_080), 15),
		output: option(z.enum(['activity', 'grouped']), 'activity'),
		onlyWhen: conditionsSchema.nullish().transform((conditions) => conditions ?? undefined),
		batch: batchSchema.nullish().transform((batch) => batch?.values),
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

const parameterError = (node: INode, name: string, description: string): NodeOperationError =>
	new NodeOperationError(node, `The value of '${LABELS.get(name) ?? name}' cannot be used`, {
		description,
	});

/**
 * Reads the trigger's parameters.
 * @throws NodeOperationError that names the parameter when a value cannot be used
 */
export function readSelection(ctx: ParameterReader): Selection {
	const options = ctx.getNodeParameter('options', {});
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
 * Refuses a selection that could never work, before anything is sent (§6.2, D12).
 * @throws NodeOperationError
 */
export function checkSelection(node: INode, { events }: Selection): void {
	if (events.length === 0) {
		throw new NodeOperationError(node, 'No event is selected', {
			description:
				"Choose at least one event in 'Trigger On', or 'All Events', or name a type in the option 'Custom Event Types'.",
		});
	}
	checkConditionFields(node);
	for (const type of events) {
		if (/\p{Surrogate}/u.test(type)) {
			throw parameterError(
				node,
				'customEventTypes',
				'It contains half a character, as in a text that was cut in the middle of an emoji. Enter the type again.',
			);
		}
		const replacement = replacementOf(type);
		if (replacement !== undefined) {
			throw new NodeOperationError(
				node,
				// n8n shows the message alone when an activation fails, so the replacement must be in it.
				`The service no longer has the event type '${type}'. ${replacement}`,
				{
					description:
						"It comes from an expression in 'Trigger On' or from the option 'Custom Event Types': change it there.",
				},
			);
		}
	}
}

const expressionSchema = z.object({
	options: z.object({
		onlyWhen: z.object({
			conditions: z.array(z.object({ leftValue: z.unknown() })),
		}),
	}),
});

/**
 * Refuses an expression where the name of a field belongs: before an execution there is no item that it could read.
 * @throws NodeOperationError
 */
function checkConditionFields(node: INode): void {
	const conditions = expressionSchema.safeParse(node.parameters).data?.options.onlyWhen.conditions;
	for (const { leftValue } of conditions ?? []) {
		if (typeof leftValue !== 'string' || !leftValue.startsWith('=')) continue;
		const field = /\$json(?:\.([\w.]+)|\[["']([^"']+)["']\])/.exec(leftValue);
		const name = field?.[1] ?? field?.[2] ?? 'campaignName';
		throw parameterError(
			node,
			'onlyWhen',
			`A condition has an expression on its left side. Enter the name of a field there, such as ${name}.`,
		);
	}
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

import type { INode } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { z } from 'zod';

import { campaignIdSchema } from '../model/campaignId';
import { ALL_EVENTS, LEAD_STATES, replacementOf } from '../model/eventTypes';
import { labelsOf } from '../model/labels';
import { triggerProperties } from './description/properties';

const listed = (types: string): string[] => types.split(',');

/** An option that is not set, or set to nothing by an expression, has its default. */
const option = <S extends z.ZodTypeAny>(schema: S, whenUnset: z.output<S>) =>
	schema.nullish().transform((value: z.output<S> | null | undefined) => value ?? whenUnset);

/** The parameters of the trigger; an expression may have made them anything. */
const selectionSchema = z
	.object({
		events: z.union([z.array(z.string()), z.string().transform(listed)]).nullish(),
		customEventTypes: option(z.string(), ''),
		campaignId: campaignIdSchema.nullish().transform((id) => id || undefined),
		isFirst: option(z.boolean(), false),
		subscription: option(z.enum(['hookPerEvent', 'singleHook']), 'hookPerEvent'),
		verifySecret: option(z.boolean(), true),
		ignoreDuplicates: option(z.boolean(), true),
		thirdPartyReplies: option(z.enum(['include', 'exclude', 'only']), 'include'),
		repairMinutes: option(z.number().min(0).max(10_080), 15),
		output: option(z.enum(['activity', 'grouped']), 'activity'),
	})
	.transform(({ events, customEventTypes, ...options }) => ({
		...options,
		events: distinct([...(events ?? []), ...listed(customEventTypes)]),
	}));

/**
 * What the user selected. `events` holds each chosen event type once, and only `*` when all events are selected.
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

/**
 * The events for which a webhook is registered. In `singleHook` mode one webhook delivers everything, but a lead state
 * keeps its own: nothing in an activity tells that it belongs to one (§6.1, D8).
 */
export function subscribedEvents({ events, subscription }: Selection): string[] {
	if (subscription === 'hookPerEvent') return events;
	const states = events.filter((type) => LEAD_STATES.has(type));
	return states.length === events.length ? events : [ALL_EVENTS, ...states];
}

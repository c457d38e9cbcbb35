import type { INode } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { z } from 'zod';

import { campaignIdSchema } from '../model/campaignId';
import { ALL_EVENTS, replacementOf, STATE_GROUPS } from '../model/eventTypes';

/** The parameters of the trigger as they are used; an expression may have made them anything. */
const parametersSchema = z.object({
	events: z
		.union([z.array(z.string()), z.string().transform((list) => list.split(','))])
		.nullish()
		.transform((events) => events ?? []),
	campaignId: campaignIdSchema.nullish(),
	isFirst: z.boolean().nullish(),
	customEventTypes: z.string().nullish(),
	subscription: z.enum(['hookPerEvent', 'singleHook']).nullish(),
	verifySecret: z.boolean().nullish(),
	ignoreDuplicates: z.boolean().nullish(),
	thirdPartyReplies: z.enum(['include', 'exclude', 'only']).nullish(),
	repairMinutes: z.number().min(0).max(10_080).nullish(),
	output: z.enum(['activity', 'grouped']).nullish(),
});

const LABELS: Readonly<Record<string, string>> = {
	events: 'Trigger On',
	campaignId: 'Campaign ID',
	isFirst: 'First Activity Only',
	customEventTypes: 'Custom Event Types',
	subscription: 'Subscription',
	verifySecret: 'Verify Secret',
	ignoreDuplicates: 'Ignore Duplicates',
	thirdPartyReplies: 'Third-Party Replies',
	repairMinutes: 'Repair Interval (Minutes)',
	output: 'Output',
};

export type Selection = {
	/** The chosen event types, each once; only `*` when all events are wanted. */
	events: string[];
	campaignId: string | undefined;
	isFirst: boolean;
	subscription: 'hookPerEvent' | 'singleHook';
	verifySecret: boolean;
	ignoreDuplicates: boolean;
	thirdPartyReplies: 'include' | 'exclude' | 'only';
	repairMinutes: number;
	output: 'activity' | 'grouped';
};

type ParameterReader = {
	getNode(): INode;
	getNodeParameter(name: string, fallback?: unknown): unknown;
};

const parameterError = (node: INode, label: string, description: string): NodeOperationError =>
	new NodeOperationError(node, `The value of '${label}' cannot be used`, { description });

/**
 * Reads the trigger's parameters.
 * @throws NodeOperationError that names the parameter when a value cannot be used
 */
export function readSelection(ctx: ParameterReader): Selection {
	const options = ctx.getNodeParameter('options', {});
	const parsed = parametersSchema.safeParse({
		...(typeof options === 'object' ? options : {}),
		events: ctx.getNodeParameter('events', []),
	});
	if (!parsed.success) {
		const name = String(parsed.error.issues[0]?.path[0] ?? 'options');
		const reason = parsed.error.issues[0]?.message ?? 'It has the wrong type';
		throw parameterError(
			ctx.getNode(),
			LABELS[name] ?? name,
			`${reason}. If it comes from an expression, check what the expression gives.`,
		);
	}
	const given = parsed.data;
	const types = [...given.events, ...(given.customEventTypes ?? '').split(',')]
		.map((type) => type.trim())
		.filter((type) => type !== '');
	return {
		events: types.includes(ALL_EVENTS) ? [ALL_EVENTS] : [...new Set(types)],
		campaignId: given.campaignId || undefined,
		isFirst: given.isFirst ?? false,
		subscription: given.subscription ?? 'hookPerEvent',
		verifySecret: given.verifySecret ?? true,
		ignoreDuplicates: given.ignoreDuplicates ?? true,
		thirdPartyReplies: given.thirdPartyReplies ?? 'include',
		repairMinutes: given.repairMinutes ?? 15,
		output: given.output ?? 'activity',
	};
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
				'Custom Event Types',
				'It has half a character in it, as from a text that was cut in the middle of an emoji. Enter the type again.',
			);
		}
		const replacement = replacementOf(type);
		if (replacement !== undefined) {
			throw new NodeOperationError(
				node,
				// n8n shows the message alone when an activation fails, so the replacement has to be in it.
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
 * The events for which a webhook is registered. In `singleHook` mode one webhook brings everything, but a
 * lead-state group keeps its own: nothing in an activity tells that it belongs to a group (§6.1, D8).
 */
export function subscribedEvents({ events, subscription }: Selection): string[] {
	if (subscription === 'hookPerEvent') return events;
	const groups = events.filter((type) => STATE_GROUPS.has(type));
	return groups.length === events.length ? events : [ALL_EVENTS, ...groups];
}

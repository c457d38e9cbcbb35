import { z } from 'zod';

import { campaignIdsSchema } from './campaignId';
import { conditionsSchema } from './conditions';
import { ALL_EVENTS, isLeadState, meantBy, replacementOf } from './eventTypes';

/** The limits of a batch that is added and left as it is. */
export const DEFAULT_BATCH = { maxEvents: 100, maxSeconds: 2, groupBy: 'none' as const };
export const MAX_BATCH_EVENTS = 1_000;
export const MIN_BATCH_SECONDS = 0.1;
/** Shorter than a copy waits for the outcome of an earlier one, and than most senders wait for a response. */
export const MAX_BATCH_SECONDS = 8;

const NO_OPTIONS = { message: 'It must be an object with options' };

type WrittenEvents = {
	events?: string | string[] | null | undefined;
	options?: { customEventTypes?: string | undefined } | undefined;
};

/* istanbul ignore next: its source is a part of the expressions of the canvas, and must refer to nothing else */
/** The chosen events: each once, and only `*` if it is among them. A text separates them by commas. */
export function eventsIn({ events, options = {} }: WrittenEvents): string[] {
	const types = [events ?? [], options.customEventTypes ?? '']
		.flatMap((given) => (typeof given === 'string' ? given.split(',') : given))
		.map((type) => type.trim())
		.filter((type, index, all) => type !== '' && all.indexOf(type) === index);
	return types.includes('*') ? ['*'] : types;
}

/** An option that is not set, or set to nothing by an expression, has its default. */
const option = <S extends z.ZodTypeAny>(schema: S, whenUnset: z.output<S>) =>
	schema.nullish().transform((value: z.output<S> | null | undefined) => value ?? whenUnset);

const truth = z.boolean({ message: 'It must be true or false' });

const between = (min: number, max: number) => {
	const message = `It must be a number from ${min} to ${max}`;
	return z.number({ message }).min(min, message).max(max, message);
};

const choice = <const T extends readonly [string, ...string[]]>(values: T) =>
	z.enum(values, { message: `It must be one of: ${values.join(', ')}` });

const NO_TYPES = { message: 'It must be a list of event types' };

const batchSchema = z.object(
	{
		maxEvents: option(
			between(1, MAX_BATCH_EVENTS).int('It must be a whole number'),
			DEFAULT_BATCH.maxEvents,
		),
		maxSeconds: option(between(MIN_BATCH_SECONDS, MAX_BATCH_SECONDS), DEFAULT_BATCH.maxSeconds),
		groupBy: option(choice(['none', 'lead']), DEFAULT_BATCH.groupBy),
	},
	NO_OPTIONS,
);

/** The parameters of the trigger; an expression may have made them anything. An issue names the parameter in its path. */
export const selectionSchema = z
	.object({
		events: z.union([z.string(), z.array(z.string(NO_TYPES))], NO_TYPES).nullish(),
		customEventTypes: option(z.string({ message: 'It must be text' }), ''),
		campaignId: option(campaignIdsSchema, []),
		isFirst: option(truth, false),
		subscription: option(choice(['hookPerEvent', 'singleHook']), 'hookPerEvent'),
		verifySecret: option(truth, true),
		ignoreDuplicates: option(truth, true),
		duplicateMemory: option(choice(['process', 'database']), 'process'),
		thirdPartyReplies: option(choice(['include', 'exclude', 'only']), 'include'),
		repairMinutes: option(between(0, 10_080), 15),
		reportProblems: option(truth, true),
		output: option(choice(['activity', 'grouped']), 'activity'),
		outputs: option(choice(['single', 'perEvent']), 'single'),
		testWith: option(choice(['realEvent', 'sampleEvent']), 'realEvent'),
		onlyWhen: conditionsSchema.nullish().transform((conditions) => conditions ?? undefined),
		// A batch that is added and left as it is has the defaults; n8n may store it as an empty object.
		batch: z
			.object({ values: option(batchSchema, DEFAULT_BATCH) }, NO_OPTIONS)
			.nullish()
			.transform((batch) => batch?.values),
	})
	.transform(({ events, customEventTypes, campaignId: campaignIds, ...options }) => ({
		...options,
		campaignIds,
		events: eventsIn({ events, options: { customEventTypes } }),
	}))
	.superRefine((selection, context) => {
		for (const { path, ...issue } of whatCannotWork(selection)) {
			context.addIssue({ code: 'custom', path: [path], message: issue.description, params: issue });
		}
	});

/**
 * What the user selected. `events` holds each chosen event once, and only `*` when all events are selected;
 * `campaignIds` is empty when no campaign is.
 */
export type Selection = z.output<typeof selectionSchema>;

/** @param message for the user, instead of one that says only which parameter it is */
type Refusal = { path: string; message?: string; description: string };

/** What is readable and could still never work; it is refused before anything is sent (§6.2, D12). */
function whatCannotWork({
	events,
	isFirst,
	subscription,
}: {
	events: readonly string[];
	isFirst: boolean;
	subscription: string;
}): Refusal[] {
	if (events.length === 0) {
		return [
			{
				path: 'events',
				message: 'No event is selected',
				description:
					"Choose at least one event in 'Trigger On', or 'All Events', or name a type in the option 'Custom Event Types'.",
			},
		];
	}
	// The service counts the first activity for each webhook (D69).
	if (isFirst && events.includes(ALL_EVENTS)) {
		const description =
			"With 'All Events', the first event of any kind would use up all others. Choose the events in 'Trigger On', or turn this option off.";
		return [{ path: 'isFirst', description }];
	}
	if (isFirst && subscription === 'singleHook') {
		const description =
			"With one webhook for everything, the first event of any kind would use up all others. Set 'Subscription' to 'One Webhook for Each Event', or turn this option off.";
		return [{ path: 'isFirst', description }];
	}
	return events.flatMap((event) => unknownEvent(event) ?? []);
}

const WHERE_TO_CHANGE =
	"It comes from an expression in 'Trigger On' or from the option 'Custom Event Types': change it there.";

function unknownEvent(event: string): Refusal | undefined {
	if (/\p{Surrogate}/u.test(event)) {
		return {
			path: 'customEventTypes',
			description:
				'It contains an incomplete character, as when text is cut in the middle of an emoji. Enter the type again.',
		};
	}
	// n8n shows the message alone when an activation fails, so what to use instead must be in it.
	const meant = meantBy(event);
	if (meant !== undefined) {
		return {
			path: 'customEventTypes',
			message: `The service has no event type '${event}'. Did you mean '${meant}'?`,
			description: WHERE_TO_CHANGE,
		};
	}
	const replacement = replacementOf(event);
	if (replacement === undefined) return undefined;
	return {
		path: 'customEventTypes',
		message: `The service no longer has the event type '${event}'. ${replacement}`,
		description: WHERE_TO_CHANGE,
	};
}

/**
 * The events for which a webhook is registered. In `singleHook` mode one webhook delivers everything, but a lead state
 * keeps its own: nothing in an activity tells that it belongs to one (§6.1, D8).
 */
export function subscribedEvents({ events, subscription }: Selection): string[] {
	if (subscription === 'hookPerEvent') return events;
	const states = events.filter(isLeadState);
	return states.length === events.length ? events : [ALL_EVENTS, ...states];
}

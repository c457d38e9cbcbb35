import { z } from 'zod';

import {
	DEFAULT_BATCH,
	MAX_BATCH_EVENTS,
	MAX_BATCH_SECONDS,
	MIN_BATCH_SECONDS,
} from './batchLimits';
import { campaignIdsSchema } from './campaignId';
import { conditionsSchema } from './conditions';
import { ALL_EVENTS } from './eventTypes';

const NO_OPTIONS = { message: 'It must be an object with options' };

const listed = (types: string): string[] => types.split(',');

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
	},
	NO_OPTIONS,
);

/** The parameters of the trigger; an expression may have made them anything. */
export const selectionSchema = z
	.object({
		events: z.preprocess(
			(given) => (typeof given === 'string' ? listed(given) : given),
			z.array(z.string(NO_TYPES), NO_TYPES).nullish(),
		),
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

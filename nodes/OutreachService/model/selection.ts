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
export const selectionSchema = z
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

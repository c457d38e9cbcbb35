/** The schema of the trigger's parameters, and what could never work. */
import { z } from 'zod';

import { ALL_EVENTS, canBeThirdParty, problemWithEventType } from '../domain/eventTypes';
import { zodMessage } from '../utils/zodMessage';
import { campaignIdsSchema } from './campaignId';
import { eventsIn, OUTPUT_VALUES, type StoredEvents } from './chosenEvents';
import { conditionsSchema } from './onlyWhen';
import { booleanParameter, numberBetween, oneOf, textOrList, wholeNumber } from './values';

/** The limits of a batch if a user adds the option and leaves it as it is. */
export const DEFAULT_BATCH = { maxEvents: 100, maxSeconds: 2, groupBy: 'none' as const };
export const MAX_BATCH_EVENTS = 1_000;
export const MIN_BATCH_SECONDS = 0.1;
/** Less than the time for which a copy waits for the outcome of another one, and for which most senders wait for a response. */
export const MAX_BATCH_SECONDS = 8;

/** A week. */
export const MAX_REPAIR_MINUTES = 7 * 24 * 60;

const NO_OPTIONS = { message: 'It must be an object with options' };

const NO_TYPES = 'It must be a list of event types';

const batchSchema = z.object(
	{
		maxEvents: wholeNumber(1, MAX_BATCH_EVENTS).default(DEFAULT_BATCH.maxEvents),
		maxSeconds: numberBetween(MIN_BATCH_SECONDS, MAX_BATCH_SECONDS).default(
			DEFAULT_BATCH.maxSeconds,
		),
		groupBy: oneOf(['none', 'lead']).default(DEFAULT_BATCH.groupBy),
	},
	NO_OPTIONS,
);

/** Refuses an event type that the service cannot have (§6.2). */
function refuseWrongTypes(events: StoredEvents['events'], context: z.RefinementCtx): void {
	// With an output for each, `*` hides no other event.
	for (const event of eventsIn({ events, options: { outputs: 'perEvent' } })) {
		const message = problemWithEventType(event);
		if (message !== undefined) context.addIssue({ code: 'custom', message });
	}
}

/** The parameters of the trigger, each by itself. */
const parametersSchema = z.object({
	events: z
		.union(
			[z.string(), z.array(z.string())],
			zodMessage(() => NO_TYPES),
		)
		.nullish()
		.superRefine(refuseWrongTypes),
	customEventTypes: textOrList.default('').superRefine(refuseWrongTypes),
	campaignId: campaignIdsSchema,
	isFirst: booleanParameter.default(false),
	subscription: oneOf(['hookPerEvent', 'singleHook']).default('hookPerEvent'),
	verifySecret: booleanParameter.default(true),
	duplicateMemory: oneOf(['process', 'database', 'off']).default('process'),
	thirdPartyReplies: oneOf(['include', 'exclude', 'only']).default('include'),
	repairMinutes: numberBetween(0, MAX_REPAIR_MINUTES).default(15),
	reportProblems: booleanParameter.default(true),
	output: oneOf(['activity', 'grouped']).default('activity'),
	outputs: oneOf(OUTPUT_VALUES).default('single'),
	testWith: oneOf(['realEvent', 'sampleEvent']).default('realEvent'),
	onlyWhen: conditionsSchema.optional(),
	// A batch that is added and left as it is has the defaults; n8n may store it as an empty object.
	batch: z
		.object({ values: batchSchema.default(DEFAULT_BATCH) }, NO_OPTIONS)
		.transform(({ values }) => values)
		.optional(),
});

/**
 * Checks the parameters of the trigger, which expressions can make anything. The path of an issue names the parameter. A
 * selection that could never work, although each of its values is valid, is refused before any request is sent (D12); of
 * several reasons, the error shows the first.
 */
export const selectionSchema = parametersSchema
	.transform(({ events, customEventTypes, campaignId, output, ...rest }) => ({
		...rest,
		events: eventsIn({ events, options: { customEventTypes, outputs: rest.outputs } }),
		campaignIds: campaignId,
		dataFormat: output,
	}))
	.superRefine(({ events, isFirst, subscription, thirdPartyReplies }, context) => {
		const refuse = (name: string, message: string): void =>
			context.addIssue({ code: 'custom', path: [name], message });
		if (events.length === 0) {
			refuse(
				'events',
				"No event is selected. Choose one, or 'All Events', or enter a type in 'Custom Event Types'",
			);
		}
		// The service counts the first activity for each webhook (D69).
		if (isFirst && (events.includes(ALL_EVENTS) || subscription === 'singleHook')) {
			refuse(
				'isFirst',
				"One webhook for all events might deliver a single event in total. Choose the events in 'Trigger On', with 'One Webhook for Each Event' as 'Webhooks: Subscription', or turn this option off",
			);
		}
		if (thirdPartyReplies === 'only' && !events.some(canBeThirdParty)) {
			refuse(
				'thirdPartyReplies',
				"None of the selected events can be a reply from a third party, so the workflow would never start. Add 'Email: Reply Received' to 'Trigger On', or choose 'Include'",
			);
		}
	});

/**
 * What the parameters of a trigger select. `events` contains each chosen event once, see {@link eventsIn}. `campaignIds` is
 * empty if no campaign is chosen. `dataFormat` is the parameter `output`, whose name workflows store.
 */
export type Selection = z.output<typeof selectionSchema>;

/** Where it is remembered which activities have run. */
export type DuplicateMemory = Selection['duplicateMemory'];

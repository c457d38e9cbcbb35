/** The schema of the trigger's parameters, and what could never work. */
import { z } from 'zod';

import { ALL_EVENTS, canBeThirdParty, problemWithEventType } from '../domain/eventTypes';
import { zodMessage } from '../utils/zodMessage';
import { campaignIdsSchema } from './campaignId';
import { eventsIn, OUTPUT_VALUES } from './chosenEvents';
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

/** The parameters of the trigger, each by itself. */
const parametersSchema = z.object({
	events: z
		.union(
			[z.string(), z.array(z.string())],
			zodMessage(() => NO_TYPES),
		)
		.nullish(),
	customEventTypes: textOrList.default(''),
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

/** Checks the parameters of the trigger, which expressions can make anything. The path of an issue names the parameter. */
export const selectionSchema = parametersSchema.transform((parameters, context) => {
	const { events: chosen, customEventTypes, campaignId, output, ...rest } = parameters;
	const options = { customEventTypes, outputs: rest.outputs };
	const selection = {
		...rest,
		events: eventsIn({ events: chosen, options }),
		campaignIds: campaignId,
		dataFormat: output,
	};
	const issue = problemWithSelection(selection, eventsIn({ options }));
	if (issue !== undefined) context.addIssue({ code: 'custom', ...issue });
	return selection;
});

/**
 * What the parameters of a trigger select. `events` contains each chosen event once, see {@link eventsIn}. `campaignIds` is
 * empty if no campaign is chosen. `dataFormat` is the parameter `output`, whose name workflows store.
 */
export type Selection = z.output<typeof selectionSchema>;

/** Where it is remembered which activities have run. */
export type DuplicateMemory = Selection['duplicateMemory'];

/** The parameters that exclude certain events. */
type ParametersToCompare = Pick<
	z.output<typeof parametersSchema>,
	'isFirst' | 'subscription' | 'thirdPartyReplies'
>;

/**
 * Why a selection could never work, although each of its values is valid (§6.2). It is refused before any request is sent
 * (D12).
 * @param custom the types of *Custom Event Types*
 * @returns the parameter to correct, and the reason; undefined for a selection that can work
 */
function problemWithSelection(
	{ events, isFirst, subscription, thirdPartyReplies }: ParametersToCompare & { events: string[] },
	custom: readonly string[],
): { path: [name: string]; message: string } | undefined {
	if (events.length === 0) {
		const message =
			"No event is selected. Choose one, or 'All Events', or enter a type in 'Custom Event Types'";
		return { path: ['events'], message };
	}
	// The service counts the first activity for each webhook (D69).
	if (isFirst && (events.includes(ALL_EVENTS) || subscription === 'singleHook')) {
		const message =
			"One webhook for all events might deliver a single event in total. Choose the events in 'Trigger On', with 'One Webhook for Each Event' as 'Webhooks: Subscription', or turn this option off";
		return { path: ['isFirst'], message };
	}
	if (thirdPartyReplies === 'only' && !events.some(canBeThirdParty)) {
		const message =
			"None of the selected events can be a reply from a third party, so the workflow would never start. Add 'Email: Reply Received' to 'Trigger On', or choose 'Include'";
		return { path: ['thirdPartyReplies'], message };
	}
	for (const event of events) {
		const message = problemWithEventType(event);
		const path = custom.includes(event) ? 'customEventTypes' : 'events';
		if (message !== undefined) return { path: [path], message };
	}
	return undefined;
}

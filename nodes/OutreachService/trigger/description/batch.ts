import type { INodeProperties } from 'n8n-workflow';

/** The limits of a batch that is added and left as it is. The fields below repeat them: n8n's linter wants literals. */
export const DEFAULT_BATCH = { maxEvents: 100, maxSeconds: 2 };
export const MAX_BATCH_EVENTS = 1_000;
export const MIN_BATCH_SECONDS = 0.1;
/** Shorter than a copy waits for the outcome of an earlier one, and than most senders wait for a response. */
export const MAX_BATCH_SECONDS = 8;

/** One run for several events. */
export const batch: INodeProperties = {
	displayName: 'Batch',
	name: 'batch',
	type: 'fixedCollection',
	placeholder: 'Set limits',
	default: { values: DEFAULT_BATCH },
	description:
		'Runs the workflow once for several events, with an item for each, so that a burst costs fewer executions. The service gets its response when the batch starts. Test runs are never batched.',
	options: [
		{
			displayName: 'Limits',
			name: 'values',
			values: [
				{
					displayName: 'Max Events',
					name: 'maxEvents',
					type: 'number',
					default: 100,
					typeOptions: { minValue: 1, maxValue: MAX_BATCH_EVENTS, numberPrecision: 0 },
					description: 'How many events start the workflow at once',
				},
				{
					displayName: 'Max Seconds',
					name: 'maxSeconds',
					type: 'number',
					default: 2,
					typeOptions: {
						minValue: MIN_BATCH_SECONDS,
						maxValue: MAX_BATCH_SECONDS,
						numberPrecision: 1,
					},
					description:
						'How long the first event waits for others. The service must wait at least as long for a response.',
				},
			],
		},
	],
};

import type { INodeProperties } from 'n8n-workflow';

import {
	DEFAULT_BATCH,
	MAX_BATCH_EVENTS,
	MAX_BATCH_SECONDS,
	MIN_BATCH_SECONDS,
} from '../../model/batchLimits';

/** One run for several events. The fields repeat the defaults: n8n's linter wants literals. */
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

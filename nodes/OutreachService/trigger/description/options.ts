import type { INodeProperties } from 'n8n-workflow';

import {
	DEFAULT_BATCH,
	MAX_BATCH_EVENTS,
	MAX_BATCH_SECONDS,
	MIN_BATCH_SECONDS,
} from '../../model/selection';
import { MIN_REMEMBERED } from '../../runtime/duplicates';
import { MAX_RECORDED } from '../../runtime/recordedActivities';

/** One run for several events. The fields repeat the defaults: n8n's linter wants literals. */
const batch: INodeProperties = {
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
				{
					displayName: 'Group By',
					name: 'groupBy',
					type: 'options',
					default: 'none',
					options: [
						{
							name: 'Lead',
							value: 'lead',
							description:
								'A run has the events of one lead, recognized by ID or else by email address; an event without either starts a run of its own',
						},
						{ name: 'Nothing', value: 'none', description: 'A run has events of all leads' },
					],
					description: 'Which events may share a run',
				},
			],
		},
	],
};

/** The collection 'Options' of the trigger. */
export const options: INodeProperties[] = [
	batch,
	{
		displayName: 'Campaign ID',
		name: 'campaignId',
		type: 'string',
		default: '',
		placeholder: 'e.g. cam_8QkzT2, cam_3xVtA9',
		description:
			'The campaigns whose events start the workflow. Separate several IDs with commas; the URL of a campaign, which contains its ID, works too. The node registers a webhook for each event and campaign. Events that have no campaign, such as Connection Issue or Signal Registered, and third-party replies without one start the workflow, too.',
		builderHint: {
			propertyHint: "IDs such as 'cam_8QkzT2', separated by commas; never the name of a campaign.",
		},
	},
	{
		displayName: 'Custom Event Types',
		name: 'customEventTypes',
		type: 'string',
		default: '',
		placeholder: 'e.g. somethingNew, anotherEvent',
		description: 'Event types that are not in the list yet, separated by commas',
	},
	{
		displayName: 'Duplicate Memory',
		name: 'duplicateMemory',
		type: 'options',
		default: 'process',
		options: [
			{
				name: 'Database',
				value: 'database',
				description: `Also in n8n's database, for all processes and across restarts: the last ${MAX_RECORDED / 1_000},000 activities of this node. For workflows that must not run twice: each activity runs at most once. It counts as run before the next node gets it, so one whose process is killed at that moment is lost, and its copies are dropped. Each run costs one more read and write of the database; in queue mode, it costs at least two, and starts up to a second later. A duplicate that only the database recognizes still counts as an execution, which ends at this node.`,
			},
			{
				name: 'Process',
				value: 'process',
				description:
					'In the memory of each n8n process, at no cost. After a restart, or in another process of queue mode, a duplicate runs again.',
			},
		],
		description: 'Where Ignore Duplicates remembers the activities that have started the workflow',
	},
	{
		displayName: 'First Activity Only',
		name: 'isFirst',
		type: 'boolean',
		default: false,
		description:
			'Whether only the first activity of its kind starts the workflow, for example the first reply of a lead. Needs a webhook for each event, so it cannot be combined with All Events or One Webhook for Everything. The service counts: if Only When or Third-Party Replies drops the first activity, no other one follows, and publishing a changed workflow may begin a new count.',
	},
	{
		displayName: 'Ignore Duplicates',
		name: 'ignoreDuplicates',
		type: 'boolean',
		default: true,
		description: `Whether to ignore an activity that the service delivers again. Each n8n process remembers at least the last ${MIN_REMEMBERED / 1_000},000 activities; Duplicate Memory can add n8n's database.`,
	},
	{
		displayName: 'Only When',
		name: 'onlyWhen',
		type: 'filter',
		default: {},
		typeOptions: { filter: { version: 2, caseSensitive: false, typeValidation: 'loose' } },
		description:
			'Conditions that an event must meet to start the workflow; other events cost no execution',
		builderHint: {
			propertyHint:
				"The left side (leftValue) is the plain name of a field of the activity such as 'campaignName' or 'sequenceStep', not an expression. Prefer this to an If node after the trigger.",
		},
	},
	{
		displayName: 'Output',
		name: 'output',
		type: 'options',
		default: 'activity',
		options: [
			{
				name: 'Activity',
				value: 'activity',
				description: 'The activity as the service delivered it, without the secret',
			},
			{
				name: 'Grouped',
				value: 'grouped',
				description:
					'Grouped into event (with a summary for a chat message, and a key for deduplication), lead, campaign, sequence, sender and email, with the same keys for every event; includes the activity',
			},
		],
		description: 'The format of the items',
		builderHint: {
			propertyHint:
				"'activity': flat, lead fields as leadEmail, leadFirstName. 'grouped': the same values as lead.email, lead.firstName, campaign.name, email.subject, event.summary, a sentence for a chat message, and event.key, an idempotency key.",
		},
	},
	{
		displayName: 'Outputs',
		name: 'outputs',
		type: 'options',
		noDataExpression: true,
		default: 'single',
		options: [
			{
				name: 'One for Each Event',
				value: 'perEvent',
				description:
					'Each event comes out at an output of its own. With All Events beside them, the last output has everything else.',
			},
			{ name: 'Single', value: 'single', description: 'All events come out at one output' },
		],
		description:
			'Whether the node sorts the events, in place of a Switch node. Changing the order of Trigger On moves the outputs, but not their connections.',
		builderHint: {
			propertyHint:
				"'perEvent' in place of a Switch node: connect output 0 for the first of 'events', output 1 for the second, and so on. With '*' in 'events', the last output is everything else, wherever '*' stands. Not with expressions in 'events'.",
		},
	},
	{
		displayName: 'Repair Interval (Minutes)',
		name: 'repairMinutes',
		type: 'number',
		default: 15,
		typeOptions: { minValue: 0, maxValue: 10080, numberPrecision: 0 },
		placeholder: 'e.g. 15',
		description:
			'How often n8n checks that the webhooks of the active workflow still exist at the service, and restores them. 0 turns these checks off. n8n also checks at each start, and every minute after a change that could not be completed.',
	},
	{
		displayName: 'Report Problems',
		name: 'reportProblems',
		type: 'boolean',
		default: true,
		description:
			'Whether to report problems with the webhooks as a failed execution, which starts the error workflow: when two checks in a row do not succeed, when missing webhooks were created again, or when n8n has lost its own webhook. On n8n 1, problems are only logged.',
	},
	{
		displayName: 'Subscription',
		name: 'subscription',
		type: 'options',
		default: 'hookPerEvent',
		options: [
			{
				name: 'One Webhook for Each Event',
				value: 'hookPerEvent',
				description: 'The service sends only what is selected',
			},
			{
				name: 'One Webhook for Everything',
				value: 'singleHook',
				description:
					'The service sends every event, and the node drops those that are not selected. For services that limit the number of webhooks; causes more deliveries. A selected lead state keeps a webhook of its own.',
			},
		],
		description: 'How the node subscribes to the events at the service',
	},
	{
		displayName: 'Test With',
		name: 'testWith',
		type: 'options',
		default: 'realEvent',
		options: [
			{
				name: 'Real Event',
				value: 'realEvent',
				description: 'Registers webhooks for the test run, and waits for the next event',
			},
			{
				name: 'Sample Event',
				value: 'sampleEvent',
				description:
					'Starts the test run immediately with a sample of the first selected event, or of each that has an output',
			},
		],
		description:
			'What starts a test run in the editor. The active workflow always runs with real events.',
	},
	{
		displayName: 'Third-Party Replies',
		name: 'thirdPartyReplies',
		type: 'options',
		default: 'include',
		options: [
			{ name: 'Exclude', value: 'exclude', description: 'Ignore replies from third parties' },
			{ name: 'Include', value: 'include', description: 'Treat them like any other event' },
			{
				name: 'Only',
				value: 'only',
				description: 'Ignore everything but replies from third parties',
			},
		],
		description:
			"What to do with replies from an email address that is not known to be the lead's, such as a colleague's",
	},
	{
		displayName: 'Verify Secret',
		name: 'verifySecret',
		type: 'boolean',
		default: true,
		description:
			'Whether to reject deliveries without the secret of this workflow. When off, anybody who knows the webhook URL can start the workflow.',
	},
];

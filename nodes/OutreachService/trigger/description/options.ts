/** The options of the trigger, as the editor shows them. */
import type { INodeProperties } from 'n8n-workflow';

import {
	DEFAULT_BATCH,
	MAX_BATCH_EVENTS,
	MAX_BATCH_SECONDS,
	MIN_BATCH_SECONDS,
	MAX_REPAIR_MINUTES,
} from '../../parameters/selection';

/** The option for one run for several events. Its fields repeat `DEFAULT_BATCH`, because n8n's linter wants literals. */
const batch: INodeProperties = {
	displayName: 'Batch Events',
	name: 'batch',
	type: 'fixedCollection',
	placeholder: 'Set limits',
	default: { values: DEFAULT_BATCH },
	description:
		'Runs the workflow once for several events, with an item for each, so that a burst costs fewer executions. Test runs are never batched.',
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
					description: 'The batch starts as soon as it has this many events',
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
								'A run has the events of one lead, recognized by ID or else by email address',
						},
						{
							name: 'Nothing',
							value: 'none',
							description: 'A run can have events of several leads',
						},
					],
					description: 'Which events may share a run',
				},
			],
		},
	],
};

/**
 * The collection 'Options' of the trigger. n8n wants it in alphabetical order, so options that hardly anybody needs are
 * called 'Webhooks: …': they stand together at the end.
 */
export const options: INodeProperties[] = [
	batch,
	{
		displayName: 'Campaign ID',
		name: 'campaignId',
		type: 'string',
		default: '',
		placeholder: 'e.g. cam_8QkzT2, cam_3xVtA9',
		description:
			'IDs or URLs of campaigns, separated by commas. Only their events, and events without a campaign, start the workflow.',
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
		description: "Event types that the list of 'Trigger On' does not have yet, separated by commas",
	},
	{
		displayName: 'Data Format',
		name: 'output',
		type: 'options',
		default: 'activity',
		options: [
			{
				name: 'Flat',
				value: 'activity',
				description: 'All fields side by side, as the service delivers them, without the secret',
			},
			{
				name: 'Grouped',
				value: 'grouped',
				description:
					'The same fields in groups, such as event, lead and email, with a summary for chat messages',
			},
		],
		description: 'How the fields of an event are arranged in its item',
		builderHint: {
			propertyHint:
				"'activity': flat, lead fields as leadEmail, leadFirstName. 'grouped': the same values, named lead.email, lead.firstName, campaign.name, email.subject. Also event.summary (a line for a chat message) and event.key (an idempotency key).",
		},
	},
	{
		displayName: 'Ignore Duplicates',
		name: 'duplicateMemory',
		type: 'options',
		default: 'process',
		options: [
			{
				name: 'In Database',
				value: 'database',
				description:
					'All processes remember 5,000 events of this node, even after a restart. Each run takes longer.',
			},
			{
				name: 'In Memory',
				value: 'process',
				description:
					'Each n8n process remembers at least its last 50,000 events, until it restarts',
			},
			{
				name: 'Off',
				value: 'off',
				description: 'An event runs again whenever the service delivers it again',
			},
		],
		description:
			'Where n8n remembers which events have run, so that an event that is delivered again does not run again',
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
				"In JSON, the left side (leftValue) is the plain name of a field of the activity such as 'campaignName' or 'sequenceStep', not an expression, whatever the type of the operator. Prefer this to an If node after the trigger.",
		},
	},
	{
		displayName: 'Separate Outputs',
		name: 'outputs',
		type: 'options',
		noDataExpression: true,
		// The value when the option is added; without the option, there is one output.
		default: 'perEvent',
		options: [
			{ name: 'Off', value: 'single', description: 'All events come out at one output' },
			{
				name: 'One for Each Event',
				value: 'perEvent',
				description:
					'An output for each event and, if you also select All Events, one for everything else',
			},
		],
		description:
			'Gives each event an output, so you need no Switch node. If you change the events, outputs can move, but connections do not move with them.',
		builderHint: {
			propertyHint:
				"'perEvent' in place of a Switch node: connect output 0 for the first of 'events', output 1 for the second, and so on. With '*' in 'events', the last output is everything else, wherever '*' stands. Not with expressions in 'events'.",
		},
	},
	{
		displayName: 'Test With',
		name: 'testWith',
		type: 'options',
		// The value when the option is added; without the option, a test run waits for a real event.
		default: 'sampleEvent',
		options: [
			{
				name: 'Real Event',
				value: 'realEvent',
				description:
					'Registers webhooks for the test run, and waits two minutes for an event that passes the other options',
			},
			{
				name: 'Sample Event',
				value: 'sampleEvent',
				description:
					'Starts the test run at once with a sample of the first event, or with one at each output',
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
			{
				name: 'Include',
				value: 'include',
				description: 'Treat replies from third parties like any other event',
			},
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
		displayName: 'Webhooks: First Event Only',
		name: 'isFirst',
		type: 'boolean',
		default: false,
		description:
			"Whether only the first event of its kind starts the workflow, such as a lead's first reply. The service decides which event is first.",
	},
	{
		displayName: 'Webhooks: Repair Interval',
		name: 'repairMinutes',
		type: 'number',
		default: 15,
		typeOptions: { minValue: 0, maxValue: MAX_REPAIR_MINUTES, numberPrecision: 0 },
		placeholder: 'e.g. 15',
		description:
			'How often, in minutes, n8n checks that its webhooks exist at the service, and restores missing webhooks. 0 turns regular checks off.',
		hint: 'In minutes',
	},
	{
		displayName: 'Webhooks: Report Problems',
		name: 'reportProblems',
		type: 'boolean',
		default: true,
		description:
			'Whether a problem with the webhooks becomes a failed execution, which starts the error workflow. n8n 1 only logs the problem.',
	},
	{
		displayName: 'Webhooks: Subscription',
		name: 'subscription',
		type: 'options',
		default: 'hookPerEvent',
		options: [
			{
				name: 'One Webhook for Each Event',
				value: 'hookPerEvent',
				description: 'The service sends only the events that you selected',
			},
			{
				name: 'One Webhook for Everything',
				value: 'singleHook',
				description:
					'The service sends every event, and n8n drops those that you did not select. Needs fewer webhooks.',
			},
		],
		description: 'How many webhooks the node registers',
	},
	{
		displayName: 'Webhooks: Verify Secret',
		name: 'verifySecret',
		type: 'boolean',
		default: true,
		description:
			'Whether to reject deliveries without the secret of their webhook. When off, anybody who knows the webhook URL can start the workflow.',
	},
];

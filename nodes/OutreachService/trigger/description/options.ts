import type { INodeProperties } from 'n8n-workflow';

/** What the collection 'Options' of the trigger holds. */
export const options: INodeProperties[] = [
	{
		displayName: 'Campaign ID',
		name: 'campaignId',
		type: 'string',
		default: '',
		placeholder: 'e.g. cam_8QkzT2',
		description:
			'Only events of this campaign start the workflow. You find the ID in the address of the campaign. Events without a campaign, such as a third-party reply, still come.',
	},
	{
		displayName: 'Custom Event Types',
		name: 'customEventTypes',
		type: 'string',
		default: '',
		placeholder: 'e.g. somethingNew, anotherEvent',
		description: 'Event types that the list does not have yet, separated by commas',
	},
	{
		displayName: 'First Activity Only',
		name: 'isFirst',
		type: 'boolean',
		default: false,
		description:
			'Whether only the first activity of the kind starts the workflow, for example the first reply of a lead',
	},
	{
		displayName: 'Ignore Duplicates',
		name: 'ignoreDuplicates',
		type: 'boolean',
		default: true,
		description:
			'Whether an activity that the service delivers again is left out. The last 50,000 activities of a day are known, in each n8n process for itself; with several webhook processes, add a Remove Duplicates node on _id and type.',
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
					'Sorted into event, campaign, sequence, lead, sender and email, with the same keys for every event; the activity is in there too',
			},
		],
		description: 'What an item looks like',
	},
	{
		displayName: 'Repair Interval (Minutes)',
		name: 'repairMinutes',
		type: 'number',
		default: 15,
		typeOptions: { minValue: 0, maxValue: 10080, numberPrecision: 0 },
		placeholder: 'e.g. 15',
		description:
			'How often n8n checks that the webhooks of the active workflow still exist at the service, and restores them. 0 means never. n8n also checks at each start.',
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
					'The service sends every event, and the node drops what is not selected. For services that limit the number of webhooks; it costs more deliveries. A selected lead state keeps a webhook of its own.',
			},
		],
		description: 'How the events are subscribed to at the service',
	},
	{
		displayName: 'Third-Party Replies',
		name: 'thirdPartyReplies',
		type: 'options',
		default: 'include',
		options: [
			{ name: 'Exclude', value: 'exclude', description: 'Leave out replies from somebody else' },
			{ name: 'Include', value: 'include', description: 'Take them like any other event' },
			{ name: 'Only', value: 'only', description: 'Take nothing but replies from somebody else' },
		],
		description:
			'What to do with a reply that comes from another address than those known of the lead, such as a colleague who answers',
	},
	{
		displayName: 'Verify Secret',
		name: 'verifySecret',
		type: 'boolean',
		default: true,
		description:
			'Whether deliveries are refused that do not carry the secret of this workflow. When off, anybody who knows the address can start the workflow.',
	},
];

import type { INodeProperties } from 'n8n-workflow';

/** Which webhook: from the list, or by ID. */
export const webhookIdField: INodeProperties = {
	displayName: 'Webhook',
	name: 'webhookId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	description: 'The webhook to work on',
	builderHint: {
		propertyHint:
			"A resource locator: { __rl: true, mode: 'id', value: 'hoo_4fT9x' }, with the _id of a webhook, for example from 'Get Many'. Mode 'list' is for people who choose in the editor.",
	},
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Choose a webhook …',
			typeOptions: { searchListMethod: 'searchWebhooks', searchable: true },
		},
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: 'e.g. hoo_4fT9x',
			hint: 'The API URL of the webhook works too',
		},
	],
};

/** The order in which the webhooks are returned; the first rule counts most. */
export const sortField: INodeProperties = {
	displayName: 'Sort',
	name: 'sort',
	type: 'fixedCollection',
	placeholder: 'Add sort rule',
	typeOptions: { multipleValues: true },
	default: {},
	description: 'The order in which to return the webhooks; a limit applies after sorting',
	options: [
		{
			displayName: 'Rule',
			name: 'property',
			values: [
				{
					displayName: 'Field',
					name: 'field',
					type: 'options',
					default: 'createdAt',
					options: [
						{
							name: 'Campaign ID',
							value: 'campaignId',
							description: 'Those without a campaign come last',
						},
						{ name: 'Created At', value: 'createdAt', description: 'When it was created' },
						{ name: 'Event', value: 'type', description: 'Those for all events come last' },
						{ name: 'Target URL', value: 'targetUrl', description: 'The URL that it calls' },
					],
					description: 'The field to sort by',
				},
				{
					displayName: 'Direction',
					name: 'direction',
					type: 'options',
					default: 'asc',
					options: [
						{ name: 'Ascending', value: 'asc', description: 'From A to Z, the oldest first' },
						{ name: 'Descending', value: 'desc', description: 'From Z to A, the newest first' },
					],
					description: 'Which webhooks to return first',
				},
			],
		},
	],
};

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

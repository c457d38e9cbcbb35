import { EVENT_OPTIONS_WITH_ALL } from '../../model/eventOptions';
import { ALL_EVENTS } from '../../model/eventTypes';
import { resultFirst } from '../resultFirst';
import type { Operation } from '../operation';
import { readParameter } from '../parameters';
import { additionalFieldsSchema, newEventSchema, urlSchema } from '../values';

/** Registers a webhook (§4.2). */
export const create: Operation = {
	value: 'create',
	name: 'Create',
	action: 'Create webhook',
	description: 'Register a URL to which the service sends events',
	builderHint: {
		propertyHint:
			'Not for starting a workflow of this n8n: the Outreach Service Trigger registers its webhooks by itself. For URLs of other systems.',
	},
	changes: true,
	properties: [
		{
			displayName:
				'To start a workflow of this n8n, use the Outreach Service Trigger: it registers its webhooks by itself, and removes them again.',
			name: 'createNotice',
			type: 'notice',
			default: '',
		},
		{
			displayName: 'Target URL',
			name: 'targetUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://crm.example.com/hooks/outreach',
			description: 'The URL to which the service posts each event as JSON',
		},
		{
			displayName: 'Event',
			name: 'event',
			type: 'options',
			default: '*',
			options: EVENT_OPTIONS_WITH_ALL,
			description:
				'The event that is sent, for example "Email: Reply Received". A webhook has one event, or all of them.',
			builderHint: {
				propertyHint:
					"One event type such as 'emailsReplied', never its label; '*' (the default) sends every event. For several events, create a webhook for each.",
			},
		},
		{
			displayName:
				'The target URL gets every event of the team, also those that are added later. Choose an event if it expects only that one.',
			name: 'allEventsNotice',
			type: 'notice',
			default: '',
			displayOptions: { show: { event: ['*'] } },
		},
		{
			displayName: 'Additional Fields',
			name: 'additionalFields',
			type: 'collection',
			placeholder: 'Add field',
			default: {},
			options: [
				{
					displayName: 'Campaign ID',
					name: 'campaignId',
					type: 'string',
					default: '',
					placeholder: 'e.g. cam_8QkzT2',
					description: 'Only events of this campaign; its URL in the app works too',
				},
				{
					displayName: 'First Activity Only',
					name: 'isFirst',
					type: 'boolean',
					default: false,
					description: 'Whether only the first activity of the kind is sent',
				},
				{
					displayName: 'Secret',
					name: 'secret',
					type: 'string',
					typeOptions: { password: true },
					default: '',
					description:
						'Sent with every delivery in the field "secret", so that the receiver can verify who sent it. The service never shows it again.',
				},
				{
					displayName: 'Tool Link ID',
					name: 'toolLinkId',
					type: 'number',
					default: 0,
					placeholder: 'e.g. 42',
					description:
						'The number of the automation-tool integration to which the target URL belongs',
				},
			],
		},
	],
	async run(item) {
		const targetUrl = readParameter(item, 'targetUrl', urlSchema);
		const event = readParameter(item, 'event', newEventSchema);
		const { campaignId, isFirst, secret, toolLinkId } =
			readParameter(item, 'additionalFields', additionalFieldsSchema.optional()) ?? {};
		const settings = {
			targetUrl,
			type: event === ALL_EVENTS ? undefined : event,
			campaignId,
			isFirst,
			secret,
			toolLinkId,
		};
		return [resultFirst({}, await item.client.createWebhook(settings))];
	},
};

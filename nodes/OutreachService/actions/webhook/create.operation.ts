import { z } from 'zod';

import { campaignIdSchema } from '../../model/campaignId';
import { ALL_EVENTS, EVENT_OPTIONS_WITH_ALL } from '../../model/eventTypes';
import { createWebhook } from '../../api/webhooks';
import type { Operation } from '../operation';
import { readParameter } from '../parameters';
import { eventSchema, secretSchema, truth, urlSchema, wholeNumber } from '../values';

const additionalFieldsSchema = z.object({
	campaignId: campaignIdSchema.nullish(),
	isFirst: truth,
	secret: secretSchema.nullish(),
	toolLinkId: wholeNumber(0),
});

const LABELS = {
	targetUrl: 'Target URL',
	event: 'Event',
	additionalFields: 'Additional Fields',
	campaignId: 'Campaign ID',
	isFirst: 'First Activity Only',
	secret: 'Secret',
	toolLinkId: 'Tool Link ID',
};

/** Registers a webhook (§4.2). */
export const create: Operation = {
	value: 'create',
	name: 'Create',
	action: 'Create webhook',
	description: 'Have the service call an address when something happens',
	changes: true,
	properties: [
		{
			displayName:
				'To start a workflow of this n8n, use the Outreach Service Trigger: it makes its webhooks by itself, and removes them again.',
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
			description: 'The address to which the service posts each event as JSON',
		},
		{
			displayName: 'Event',
			name: 'event',
			type: 'options',
			default: '*',
			options: EVENT_OPTIONS_WITH_ALL,
			description:
				'The event to be told of, for example "Email: Replied". One webhook has one event, or all of them.',
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
						'Comes with every delivery in the field "secret", so that the receiver knows who sent it. The service never shows it again.',
				},
				{
					displayName: 'Tool Link ID',
					name: 'toolLinkId',
					type: 'number',
					default: 0,
					placeholder: 'e.g. 42',
					description: 'The number of the automation-tool integration to which the address belongs',
				},
			],
		},
	],
	async run(ctx, itemIndex) {
		const targetUrl = readParameter(ctx, itemIndex, 'targetUrl', urlSchema, LABELS);
		const event = readParameter(ctx, itemIndex, 'event', eventSchema, LABELS);
		const { campaignId, isFirst, secret, toolLinkId } =
			readParameter(
				ctx,
				itemIndex,
				'additionalFields',
				additionalFieldsSchema.optional(),
				LABELS,
			) ?? {};
		const settings = {
			targetUrl,
			type: event === ALL_EVENTS ? undefined : event,
			campaignId: campaignId ?? undefined,
			isFirst,
			secret: secret ?? undefined,
			toolLinkId,
		};
		return [await createWebhook(ctx, settings, { itemIndex })];
	},
};

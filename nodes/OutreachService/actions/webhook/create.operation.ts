/** The operation *Create* of webhooks. */
import { z } from 'zod';

import { campaignIdSchema } from '../../parameters/campaignId';
import { LONGEST_URL } from '../../domain/targetUrl';
import { notice } from '../../parameters/notice';
import { BLANK_PART, hasBlankSegment, hasBlankValue } from '../../parameters/leftOut';
import { booleanParameter, secretParameter, text, wholeNumber } from '../../parameters/values';
import { parseUrl } from '../../utils/parseUrl';
import type { Operation } from '../operation';
import { createWebhook } from './createWebhook';
import { campaignIdField, eventField, eventSchema, OWN_EVENT } from './fields';
import { createdItem, hintAtNote } from './webhookItem';

/** A URL that the service can post to (§4.2). */
export const urlSchema = text(LONGEST_URL)
	.refine((url) => /^https?:\/\//i.test(url), 'It must begin with http:// or https://')
	// An expression for the host that returns nothing leaves 'https:///in', which would mean the host 'in'.
	.refine((url) => !/^https?:\/\/[/?#.]/i.test(url), 'It has no host')
	.refine((url) => parseUrl(url) !== undefined && !/\s/.test(url), 'It is not a valid URL')
	.refine((url) => {
		const [, path = '', query = ''] = /^\w+:\/\/[^/?#]*([^?#]*)\??([^#]*)/.exec(url) ?? [];
		return !hasBlankSegment(path) && !hasBlankValue(query);
	}, BLANK_PART);

/** The event of a new webhook. *Send Test Event* has a field with the same name, and may have left its value there. */
const newEventSchema = eventSchema.refine(
	(type) => type !== OWN_EVENT,
	"Choose an event, or 'All Events'",
);

const additionalFieldsSchema = z
	.object({
		campaignId: campaignIdSchema.optional(),
		isFirst: booleanParameter.optional(),
		secret: secretParameter.optional(),
		toolLinkId: wholeNumber(0).optional(),
	})
	.default({});

/** Registers a webhook (§4.2). */
export const create: Operation = {
	value: 'create',
	name: 'Create',
	action: 'Create webhook',
	description: 'Create a webhook that sends events to a URL of another system',
	builderHint: {
		propertyHint:
			'Not for starting a workflow of this n8n: the Outreach Service Trigger registers its webhooks by itself. For URLs of other systems.',
	},
	properties: [
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
			...eventField,
			// Nothing is preselected, so that nobody creates a webhook for all events without meaning it.
			default: '',
			required: true,
			description:
				'The service posts to the target URL when this event happens. For several events, create a webhook for each.',
			builderHint: {
				propertyHint:
					"One event type such as 'emailsReplied', never its label; '*' sends every event. For several events, create a webhook for each.",
			},
		},
		notice(
			'allEventsNotice',
			'The target URL gets every event of the team, including events that the service adds later. If you need only one event, select that event.',
			{ show: { event: ['*'] } },
		),
		{
			displayName: 'Additional Fields',
			name: 'additionalFields',
			type: 'collection',
			placeholder: 'Add field',
			default: {},
			options: [
				{
					...campaignIdField,
					description:
						'Send only events of this campaign. You can also enter the URL of the campaign.',
				},
				{
					displayName: 'First Event Only',
					name: 'isFirst',
					type: 'boolean',
					default: false,
					description:
						'Whether to send only the first event of its kind. The service decides which event is the first.',
				},
				{
					displayName: 'Secret',
					name: 'secret',
					type: 'string',
					typeOptions: { password: true },
					default: '',
					description:
						"The service sends this with every event, in the field 'secret', so that the receiver can verify the sender. The service never shows it.",
				},
				{
					displayName: 'Tool Link ID',
					name: 'toolLinkId',
					type: 'number',
					default: 0,
					placeholder: 'e.g. 42',
					description:
						"Only if the service's documentation asks for it: the number of the integration to which the target URL belongs",
				},
			],
		},
	],
	async run(item) {
		const targetUrl = item.parameters.read('targetUrl', urlSchema);
		const event = item.parameters.read('event', newEventSchema);
		const fields = item.parameters.read('additionalFields', additionalFieldsSchema);
		const settings = { targetUrl, event, ...fields };
		const webhook = await createWebhook(item.client, settings);
		item.changes.done.push(webhook._id);
		const created = createdItem({}, webhook, settings);
		hintAtNote(item, created);
		return [created];
	},
};

/** The fields that several operations share, and how a webhook is chosen. */
import type { INodeProperties } from 'n8n-workflow';

import { RequestError } from '../../api/errors';
import { NOT_FOUND_HINT } from '../../api/response';
import { EVENT_OPTIONS_WITH_ALL, problemWithEventType } from '../../domain/eventTypes';
import { LONGEST_URL } from '../../domain/targetUrl';
import type { Webhook, WebhookList } from '../../domain/webhook';
import { LONGEST_ID, text } from '../../parameters/values';
import { isJsonObject } from '../../utils/json';
import type { Item } from '../operation';

/** The value in *Send Test Event* that stands for the event of the webhook itself. */
export const OWN_EVENT = 'own';

/**
 * An event type or `*`. A type that the service cannot have, such as a misspelled one or the name of an event, is rejected
 * (D12, D49): a service that accepts unknown types would never deliver anything for it.
 */
export const eventSchema = text(LONGEST_ID).superRefine((entered, context) => {
	const message = problemWithEventType(entered);
	if (message !== undefined) context.addIssue({ code: 'custom', message });
});

/** The field for one event, or for all events. */
export const eventField: INodeProperties = {
	displayName: 'Event',
	name: 'event',
	type: 'options',
	default: '*',
	options: EVENT_OPTIONS_WITH_ALL,
};

/** The field for the ID of a campaign. */
export const campaignIdField: INodeProperties = {
	displayName: 'Campaign ID',
	name: 'campaignId',
	type: 'string',
	default: '',
	placeholder: 'e.g. cam_8QkzT2',
};

/** The field that chooses a webhook, from the list or by its ID. */
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
			placeholder: 'Select a webhook...',
			typeOptions: { searchListMethod: 'searchWebhooks', searchable: true },
		},
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: 'e.g. hoo_4fT9x',
			hint: 'You can also enter a URL that ends in /hooks/hoo_4fT9x',
		},
	],
};

/** The ID of a webhook, also inside a pasted URL such as `https://api.example.com/api/hooks/hoo_1` (§2.1). */
export const webhookIdSchema = text(LONGEST_URL)
	.transform(
		(entered) =>
			/^https?:\/\/[^?#]*\/hooks\/([^/?#]+)\/?(?:[?#].*)?$/i.exec(entered)?.[1] ?? entered,
	)
	.refine(
		(id) => /^[\w-]{1,100}$/.test(id),
		'It must be an ID such as hoo_4fT9x or the API URL of a webhook',
	);

/**
 * Reads the ID of the chosen webhook, in any mode of the resource locator.
 * @throws NodeOperationError that names the parameter and the item
 */
export function readWebhookId(item: Item): string {
	const locator = item.parameters.valueAt('webhookId');
	const id = isJsonObject(locator) ? locator.value : locator;
	return item.parameters.parse('webhookId', webhookIdSchema, id ?? '');
}

/** The error for an ID that the service does not have. */
export const notFoundError = (id: string): RequestError =>
	new RequestError('notFound', {
		message: `The webhook ${id} was not found`,
		description: NOT_FOUND_HINT,
		status: 404,
	});

/** What to say where a list may be a part of all webhooks: nothing that is missing in it is known to be missing. */
export const MORE_THAN_LISTED =
	'The service says that it has more webhooks than its list shows. The node knows only those that are listed.';

/**
 * A webhook by its ID. The service has no route for a single webhook (§4), so it is found in the list.
 * @throws RequestError when the list has no webhook with this ID
 */
export function findWebhook(webhooks: WebhookList, id: string): Webhook {
	const webhook = webhooks.find(({ _id }) => _id === id);
	if (webhook) return webhook;
	throw webhooks.hasMore ? notFoundError(id).with(MORE_THAN_LISTED) : notFoundError(id);
}

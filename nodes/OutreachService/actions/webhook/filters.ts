/** The filters that select webhooks from the list. */
import type { INodeProperties } from 'n8n-workflow';
import { z } from 'zod';

import { LONGEST_URL } from '../../domain/targetUrl';
import { eventOf, type Webhook } from '../../domain/webhook';
import { campaignIdSchema } from '../../parameters/campaignId';
import { LONGEST_ID, text } from '../../parameters/values';
import type { Item } from '../operation';
import { campaignIdField, eventField, eventSchema, MORE_THAN_LISTED } from './fields';

/** The collection of filters, as the editor shows it. */
export const filtersField: INodeProperties = {
	displayName: 'Filters',
	name: 'filters',
	type: 'collection',
	placeholder: 'Add filter',
	default: {},
	options: [
		{
			...campaignIdField,
			description:
				'Only webhooks that are limited to this campaign. You can also enter the URL of the campaign.',
		},
		{
			...eventField,
			description:
				'Only webhooks for exactly this event. "All Events" selects only those that were created for all events.',
			builderHint: {
				propertyHint:
					"One event type such as 'emailsReplied'. '*' does not mean any event: it selects the webhooks that were created for all events. Leave the filter out to select webhooks of every event.",
			},
		},
		{
			displayName: 'Target URL Contains',
			name: 'targetUrl',
			type: 'string',
			default: '',
			placeholder: 'e.g. old-n8n.example.com',
			description: 'Only webhooks whose target URL contains this text (not case-sensitive)',
			builderHint: {
				propertyHint: 'Part of a URL such as a host name; no wildcards and no regex.',
			},
		},
	],
};

/**
 * Whether a text is a part of any URL, and so tells no webhooks apart (D95). Such a text is left when an expression in the
 * filter returns nothing.
 */
const isPartOfAnyUrl = (part: string): boolean =>
	!/[\p{L}\d]/u.test(part.replace(/^https?:\/\//i, '')) ||
	['http://', 'https://'].some((scheme) => scheme.includes(part.toLowerCase()));

const NO_WILDCARDS =
	"No target URL contains it. There are no wildcards: enter a part of the URL without '*', such as the name of a host";

/** The filters as a user enters them. One that is not set is absent. */
export const filtersSchema = z
	.object({
		event: text(LONGEST_ID).optional(),
		campaignId: campaignIdSchema.optional(),
		targetUrl: text(LONGEST_URL)
			.refine(
				(part) => !isPartOfAnyUrl(part),
				'It is a part of any URL. Enter the name of a host, or leave the filter out',
			)
			.optional(),
	})
	.default({});

type Filters = z.output<typeof filtersSchema>;

/** Whether a webhook passes all filters that are set (§2.1). One whose type cannot be read passes no filter for an event. */
function passes(webhook: Webhook, { event, campaignId, targetUrl }: Filters): boolean {
	if (event && eventOf(webhook) !== event) return false;
	if (campaignId && webhook.campaignId !== campaignId) return false;
	return !targetUrl || webhook.targetUrl.toLowerCase().includes(targetUrl.toLowerCase());
}

/** Reads the filters of an item. @throws NodeOperationError that names the parameter */
export const readFilters = (item: Item): Filters => item.parameters.read('filters', filtersSchema);

/**
 * Refuses a filter that no webhook can pass: an empty output would be misleading. A value that only looks impossible, because
 * another program has created such a webhook, is none (D95).
 * @throws NodeOperationError that names the filter
 */
function refuseImpossible(
	item: Item,
	{ event, targetUrl = '' }: Filters,
	webhooks: readonly Webhook[],
): void {
	const refuse = (filter: keyof Filters, reason: string): never => {
		throw item.parameters.parameterError(filter, reason);
	};
	const checked = eventSchema.optional().safeParse(event);
	if (!checked.success && !webhooks.some((webhook) => passes(webhook, { event }))) {
		refuse('event', checked.error.issues[0]?.message ?? '');
	}
	// The target URLs of triggers for all events have '?event=*'.
	if (targetUrl.includes('*') && !webhooks.some((webhook) => passes(webhook, { targetUrl }))) {
		refuse('targetUrl', NO_WILDCARDS);
	}
}

/**
 * Lists the webhooks (§4.1) that pass all filters that are set.
 * @throws RequestError when the webhooks cannot be listed; NodeOperationError for a filter that no webhook can pass
 */
export async function selectWebhooks(item: Item, filters = readFilters(item)): Promise<Webhook[]> {
	const webhooks = await item.client.listWebhooks();
	if (webhooks.hasMore) item.hints.add(MORE_THAN_LISTED);
	refuseImpossible(item, filters, webhooks);
	return webhooks.filter((webhook) => passes(webhook, filters));
}

import type { INodeProperties } from 'n8n-workflow';

import { ALL_EVENTS, EVENT_OPTIONS_WITH_ALL } from '../model/eventTypes';
import { settingsOf, type Hook } from '../model/schemas';

export type Filters = {
	event?: string | undefined;
	campaignId?: string | undefined;
	targetUrl?: string | undefined;
};

export const FILTER_LABELS = {
	filters: 'Filters',
	event: 'Event',
	campaignId: 'Campaign ID',
	targetUrl: 'Target URL Contains',
};

/** The fields with which webhooks are picked out of the list. */
export const filterFields: INodeProperties[] = [
	{
		displayName: 'Campaign ID',
		name: 'campaignId',
		type: 'string',
		default: '',
		placeholder: 'e.g. cam_8QkzT2',
		description: 'Only webhooks that are tied to this campaign; its URL in the app works too',
	},
	{
		displayName: 'Event',
		name: 'event',
		type: 'options',
		default: '*',
		options: EVENT_OPTIONS_WITH_ALL,
		description:
			'Only webhooks for exactly this event. "All Events" stands for those that were made for every event.',
	},
	{
		displayName: 'Target URL Contains',
		name: 'targetUrl',
		type: 'string',
		default: '',
		placeholder: 'e.g. old-n8n.example.com',
		description: 'Only webhooks whose address contains this text, in upper or lower case',
	},
];

/** Whether no filter is set: an operation that deletes must refuse that. */
export const isEmpty = (filters: Filters): boolean =>
	Object.values(filters).every((value) => !value);

/** Whether a webhook passes all filters that are set (§2.1). */
export function passes(hook: Hook, { event, campaignId, targetUrl }: Filters): boolean {
	if (event && (settingsOf(hook).type ?? ALL_EVENTS) !== event) return false;
	if (campaignId && hook.campaignId !== campaignId) return false;
	return !targetUrl || hook.targetUrl.toLowerCase().includes(targetUrl.toLowerCase());
}

import type { INodeProperties } from 'n8n-workflow';
import { z } from 'zod';

import { settingsOf, type Webhook } from '../../model/schemas';
import { timeOf } from '../../model/time';
import { choice } from '../values';

const FIELDS = ['createdAt', 'campaignId', 'targetUrl', 'type'] as const;
const DIRECTIONS = ['asc', 'desc'] as const;

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

export const sortSchema = z.object({
	property: z.array(z.object({ field: choice(FIELDS), direction: choice(DIRECTIONS) })).optional(),
});

export type SortRules = NonNullable<z.output<typeof sortSchema>['property']>;

/** What is compared: a time as milliseconds, a text as it is; undefined when the webhook does not have it. */
function keyOf(webhook: Webhook, field: (typeof FIELDS)[number]): string | number | undefined {
	const settings = settingsOf(webhook);
	if (field !== 'createdAt') return settings[field] || undefined;
	return timeOf(settings.createdAt);
}

function compareKeys(a: string | number, b: string | number): number {
	return typeof a === 'number' && typeof b === 'number'
		? a - b
		: String(a).localeCompare(String(b), 'en');
}

/**
 * A sorted copy of a list of webhooks (§2.1). What lacks the field comes last in both directions; what is equal
 * stays in the service's order.
 */
export function sorted(webhooks: readonly Webhook[], rules: SortRules): Webhook[] {
	return [...webhooks].sort((one, other) => {
		for (const { field = 'createdAt', direction = 'asc' } of rules) {
			const [a, b] = [keyOf(one, field), keyOf(other, field)];
			if (a === undefined && b === undefined) continue;
			if (a === undefined) return 1;
			if (b === undefined) return -1;
			const order = compareKeys(a, b);
			if (order !== 0) return direction === 'desc' ? -order : order;
		}
		return 0;
	});
}

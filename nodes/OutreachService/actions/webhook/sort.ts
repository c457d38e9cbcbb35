import { z } from 'zod';

import { settingsOf, type Webhook } from '../../model/schemas';
import { timeOf } from '../../model/time';
import { choice } from '../values';

const FIELDS = ['createdAt', 'campaignId', 'targetUrl', 'type'] as const;
const DIRECTIONS = ['asc', 'desc'] as const;

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

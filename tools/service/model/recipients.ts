import { z } from 'zod';
import type { Activity } from './activity';

const CARRIERS: ReadonlySet<string> = new Set(['emailsSent', 'emailsReplied', 'emailsBounced']);

/** Whether events of this type carry recipients (§2.4). */
export const carriesRecipients = (type: string): boolean => CARRIERS.has(type);

const recipientList = z.array(
	z.object({ address: z.string().toLowerCase(), name: z.string().default('') }),
);

/**
 * Applies the rules for recipients (§2.4): lower-case addresses, no empty lists, and each list only on the events that
 * carry it. An invalid list is omitted.
 */
export function normalizeRecipients(activity: Activity): Activity {
	const normalized = { ...activity };
	for (const field of ['to', 'cc', 'bcc'] as const) {
		const parsed = recipientList.safeParse(normalized[field]);
		const allowed =
			field === 'bcc' ? normalized.type === 'emailsSent' : carriesRecipients(normalized.type);
		if (allowed && parsed.success && parsed.data.length > 0) normalized[field] = parsed.data;
		else Reflect.deleteProperty(normalized, field);
	}
	return normalized;
}

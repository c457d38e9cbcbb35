import { z } from 'zod';
import type { Activity } from './activity';

const CARRIERS: ReadonlySet<string> = new Set(['emailsSent', 'emailsReplied', 'emailsBounced']);

/** Whether deliveries of this type carry `to` and `cc` (§2.4). */
export const carriesRecipients = (type: string): boolean => CARRIERS.has(type);

const recipientList = z.array(
	z.object({ address: z.string().toLowerCase(), name: z.string().default('') }),
);

/**
 * §2.4: addresses in lower case, empty lists left out, `bcc` on what was sent only, and none of the three on other events.
 * A list that is not one of recipients is left out too.
 */
export function tidyRecipients(activity: Activity): Activity {
	const tidy = { ...activity };
	for (const field of ['to', 'cc', 'bcc'] as const) {
		const parsed = recipientList.safeParse(tidy[field]);
		const allowed = field === 'bcc' ? tidy.type === 'emailsSent' : carriesRecipients(tidy.type);
		if (allowed && parsed.success && parsed.data.length > 0) tidy[field] = parsed.data;
		else Reflect.deleteProperty(tidy, field);
	}
	return tidy;
}

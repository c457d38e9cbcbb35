import { z } from 'zod';

import { isJsonObject } from './schemas';

/** A field that the event does not have is null, so that every event type gives the same keys. */
const text = z.string().min(1).nullable().catch(null);

const isRecipient = (one: unknown) => isJsonObject(one) && typeof one.address === 'string';

const recipients = z.preprocess(
	// The schema of a list would take a minute for millions of wrong entries.
	(list): unknown => (Array.isArray(list) ? list.filter(isRecipient) : []),
	z.array(
		z.object({ address: z.string(), name: z.string().optional().catch(undefined) }).passthrough(),
	),
);

/** The documented fields of an activity (§2.3); it may have others. One of a wrong type counts as absent. */
export const activitySchema = z.object({
	_id: text,
	type: text,
	createdAt: text,
	teamId: text,
	isThirdPartyReply: z.boolean().catch(false),
	campaignId: text,
	campaignName: text,
	sequenceId: text,
	sequenceStep: z.number().nullable().catch(null),
	leadId: text,
	leadEmail: text,
	leadFirstName: text,
	leadLastName: text,
	sendUserId: text,
	sendUserEmail: text,
	sendUserName: text,
	subject: text,
	to: recipients,
	cc: recipients,
	bcc: recipients,
});

export type Activity = z.infer<typeof activitySchema>;

/** Identifies the lead of an activity (D76): by ID, or else by email address; undefined when it names none. */
export function leadOf({ leadId, leadEmail }: Activity): string | undefined {
	const email = (leadEmail ?? '').trim().toLowerCase();
	if (leadId) return `id ${leadId}`;
	return email === '' ? undefined : `email ${email}`;
}

import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod';

import { summarize } from './summary';

/** A field that the event does not have is null, so that every event type gives the same keys. */
const text = z.string().nullable().catch(null);
const number = z.number().nullable().catch(null);
const recipients = z
	.array(z.object({ address: z.string(), name: z.string() }).passthrough())
	.catch([]);

/** The fields of an activity (§2.3). */
export const activityFieldsSchema = z.object({
	_id: text,
	type: text,
	createdAt: text,
	teamId: text,
	isThirdPartyReply: z.boolean().catch(false),
	campaignId: text,
	campaignName: text,
	sequenceId: text,
	sequenceStep: number,
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

/**
 * Sorts the flat fields of an activity (§2.3) into groups, with what a chat message needs; the activity itself comes
 * along untouched.
 * @param subscription the event of the webhook that delivered it, which can be a lead-state group
 */
export function grouped(activity: IDataObject, subscription: string | undefined): IDataObject {
	const f = activityFieldsSchema.parse(activity);
	return {
		event: {
			...summarize({
				type: f.type,
				firstName: f.leadFirstName,
				lastName: f.leadLastName,
				email: f.leadEmail,
				subject: f.subject,
			}),
			id: f._id,
			type: f.type,
			subscription: subscription ?? null,
			createdAt: f.createdAt,
			teamId: f.teamId,
			isThirdPartyReply: f.isThirdPartyReply,
		},
		lead: {
			id: f.leadId,
			email: f.leadEmail,
			firstName: f.leadFirstName,
			lastName: f.leadLastName,
		},
		campaign: { id: f.campaignId, name: f.campaignName },
		sequence: { id: f.sequenceId, step: f.sequenceStep },
		sender: { id: f.sendUserId, email: f.sendUserEmail, name: f.sendUserName },
		email: { subject: f.subject, to: f.to, cc: f.cc, bcc: f.bcc },
		activity,
	};
}

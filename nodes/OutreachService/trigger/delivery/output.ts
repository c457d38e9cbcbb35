import type { IDataObject } from 'n8n-workflow';

import { activityFieldsSchema } from '../../model/activity';
import { summarize } from './summary';

/**
 * Sorts the flat fields of an activity (§2.3) into groups, with what a chat message needs; the activity itself comes
 * along untouched.
 * @param event the chosen event for which it came, such as a lead state
 * @param key see `eventKey`
 */
export function grouped(activity: IDataObject, event: string, key: string): IDataObject {
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
			key,
			id: f._id,
			type: f.type,
			subscription: event,
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

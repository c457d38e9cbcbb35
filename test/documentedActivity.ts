/** An activity as the API documents it (§2.3), apart from what the nodes and the local service make of it. */
import { z } from 'zod';

/** §2.4. */
const recipients = z
	.array(z.strictObject({ address: z.string().email(), name: z.string() }))
	.min(1);

/** The activity record of §2.3, without the secret. */
const DOCUMENTED = {
	common: {
		_id: z.string().startsWith('act_'),
		type: z.string(),
		teamId: z.string(),
		createdAt: z.string().datetime(),
		sendUserId: z.string(),
		sendUserEmail: z.string().email(),
		sendUserName: z.string(),
	},
	campaign: {
		campaignId: z.string().startsWith('cam_'),
		campaignName: z.string(),
		sequenceId: z.string(),
		sequenceStep: z.number().int().min(0),
	},
	lead: {
		leadId: z.string(),
		leadEmail: z.string().email(),
		leadFirstName: z.string(),
		leadLastName: z.string(),
	},
	email: { subject: z.string() },
};

/** The fields that only some events have (§2.3, §2.4, §6.6). */
const ONLY: Readonly<Record<string, z.ZodRawShape>> = {
	emailsSent: { to: recipients, cc: recipients, bcc: recipients },
	emailsReplied: { to: recipients, cc: recipients, isThirdPartyReply: z.boolean() },
	emailsBounced: { to: recipients, cc: recipients },
};

/** Events about a mailbox, a domain or the team. */
const WITHOUT_LEAD = [
	'customDomainErrors',
	'connectionIssue',
	'sendLimitReached',
	'serviceWarmPaused',
	'deliverabilityAlertTriggered',
];
/** Non-campaign events: they have no campaign fields (§2.3). */
const WITHOUT_CAMPAIGN = [...WITHOUT_LEAD, 'inboxLabelUpdated', 'signalRegistered'];

/** The fields that an activity of this type has, and no others; without the secret. */
export const documentedFor = (type: string) =>
	z.strictObject({
		...DOCUMENTED.common,
		...(WITHOUT_CAMPAIGN.includes(type) ? {} : DOCUMENTED.campaign),
		...(WITHOUT_LEAD.includes(type) ? {} : DOCUMENTED.lead),
		...(type.startsWith('emails') ? DOCUMENTED.email : {}),
		...ONLY[type],
	});

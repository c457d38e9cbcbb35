/** Samples of activities. */
import type { IDataObject } from 'n8n-workflow';

import { EVENTS } from './eventTypes';

/** How the ID of each sample begins. */
export const SAMPLE_ID = 'act_sample_';

/** The JSON of a sample, and the chosen event for which it stands. */
export type Sample = { event: string; json: IDataObject };

/** What differs from one sample to the next. */
export type SampleIdentity = {
	/** An ID of its own for each sample (prefix `act_`), because a trigger drops duplicates. */
	_id: string;
	/** ISO 8601, UTC. */
	createdAt: string;
	/** The campaign of a webhook that is tied to one; without it, the sample has a fictitious campaign. */
	campaignId?: string | undefined;
};

/** Each name and ID of the fictitious lead says that it is a sample, and `example.com` belongs to nobody. */
const LEAD = {
	leadId: 'lea_sample',
	leadEmail: 'sam.sample@example.com',
	leadFirstName: 'Sam',
	leadLastName: 'Sample',
};
const CAMPAIGN = {
	campaignId: 'cam_sample',
	campaignName: 'Sample campaign',
	sequenceId: 'seq_sample',
	sequenceStep: 1,
};
const SENDER = {
	sendUserId: 'usr_sample',
	sendUserEmail: 'erin.example@example.com',
	sendUserName: 'Erin Example',
};

/**
 * The fields that only email events have: the subject, the recipients (§2.4) and whether a third party replied (§2.3,
 * §6.6). Only an email that was sent shows its hidden copy.
 */
function emailFields(type: string): IDataObject {
	const subject = 'A sample subject';
	const to = [{ address: LEAD.leadEmail, name: 'Sam Sample' }];
	const cc = [{ address: 'colleague@example.com', name: '' }];
	const mailbox = { address: SENDER.sendUserEmail, name: SENDER.sendUserName };
	switch (type) {
		case 'emailsSent':
			return { subject, to, cc, bcc: [{ address: 'crm@example.com', name: '' }] };
		case 'emailsBounced':
			return { subject, to, cc };
		case 'emailsReplied':
			return { subject: `Re: ${subject}`, to: [mailbox], cc, isThirdPartyReply: false };
		default:
			return type.startsWith('emails') ? { subject } : {};
	}
}

/**
 * A realistic activity of a type (§2.3), with every field that the API documents for that type but the secret. It
 * depends on nothing but its parameters. A type that §6.1 does not list gets the fields of a lead in a campaign.
 */
export function sampleActivity(
	type: string,
	{ _id, createdAt, campaignId }: SampleIdentity,
): IDataObject {
	const { hasLead = true, hasCampaign = true } = EVENTS.get(type) ?? {};
	const activity: IDataObject = { _id, type, teamId: 'tea_sample', createdAt };
	if (hasCampaign) Object.assign(activity, CAMPAIGN);
	if (campaignId !== undefined) activity.campaignId = campaignId;
	if (hasLead) Object.assign(activity, LEAD);
	return Object.assign(activity, SENDER, emailFields(type));
}

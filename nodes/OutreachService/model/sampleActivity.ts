import type { IDataObject } from 'n8n-workflow';

import { WITHOUT_CAMPAIGN, WITHOUT_LEAD } from './eventTypes';
import {
	LATER_STEPS,
	SAMPLE_ADDRESSES,
	SAMPLE_CAMPAIGN,
	SAMPLE_LEAD,
	SAMPLE_SENDER,
	SAMPLE_SUBJECT,
	SAMPLE_TEAM,
} from './sampleData';

/** What differs from one sample to the next. */
export type SampleIdentity = {
	/** An ID of its own for each sample (prefix `act_`): a trigger drops an activity that it has seen. */
	_id: string;
	/** ISO 8601, UTC. */
	createdAt: string;
	/** For a webhook that is tied to a campaign. Without it, that of the sample. */
	campaignId?: string | undefined;
};

/** Recipients (§2.4), of the three types that carry them. Only an email that was sent shows a hidden copy. */
function recipientsOf(type: string): IDataObject {
	const { lead, mailbox, colleague, hiddenCopy } = SAMPLE_ADDRESSES;
	const cc = [{ ...colleague }];
	if (type === 'emailsSent') return { to: [{ ...lead }], cc, bcc: [{ ...hiddenCopy }] };
	if (type === 'emailsBounced') return { to: [{ ...lead }], cc };
	return type === 'emailsReplied' ? { to: [{ ...mailbox }], cc } : {};
}

/** What email events have and others do not: the subject, recipients, and who replied (§2.3, §6.6). */
function emailFields(type: string): IDataObject {
	if (!type.startsWith('emails')) return {};
	const isReply = type === 'emailsReplied';
	return {
		subject: isReply ? `Re: ${SAMPLE_SUBJECT}` : SAMPLE_SUBJECT,
		...recipientsOf(type),
		...(isReply ? { isThirdPartyReply: false } : {}),
	};
}

function campaignFields(type: string, campaignId: string | undefined): IDataObject {
	const tied = campaignId === undefined ? {} : { campaignId };
	if (WITHOUT_CAMPAIGN.has(type)) return tied;
	return { ...SAMPLE_CAMPAIGN, ...tied, sequenceStep: LATER_STEPS[type] ?? 0 };
}

/**
 * A realistic activity of a type (§2.3), with every field that the API spec documents for that type but the secret. It
 * depends on nothing but its parameters. A type that §6.1 does not list gets the fields of a lead in a campaign.
 */
export function sampleActivity(
	type: string,
	{ _id, createdAt, campaignId }: SampleIdentity,
): IDataObject {
	return {
		_id,
		type,
		...SAMPLE_TEAM,
		createdAt,
		...campaignFields(type, campaignId),
		...(WITHOUT_LEAD.has(type) ? {} : SAMPLE_LEAD),
		...SAMPLE_SENDER,
		...emailFields(type),
	};
}

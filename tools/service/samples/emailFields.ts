import type { Activity, Recipient } from '../model/activity';
import { carriesRecipients } from '../model/recipients';
import type { Pick } from '../support/random';
import { COLLEAGUES } from './people';

interface SampleContext {
	pick: Pick;
	campaign: { subject: string };
	lead: { first: string; last: string; email: string };
	sender: { name: string; email: string };
}

/** Whether activities of this type are about an email and have a subject (§2.3). */
export const hasEmailFields = (type: string): boolean => type.startsWith('emails');

/** The subject, and the recipients if the type carries them (§2.4). */
export function emailFields(
	type: string,
	{ pick, campaign, lead, sender }: SampleContext,
): Partial<Activity> {
	const isReply = type === 'emailsReplied';
	const subject = isReply ? `Re: ${campaign.subject}` : campaign.subject;
	if (!carriesRecipients(type)) return { subject };

	const leadAddress = { address: lead.email, name: `${lead.first} ${lead.last}` };
	const mailbox = { address: sender.email, name: sender.name };
	const cc: Recipient[] = COLLEAGUES.slice(0, pick(3)).map((colleague) => ({ ...colleague }));
	const hasHiddenCopy = type === 'emailsSent' && pick(2) === 1;
	return {
		subject,
		to: [isReply ? mailbox : leadAddress],
		...(cc.length > 0 && { cc }),
		...(hasHiddenCopy && { bcc: [{ address: 'crm-inbox@acme-outreach.example', name: '' }] }),
	};
}

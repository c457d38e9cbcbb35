import { makeId, numberFrom } from '../support';
import { subjectOf } from './eventTypes';

/** The record of one step, and the body of a delivery (§2.3), with the fields that the service reads. */
export interface Activity {
	_id?: string;
	type: string;
	teamId?: string;
	/** ISO 8601, UTC. */
	createdAt?: string;
	/** Absent if the event belongs to no campaign. */
	campaignId?: string;
	leadId?: string;
	[field: string]: unknown;
}

/** A recipient of an email (§2.4): a lower-case address, and a name that may be empty. */
interface Recipient {
	address: string;
	name: string;
}

/** The team of keys, webhooks and samples by default. */
export const DEFAULT_TEAM = 'tea_K4mPq7RtWx2Zb9NcA';

/** Fictional people and companies. The domains are reserved for examples, so no sample can reach a real person. */
const LEADS = [
	{ first: 'Amélie', last: 'Laurent', email: 'amelie.laurent@northwind.example' },
	{ first: 'Jonas', last: 'Weber', email: 'jonas.weber@contour.example' },
	{ first: 'Tomás', last: 'Herrera', email: 'tomas@herrera-y-asociados.example' },
	{ first: 'Seán', last: "O'Brien", email: 'sean.obrien@kestrel.example' },
];
const COLLEAGUE = { name: '', address: 'procurement@contour.example' };
const SENDER = { name: 'Nora Bell', address: 'nora@acme-outreach.example' };
const CRM = { name: '', address: 'crm-inbox@acme-outreach.example' };

const CAMPAIGNS = [
	{ name: 'Q3 heads of engineering', subject: 'Quick question about your release process' },
	{ name: 'Trade fair follow-up', subject: 'Good to meet you at the fair' },
];

const FIRST_DAY = Date.UTC(2026, 2, 2, 8);

/**
 * A realistic activity of any type (§2.3), the same for the same type and seed. It has only fields that the API
 * lists; a type that §6.1 doesn't list gets the common ones.
 */
export function sampleActivity(type: string, seed = 1): Activity {
	const of = `${type} ${seed}`;
	const pick = <T>(list: readonly T[]): T => list[numberFrom(of, list.length)]!;
	const campaign = pick(CAMPAIGNS);
	const lead = pick(LEADS);
	const about = subjectOf(type);
	return {
		_id: makeId('act_', of),
		type,
		teamId: DEFAULT_TEAM,
		createdAt: new Date(FIRST_DAY + numberFrom(of, 14 * 24 * 3600) * 1000).toISOString(),
		...(about === 'campaign' && {
			campaignId: makeId('cam_', campaign.name),
			campaignName: campaign.name,
			sequenceId: makeId('seq_', campaign.name),
			sequenceStep: numberFrom(of, 5),
		}),
		...(about !== 'account' && {
			leadId: makeId('lea_', lead.email),
			leadEmail: lead.email,
			leadFirstName: lead.first,
			leadLastName: lead.last,
		}),
		sendUserId: makeId('usr_', SENDER.address),
		sendUserEmail: SENDER.address,
		sendUserName: SENDER.name,
		...(type.startsWith('emails') && {
			subject: `${type === 'emailsReplied' ? 'Re: ' : ''}${campaign.subject}`,
		}),
		...recipients(type, { address: lead.email, name: `${lead.first} ${lead.last}` }),
	};
}

/** The recipients that emails of this type carry (§2.4). */
function recipients(type: string, lead: Recipient) {
	if (type === 'emailsSent') return { to: [lead], cc: [COLLEAGUE], bcc: [CRM] };
	if (type === 'emailsReplied') return { to: [SENDER], cc: [COLLEAGUE] };
	return type === 'emailsBounced' ? { to: [lead] } : {};
}

import { makeId, seededPick, seedFromText, type Pick } from '../support';
import { recipientsOf, subjectOf } from './eventTypes';

/** A recipient of an email (§2.4). */
export interface Recipient {
	/** Lower-case email address. */
	address: string;
	/** May be empty. */
	name: string;
}

/**
 * The record of one step, and the body of a delivery (§2.3), with the fields that the service reads.
 */
export interface Activity {
	_id?: string;
	type: string;
	teamId?: string;
	/** ISO 8601, UTC. */
	createdAt?: string;
	/** Absent if the event belongs to no campaign. */
	campaignId?: string;
	leadId?: string;
	to?: Recipient[];
	cc?: Recipient[];
	bcc?: Recipient[];
	[field: string]: unknown;
}

/** An event to send: its type, and the activity fields that differ from a sample. */
export interface ActivityInput {
	type: string;
	[field: string]: unknown;
}

/** The team of keys, webhooks and samples by default. */
export const DEFAULT_TEAM = 'tea_K4mPq7RtWx2Zb9NcA';

/** Fictional people and companies. The domains are reserved for examples, so no sample can reach a real person. */
const LEADS = [
	{ first: 'Amélie', last: 'Laurent', email: 'amelie.laurent@northwind.example' },
	{ first: 'Jonas', last: 'Weber', email: 'jonas.weber@contour.example' },
	{ first: 'Priya', last: 'Raman', email: 'priya.raman@lumenworks.example' },
	{ first: 'Tomás', last: 'Herrera', email: 'tomas@herrera-y-asociados.example' },
	{ first: 'Seán', last: "O'Brien", email: 'sean.obrien@kestrel.example' },
	{ first: 'Nadia', last: 'Haddad', email: 'nadia.haddad@cedarline.example' },
];

const COLLEAGUES: readonly Recipient[] = [
	{ name: 'Paul Girard', address: 'paul.girard@northwind.example' },
	{ name: '', address: 'procurement@contour.example' },
];

const SENDERS = [
	{ id: 'usr_Jd82LsQw0PzXn4VbT', name: 'Nora Bell', email: 'nora@acme-outreach.example' },
	{ id: 'usr_T5hYg6UjM1kOl9PaS', name: 'Victor Lind', email: 'victor@acme-outreach.example' },
];

const CAMPAIGNS = [
	{
		id: 'cam_B2nM8qWe4RtY6uIoP',
		sequence: 'seq_Zx9Cv7Bn5Mq3We1Rt',
		name: 'Q3 heads of engineering',
		subject: 'Quick question about your release process',
	},
	{
		id: 'cam_A1sD3fGh5JkL7zXcV',
		sequence: 'seq_Po8Iu6Yt4Re2Wq0As',
		name: 'Trade fair follow-up',
		subject: 'Good to meet you at the fair',
	},
];

const FIRST_DAY = Date.UTC(2026, 2, 2, 8);

function oneOf<T>(pick: Pick, list: readonly T[]): T {
	const chosen = list[pick(list.length)];
	if (chosen === undefined) throw new Error('The list is empty');
	return chosen;
}

/**
 * A realistic activity of any type (§2.3), deterministic for each type and seed. It has only fields that the API spec
 * lists; a type that §6.1 doesn't list gets the common ones.
 */
export function sampleActivity(type: string, seed = 1): Activity {
	const pick = seededPick(seedFromText(type) + seed);
	const campaign = oneOf(pick, CAMPAIGNS);
	const lead = oneOf(pick, LEADS);
	const sender = oneOf(pick, SENDERS);
	const about = subjectOf(type);
	const isReply = type === 'emailsReplied';

	const leadAddress = { address: lead.email, name: `${lead.first} ${lead.last}` };
	const mailbox = { address: sender.email, name: sender.name };
	const recipients = {
		to: [isReply ? mailbox : leadAddress],
		cc: COLLEAGUES.slice(0, pick(COLLEAGUES.length + 1)),
		bcc: pick(2) === 1 ? [{ address: 'crm-inbox@acme-outreach.example', name: '' }] : [],
	};
	return {
		_id: makeId('act_', pick),
		type,
		teamId: DEFAULT_TEAM,
		createdAt: new Date(FIRST_DAY + pick(14 * 24 * 3600) * 1000).toISOString(),
		...(about === 'campaign' && {
			campaignId: campaign.id,
			campaignName: campaign.name,
			sequenceId: campaign.sequence,
			sequenceStep: pick(5),
		}),
		...(about !== 'account' && {
			leadId: makeId('lea_', seededPick(seedFromText(lead.email))),
			leadEmail: lead.email,
			leadFirstName: lead.first,
			leadLastName: lead.last,
		}),
		sendUserId: sender.id,
		sendUserEmail: sender.email,
		sendUserName: sender.name,
		...(type.startsWith('emails') && {
			subject: isReply ? `Re: ${campaign.subject}` : campaign.subject,
		}),
		...Object.fromEntries(
			recipientsOf(type)
				.map((list) => [list, recipients[list]] as const)
				.filter(([, list]) => list.length > 0),
		),
	};
}

/**
 * A reply from an address that isn't one of the lead's, attributed to its sender (§6.6). It carries the campaign fields of
 * the thread.
 */
export const sampleThirdPartyReply = (seed = 1): Activity => ({
	...sampleActivity('emailsReplied', seed),
	leadEmail: 'assistant@office-of-the-ceo.example',
	leadFirstName: 'Robin',
	leadLastName: 'Marsh',
	isThirdPartyReply: true,
});

/** A recipient of an email (§2.4). */
export interface Recipient {
	/** Lower-case email address. */
	address: string;
	/** May be empty. */
	name: string;
}

/**
 * The record of one step, and the body of a delivery (§2.3). The API spec doesn't list all fields, so any other name is
 * allowed.
 */
export interface Activity {
	_id?: string;
	type: string;
	teamId?: string;
	/** ISO 8601, UTC. */
	createdAt?: string;
	/** Absent if the event belongs to no campaign. */
	campaignId?: string;
	campaignName?: string;
	sequenceId?: string;
	/** Counted from 0. */
	sequenceStep?: number;
	leadId?: string;
	leadEmail?: string;
	leadFirstName?: string;
	leadLastName?: string;
	sendUserId?: string;
	sendUserEmail?: string;
	sendUserName?: string;
	/** Email events only. */
	subject?: string;
	to?: Recipient[];
	cc?: Recipient[];
	bcc?: Recipient[];
	isThirdPartyReply?: boolean;
	[field: string]: unknown;
}

/** An event to send: its type, and the activity fields that differ from a sample. */
export interface ActivityInput {
	type: string;
	[field: string]: unknown;
}

/** The team of keys, webhooks and samples by default. */
export const DEFAULT_TEAM = 'tea_K4mPq7RtWx2Zb9NcA';

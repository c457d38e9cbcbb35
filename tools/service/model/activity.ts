/** §2.4: somebody an email went to or came from. */
export interface Recipient {
	/** Lower-case email address. */
	address: string;
	/** May be empty. */
	name: string;
}

/**
 * §2.3: the record of one step, which is also the body of a delivery.
 * The interface says that there are more fields than it lists, so any other name is allowed.
 */
export interface Activity {
	_id?: string;
	type: string;
	teamId?: string;
	/** ISO 8601, UTC. */
	createdAt?: string;
	/** Absent when the event belongs to no campaign. */
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

/** What somebody asks to have sent: a type, and whatever of the activity should differ from a sample. */
export interface ActivityInput {
	type: string;
	[field: string]: unknown;
}

/** The team that keys, hooks and samples belong to unless told otherwise. */
export const DEFAULT_TEAM = 'tea_K4mPq7RtWx2Zb9NcA';
